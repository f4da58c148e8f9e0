// Things whose names, descriptions, labels and values want to break the page: markup, addresses of scripts, names of
// prototypes, writing from the right, one word without end, signs that are not to be seen. On every page nothing runs,
// no element is injected, no link leads to a script, nothing leaves its box, and names are told as they are.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Page } from 'playwright-core';
import { groups } from '../../console/sitemap.ts';
import { expressionUrl } from '../../console/urls.ts';
import { presign } from '../../src/testing/black-box/s3-signature.ts';
import { isFull } from '../../src/testing/seed.ts';
import { addLogPipeline, post, stream } from '../harness/logs.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region } from '../harness/region.ts';
import { follow } from './every-resource.ts';
import { type Hostile, hostileWorld, markup, probe } from './hostile-world.ts';
import { assertReadable, Desk, picture, refusedCall, signInBy, untilDrawn, untilEqual, untilHolds } from './window.ts';

const names = [
  markup,
  `\u202Egnirts \u2067\u2066 sdrawkcab`,
  'w'.repeat(255),
  '👩‍👩‍👧‍👦'.repeat(20),
  `a\u0007b\u001B[31mc\td\u2028e`,
] as const;
const description = `${markup} \u202E${'d'.repeat(3900)}`;

interface Landscape {
  datacenter: string; // the paths of things below their API
  server: string;
  nic: string;
  zone: string;
  pipeline: string;
}

async function landscapeOf(region: Region): Promise<Landscape> {
  const properties = { name: markup, description, location: 'de/txl' };
  const datacenter = `/datacenters/${(await createDone(region, `${core}/datacenters`, { properties })).id}`;
  const lan = await createDone(region, `${core}${datacenter}/lans`, { properties: { name: names[2], public: true } });
  const nics = { items: [{ properties: { name: names[1], lan: Number(lan.id) } }] };
  const volumes = { items: [{ properties: { name: names[2], type: 'HDD', size: 10, licenceType: 'LINUX' } }] };
  const made = await Promise.all(
    names.map((name) =>
      createDone(region, `${core}${datacenter}/servers`, {
        properties: { name, cores: 1, ram: 1024 },
        entities: { nics, volumes },
      }),
    ),
  );
  const server = `${datacenter}/servers/${made[0]?.id}`;
  const { body } = await region.call('GET', `${core}${server}/nics`);
  const nic = `${server}/nics/${body.items[0]?.id}`;
  const rule = { name: markup, protocol: 'TCP', portRangeStart: 80, portRangeEnd: 80 };
  await createDone(region, `${core}${nic}/firewallrules`, { properties: rule });
  for (const value of [markup, names[2]]) {
    const label = { properties: { key: value === markup ? 'markup' : 'k'.repeat(63), value } };
    assert.equal((await region.call('POST', `${core}${server}/labels`, label)).status, 201);
  }
  const zone = await region.call('POST', '/dns/zones', {
    properties: { zoneName: 'hostile.example.com', description },
  });
  assert.equal(zone.status, 202, JSON.stringify(zone.body));
  const record = { name: 'www', type: 'TXT', content: `${'t'.repeat(200)}<img src=x onerror=hostile(9)>` };
  assert.equal((await region.call('POST', `/dns/zones/${zone.body.id}/records`, { properties: record })).status, 202);
  const pipeline = await addLogPipeline(region, [stream('web')], {
    at: '/de-fra/logging/pipelines',
    name: '<img src=x onerror=>',
  });
  assert.equal((await post(region, pipeline, '/web', { level: markup, message: description })).status, 200);
  const client = s3Client(region, await makeStorageKey(region));
  await client.send(new CreateBucketCommand({ Bucket: 'hostile' }));
  for (const Key of [`${markup}/inside`, `${names[1]}.txt`, names[2], 'k'.repeat(900)])
    await client.send(new PutObjectCommand({ Bucket: 'hostile', Key, Body: description }));
  client.destroy();
  return { datacenter, server, nic, zone: `/zones/${zone.body.id}`, pipeline: `/pipelines/${pipeline.id}` };
}

// What runs calls this, and what the page's policy has kept from running is told.
const watched = `
  globalThis.ran = [];
  globalThis.hostile = (what) => ran.push('ran ' + what);
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    ran.push(['refused', violatedDirective, blockedURI, sample].join(' ')));
`;

// Markup that was taken for markup would be an element of these, and an address taken for a link would be one of those.
const harm = `(() => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  const injected = '${probe}, body script, iframe, object, embed, base, img[src="x"], [onerror], [onload], [onclick]';
  const found = [...document.querySelectorAll(injected)].map(({ outerHTML }) => outerHTML);
  for (const name of ['href', 'src', 'action', 'formaction', 'xlink:href', 'srcdoc', 'data'])
    for (const one of document.querySelectorAll('body [' + CSS.escape(name) + ']')) {
      const { protocol, origin } = new URL(one.getAttribute(name), location.href);
      const isOurs = origin === location.origin || one.getAttribute('rel')?.includes('noreferrer');
      if (!/^(https?|blob):$/.test(protocol) || !isOurs) found.push(one.outerHTML);
    }
  for (const one of document.querySelectorAll('[style*="hostile"], [style*="url("]')) found.push(one.outerHTML);
  const inherited = [];
  for (const name in {}) inherited.push('polluted ' + name);
  return [...found, ...ran, ...inherited].map((one) => String(one).slice(0, 300));
})()`;

suite('hostile names in a browser', () => {
  const desk = new Desk();
  let hostile: Hostile;
  let made: Landscape;
  before(async () => {
    await desk.open();
    if (!desk.isOpen) return;
    hostile = await hostileWorld(desk.region); // the first of each kind is of this
    made = await landscapeOf(desk.region);
  });
  after(() => desk.close());

  const assertInert = async (page: Page, where: string): Promise<void> =>
    assert.deepEqual(await page.evaluate(harm), [], where);

  const assertHarmless = async (page: Page, where: string): Promise<void> => {
    await assertInert(page, where);
    await assertReadable(page, where);
    await picture(page, `hostile-${where.replace(/\W+/g, '-').slice(-60)}`);
  };

  const at = (service: string, path: string): string => `/console/resources/${service}${path}`;
  const tabs = (url: string, ...more: string[]): string[] => [url, ...more.map((tab) => `${url}?tab=${tab}`)];

  const open = async (page: Page, path?: string): Promise<void> => {
    page.on('dialog', () => assert.fail('something ran'));
    await page.addInitScript(watched);
    await signInBy(page, desk.region, desk.region.owner, path);
  };

  const walk = async (page: Page, urls: readonly string[]): Promise<void> => {
    await open(page);
    for (const url of urls) {
      await follow(page, url);
      await assertHarmless(page, url);
    }
  };

  test('neither run nor leave their box in a narrow window', async (t) => {
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

  test('nor in a wide one', async (t) => {
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

  test('are told as they are: in a list, by the palette, before a deletion, and after a change', async (t) => {
    await desk.see(t, {}, async (page) => {
      await open(page, `/console/resources/cloudapi${made.datacenter}?tab=servers`);
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
      await page.getByRole('dialog').getByText('With it go').waitFor();
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

  suite('on every page', () => {
    const visit = async (page: Page, url: string): Promise<void> => {
      await follow(page, url);
      await assertInert(page, url);
    };

    // What can be done with a thing, and the question before it is deleted.
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
      await untilEqual(page, () => dialog.getByText('Looking for what is in it').count(), 0, url);
      await assertInert(page, `the deletion of ${url}`);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
    };

    test('of a resource: lists, forms, tabs, menus and questions', async (t) => {
      await desk.see(t, { expected: refusedCall }, async (page) => {
        assert.ok(hostile.kinds.length >= 38, `only these took a hostile text: ${hostile.kinds}`);
        await open(page);
        await page.evaluate(
          `document.body.append(Object.assign(document.createElement('a'), { href: 'javascript:1' }))`,
        );
        assert.deepEqual(await page.evaluate(harm), ['<a href="javascript:1"></a>'], 'what is harmful is found');
        await page.evaluate(`document.body.lastChild.remove()`);
        for (const { model, list, item, across } of hostile.addresses) {
          await visit(page, list);
          if (across !== undefined) await visit(page, across);
          if (model.create) await visit(page, `${list}/new`);
          if (item === undefined) continue;
          await visit(page, item);
          await askAround(page, item);
          const links = 'main nav.tabs > a[href*="?tab="]';
          for (const url of await page
            .locator(links)
            .evaluateAll((all) => all.map((one) => String(one.getAttribute('href')))))
            await visit(page, url);
          if (model.change) await visit(page, `${item}/edit`);
        }
      });
    });

    // What is shown when a person points at something, opens it or says something.
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

    // In whole runs of the suite openParts() waited for a minute for the address of the chart, which never came. Why is
    // not known, and alone it passes. So it is part of a full run only, until that is understood.
    const skip = isFull ? false : 'in a full run only (--full)';
    test('of all other pages of the console, with hostile addresses too', { skip }, async (t) => {
      await desk.see(t, { expected: refusedCall }, async (page) => {
        await open(page, '/console?next=//evil.example&next=javascript:hostile(8)');
        assert.equal(new URL(page.url()).origin, desk.region.url);
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

    test('of the origin of the console: an object that is a page does not run there', async (t) => {
      await desk.see(t, { expected: /sandboxed|Content Security Policy|Failed to load resource/ }, async (page) => {
        const { region } = desk;
        await open(page);
        const { accessKeyId, secretAccessKey } = await makeStorageKey(region);
        for (const key of ['page.html', 'x.svg']) {
          const asked = { method: 'GET', endpoint: region.url, bucket: hostile.bucket, key, query: {}, expiresS: 600 };
          const signer = { accessKey: accessKeyId, secretKey: secretAccessKey, region: 'eu-central-3' };
          await page.goto(presign(asked, signer, Date.now()));
          assert.match(await page.content(), /hostile\(7\)/, 'it is shown');
          assert.equal(await page.evaluate('globalThis.origin'), 'null');
          assert.doesNotMatch(String(await page.evaluate('ran')), /\bran\b/, key);
        }
      });
    });
  });
});
