// Opens every page of the console in a browser. The region has one resource of each type, whose names, descriptions,
// labels and values try to break the page: markup, script URLs, prototype names, right-to-left text, long words,
// control characters. No script may run, no element may be injected, no link may lead to a script, and no text may
// overflow. A user without rights must not see these resources.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Sitemap } from '../../../console/sitemap.ts';
import { expressionUrl } from '../../../console/urls.ts';
import { presign } from '../../../src/testing/black-box/s3-signature.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { makeStorageKey } from '../../harness/objects.ts';
import { addPerson } from '../../harness/people.ts';
import { assertAccessible } from '../harness/accessible.ts';
import {
  assertReadable,
  Desk,
  inLooks,
  looksOf,
  picture,
  refusedCall,
  signInBy,
  untilDrawn,
  untilEqual,
  untilHolds,
  untilTrue,
} from '../harness/window.ts';
import { type Addresses, follow } from './every-resource.ts';
import { type Landscape, landscapeOf, names } from './hostile-landscape.ts';
import { assertHarmless, assertInert, harm, openWatched } from './hostile-page.ts';
import { type Hostile, hostileWorld, markup, probe } from './hostile-world.ts';

const refusals = /This [^.]+ does not exist|Could not load the/;
const at = (service: string, path: string): string => `/console/resources/${service}${path}`;
const tabs = (url: string, ...more: string[]): string[] => [url, ...more.map((tab) => `${url}?tab=${tab}`)];

const textOf = async (page: Page, selector: string): Promise<string> =>
  (await page.locator(selector).allInnerTexts()).join(' ').trim();

async function visit(page: Page, url: string): Promise<void> {
  await follow(page, url);
  await assertInert(page, url);
}

suite('every page of the console', () => {
  const desk = new Desk();
  let hostile: Hostile;
  let made: Landscape;
  before(async () => {
    await desk.open();
    if (!desk.isOpen) return;
    hostile = await hostileWorld(desk.region); // created first, so it has the first resource of each type
    made = await landscapeOf(desk.region);
  });
  after(() => desk.close());

  suite('of a resource', () => {
    const showsOne = (page: Page, selector: string, where: string): Promise<void> =>
      untilEqual(() => page.locator(selector).count(), 1, where);
    const hasNotFailed = async (page: Page, where: string): Promise<void> =>
      assert.equal(await textOf(page, 'main .failed'), '', where);

    const seeLists = async (page: Page, { model, list, across }: Addresses): Promise<void> => {
      for (const url of [list, across].filter((one) => one !== undefined)) {
        await visit(page, url);
        await untilEqual(() => textOf(page, 'main h1'), model.titles, url);
        await showsOne(page, 'main :is([role="grid"], .state)', url);
        await hasNotFailed(page, url);
      }
      if (!model.create) return;
      await visit(page, `${list}/new`);
      await showsOne(page, 'main button[type="submit"]', `${list}/new`);
      await hasNotFailed(page, `${list}/new`);
    };

    // The menus of a resource, and its deletion dialog.
    const askAround = async (page: Page, url: string): Promise<void> => {
      for (const menu of await page.locator('main [aria-haspopup="menu"]').all()) {
        await menu.click();
        await assertInert(page, `the menu of ${url}`);
        await page.keyboard.press('Escape');
      }
      const button = page.locator('main').getByRole('button', { name: 'Delete', exact: true });
      if ((await button.count()) === 0) return;
      await button.first().click();
      const dialog = page.getByRole('dialog');
      await untilEqual(() => dialog.getByText('Looking for what is in it').count(), 0, url);
      await assertInert(page, `the deletion of ${url}`);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
    };

    const visitItem = async (page: Page, { model }: Addresses, url: string): Promise<void> => {
      await visit(page, url);
      await askAround(page, url);
      // The page opens with one of its tabs, which need not be visited again.
      const links = page.locator('main nav.tabs > a[href*="?tab="]');
      const hrefs = await links.evaluateAll((all) => all.map((one) => String(one.getAttribute('href'))));
      const [shown] = await links.evaluateAll((all) =>
        all.filter((one) => one.hasAttribute('aria-current')).map((one) => String(one.getAttribute('href'))),
      );
      const properties = `${url}?tab=properties`;
      for (const tab of new Set([shown ?? url, ...hrefs, properties])) {
        if (tab !== shown && tab !== url) await visit(page, tab);
        if (tab !== properties) continue;
        await untilTrue(url, async () => (await page.locator('main .properties dt').count()) > 0);
        await hasNotFailed(page, url);
      }
      if (!model.change) return;
      await visit(page, `${url}/edit`);
      const isFixed = model.name === 'image'; // catalogue images can't be changed, and the page shows that
      await showsOne(page, isFixed ? 'main .state' : 'main button[type="submit"]', `${url}/edit`);
    };

    test('is shown to the owner without harm: lists, forms, tabs, menus and dialogs', async (t) => {
      await desk.see(t, {}, async (page) => {
        const { addresses, kinds } = hostile;
        assert.ok(addresses.length > 60, String(addresses.length));
        assert.ok(addresses.filter(({ across }) => across).length > 10, 'lists across datacenters');
        assert.ok(kinds.length >= 38, `only these took a hostile text: ${kinds}`);
        await openWatched(page, desk.region);
        await page.evaluate(
          `document.body.append(Object.assign(document.createElement('a'), { href: 'javascript:1' }))`,
        );
        assert.deepEqual(await page.evaluate(harm), ['<a href="javascript:1"></a>'], 'the check finds harmful content');
        await page.evaluate(`document.body.lastChild.remove()`);
        for (const one of addresses) {
          await seeLists(page, one);
          if (one.item !== undefined) await visitItem(page, one, one.item);
        }
      });
    });

    test('shows a user without rights no resources of other users', async (t) => {
      if (!desk.isOpen) return t.skip('no browser');
      const person = await addPerson(desk.region);
      await desk.see(t, { expected: refusedCall }, async (page) => {
        await signInBy(page, desk.region, person.basic);
        for (const { list, item } of hostile.addresses) {
          if (item === undefined) continue;
          const id = decodeURIComponent(item.slice(item.lastIndexOf('/') + 1));
          if (id.length < 20) continue; // catalogue items, which all users see, and numbers
          await follow(page, item);
          const isPublic = /(?:images|templates|locations|models|regions)\//.test(item);
          if (!isPublic) await page.getByRole('main').getByText(refusals).first().waitFor();
          await follow(page, list);
          if (!isPublic) assert.ok(!(await textOf(page, 'main')).includes(id), list);
        }
      });
    });

    test('is accessible and readable in light and dark, in wide and narrow windows', async (t) => {
      await desk.see(t, {}, async (page) => {
        await signInBy(page, desk.region, desk.region.owner);
        const looks = looksOf(1440, 390);
        const some = hostile.addresses.filter(
          ({ model }) => isFull || ['server', 'image', 'zone'].includes(model.name),
        );
        for (const { model, list, item, across } of some) {
          const urls = [list, across, model.create && `${list}/new`, item, item && `${item}?tab=json`];
          for (const url of urls.filter((one) => one !== undefined)) {
            await follow(page, url);
            await inLooks(page, looks, async (look) => {
              await assertAccessible(page, `${url}, ${look}`);
              await assertReadable(page, `${url}, ${look}`);
              await picture(page, `${look}${url.replace(/[/?=]/g, '-').slice(0, 80)}`);
            });
          }
        }
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Pages' }).fill('server');
        await inLooks(page, looks, (look) => assertAccessible(page, `the palette, ${look}`));
      });
    });
  });

  // Parts that appear when the user points at, opens or types something.
  const openParts = async (page: Page): Promise<void> => {
    const { world, topic, pipeline } = hostile;
    await visit(page, at('cloudapi', `/datacenters/${world.ids.datacenterId}?tab=diagram`));
    await page.locator('main svg a').filter({ hasText: '">' }).first().hover();
    await assertInert(page, 'the card of the diagram');
    await page.getByRole('button', { name: 'As list' }).click();
    await assertInert(page, 'the list of the diagram');
    await visit(page, expressionUrl('de-fra', pipeline, 'hostile_total'));
    await page.locator('.u-over').first().hover();
    await assertInert(page, 'the values of a chart');
    await visit(page, '/console/logging/de-fra');
    await page.locator('.logs-rows').getByText(probe).first().click();
    await assertInert(page, 'the fields of a log line');
    await visit(page, `${topic}?tab=messages`);
    await page.getByRole('button', { name: 'Open message 0 of partition 0' }).click();
    await page.getByRole('dialog').getByText(probe).first().waitFor();
    await assertInert(page, 'a message of a topic');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await visit(page, '/console/playground');
    for (const text of [markup, `[a](javascript:hostile(10)) <a href="javascript:hostile(11)">b</a>`]) {
      await page.getByRole('button', { name: 'Send' }).waitFor();
      await page.getByLabel('Message').fill(text);
      await page.keyboard.press('Enter');
      await page
        .locator('.playground-turn')
        .filter({ hasText: `You said: "${text}"` })
        .waitFor();
      await assertInert(page, 'the playground');
    }
  };

  test('without a resource is shown without harm, also with hostile addresses', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      await openWatched(page, desk.region, '/console?next=//evil.example&next=javascript:hostile(8)');
      assert.equal(new URL(page.url()).origin, desk.region.url);
      const { groups } = (await desk.region.call<Sitemap>('GET', '/console/navigation')).body;
      const parts = groups.flatMap(({ parts }) => parts.map(({ url }) => url));
      const { bucket, keys, topic, request } = hostile;
      const at = '/console/buckets';
      for (const url of [
        ...parts.filter((url) => !url.startsWith('/docs') && !url.includes('/resources/')),
        `/console/requests/${request}`,
        ...['', 'contracts', 'faults', 'traffic', 'load', 'savepoints'].map((part) => `/console/lab/${part}`),
        '/console/monitoring/de-fra',
        '/console/monitoring/de-fra/alerts',
        '/console/logging/de-fra',
        topic,
        `${topic}?tab=messages`,
        `${at}/${bucket}`,
        ...keys.map((key) => `${at}/${bucket}/object?${new URLSearchParams({ key })}`),
      ])
        await visit(page, url);
      await openParts(page);
      const bad = encodeURIComponent(markup);
      for (const path of [
        `/console/${bad}`,
        '/console//evil.example/%2e%2e',
        `/console/resources/${bad}/${bad}`,
        `/console/resources/cloudapi/${bad}`,
        `/console/resources/cloudapi/datacenters?tab=${bad}&__proto__=1`,
        '/console/resources/__proto__/constructor',
        `/console/buckets/${bad}?prefix=${bad}`,
        `/console/monitoring/${bad}?expr=${bad}&pipeline=__proto__`,
        `/console/logging/de-fra?query=${bad}`,
        `/console/lab/${bad}`,
        `/console/requests/${bad}`,
        `/console/activity?user=${bad}&kind=__proto__&at=${bad}`,
        `/docs/cloudapi?${bad}#${bad}`,
      ]) {
        await page.goto(desk.region.url + path);
        if (path.startsWith('/console')) await untilDrawn(page);
        await untilHolds(page, `!document.querySelector('main :is(.waiting, .skeleton)')`);
        await assertInert(page, path);
        assert.equal(new URL(page.url()).origin, desk.region.url);
      }
    });
  });

  test('has a separate origin: an object that is a page can not run in it', async (t) => {
    await desk.see(t, { expected: /sandboxed|Content Security Policy|Failed to load resource/ }, async (page) => {
      const { region } = desk;
      await openWatched(page, region);
      const { accessKeyId, secretAccessKey } = await makeStorageKey(region);
      for (const key of ['page.html', 'x.svg']) {
        const request = { method: 'GET', endpoint: region.url, bucket: hostile.bucket, key, query: {}, expiresS: 600 };
        const signer = { accessKey: accessKeyId, secretKey: secretAccessKey, region: 'eu-central-3' };
        await page.goto(presign(request, signer, Date.now()));
        assert.match(await page.content(), /hostile\(7\)/, 'it is shown');
        assert.equal(await page.evaluate('globalThis.origin'), 'null');
        assert.doesNotMatch(String(await page.evaluate('ran')), /\bran\b/, key);
      }
    });
  });

  const walk = async (page: Page, urls: readonly string[]): Promise<void> => {
    await openWatched(page, desk.region);
    for (const url of urls) {
      await follow(page, url);
      await assertHarmless(page, url);
    }
  };

  test('does not overflow with hostile names in a narrow window', async (t) => {
    await desk.see(t, { viewport: { width: 390, height: 900 }, expected: refusedCall }, async (page) => {
      const { datacenter, server, nic, zone, pipeline } = made;
      await walk(page, [
        at('cloudapi', '/datacenters'),
        ...tabs(at('cloudapi', datacenter), 'properties', 'servers', 'lans', 'volumes', 'activity', 'json'),
        `${at('cloudapi', datacenter)}/edit`,
        ...tabs(at('cloudapi', server), 'properties', 'metrics', 'nics', 'volumes', 'labels'),
        ...tabs(at('cloudapi', nic), 'firewallrules'),
        ...tabs(at('dns', zone), 'records'),
        at('logging', pipeline),
        '/console',
        '/console/requests',
        '/console/activity',
        '/console/costs',
        '/console/lab',
        '/console/logging/de-fra',
        '/console/monitoring/de-fra',
        '/console/buckets/hostile',
        `/console/buckets/hostile/object?${new URLSearchParams({ key: 'k'.repeat(900) })}`,
      ]);
    });
  });

  test('does not overflow with hostile names in a wide window', async (t) => {
    await desk.see(t, { viewport: { width: 1440, height: 900 }, expected: refusedCall }, async (page) => {
      const { datacenter, server } = made;
      await walk(page, [
        ...tabs(at('cloudapi', datacenter), 'servers'),
        `${at('cloudapi', server)}/edit`,
        '/console',
        '/console/requests',
        '/console/activity',
        '/console/logging/de-fra',
        '/console/buckets/hostile',
      ]);
    });
  });

  test('shows hostile names unchanged: in a list, in the palette, before a deletion, after a change', async (t) => {
    await desk.see(t, {}, async (page) => {
      await openWatched(page, desk.region, `/console/resources/cloudapi${made.datacenter}?tab=servers`);
      for (const name of [markup, names[2], names[3]]) await page.getByRole('link', { name }).first().waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Pages' }).fill('<script>');
      await page.getByRole('option').filter({ hasText: markup }).first().waitFor();
      await assertHarmless(page, 'the palette');
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: markup }).first().click();
      await page.waitForURL('**/servers/*'); // the datacenter has the same name
      await page.getByRole('heading', { name: markup }).waitFor();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByText('This also deletes').waitFor();
      await assertHarmless(page, 'the deletion');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(`${markup}${'n'.repeat(100)}`);
      await page.getByRole('button', { name: 'Save' }).click();
      await page
        .getByRole('status')
        .filter({ hasText: `${markup}n` })
        .first()
        .waitFor();
      await assertHarmless(page, 'the message');
      await untilHolds(page, `document.querySelector('h1')?.textContent.includes('<script>hostile(1)</script>')`);
    });
  });
});
