// Pictures of the console in a real browser: the diagram of a datacenter with a packet's way, lists and pages of
// servers, the screen of a server, and the tab of an auto scaling group.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addGroup, advance, setTotal, untilSettled } from '../../harness/autoscaling.ts';
import { addDatacenter, disk, done, publicLan } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region } from '../../harness/region.ts';
import { assertAccessible } from '../harness/accessible.ts';
import {
  assertReadable,
  copied,
  Desk,
  inLooks,
  looksOf,
  picture,
  row,
  signInBy,
  untilEqual,
  untilHolds,
  untilTrue,
  watchCopies,
} from '../harness/window.ts';

const hostile = `<img src=x onerror=alert(1)> \u202e${'w'.repeat(200)}`;

interface Shop {
  path: string; // of the datacenter
  page: string; // its page in the console
}

// A front server with a firewall that accepts HTTPS, and a server behind it.
async function addShop(region: Region): Promise<Shop> {
  const path = await addDatacenter(region);
  const front = await publicLan(region, path);
  const back = Number((await createDone(region, `${path}/lans`, { properties: { name: 'back' } })).id);
  const https = { protocol: 'TCP', name: 'https', portRangeStart: 443, portRangeEnd: 443 };
  const booting = { ...disk, imageAlias: 'debian:latest', imagePassword: 'Secret12345' };
  const add = (name: string, nics: object[]) =>
    createDone(region, `${path}/servers`, {
      properties: { name, cores: 2, ram: 4096 },
      entities: { volumes: { items: [{ properties: { ...booting, name: 'disk' } }] }, nics: { items: nics } },
    });
  await add('web', [
    {
      properties: { name: 'eth0', lan: front, firewallActive: true },
      entities: { firewallrules: { items: [{ properties: https }] } },
    },
    { properties: { name: 'eth1', lan: back } },
  ]);
  await add(hostile, [{ properties: { name: 'eth0', lan: back } }]);
  return { path, page: `/console/resources/cloudapi${path.slice(core.length)}` };
}

// Tabs that extend beyond the row or wrap below it.
const strayTabs = (page: Page): Promise<number> =>
  page.evaluate(`{
    const row = document.querySelector('.tabs').getBoundingClientRect();
    const tabs = [...document.querySelectorAll('.tabs > a:not(.left)')].map((one) => one.getBoundingClientRect());
    tabs.filter(({ right, bottom }) => right > row.right || bottom > row.bottom || row.height > 50).length;
  }`);

const transformOf = (page: Page): Promise<string> =>
  page.evaluate('document.querySelector(".dc-picture > g").getAttribute("transform")');

async function trace(page: Page, port: string): Promise<void> {
  await page.getByLabel('Port').fill(port);
  await page.getByRole('button', { name: 'Trace' }).click();
}

suite('pictures in a browser', () => {
  const desk = new Desk();
  let made: Promise<Shop> | undefined;
  const openShop = async (page: Page): Promise<void> => {
    made ??= addShop(desk.region);
    await signInBy(page, desk.region, desk.region.owner, (await made).page);
  };
  before(() => desk.open());
  after(() => desk.close());

  test('servers have addresses, an image, one state and a menu in their list, and their volumes name them', async (t) => {
    if (!desk.isOpen) return t.skip('no browser');
    const shop = await addShop(desk.region);
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, `${shop.page}/servers`);
      const web = row(page, '198.1');
      await web.getByText(/^Debian-/).waitFor();
      assert.equal(await web.locator('.badge').count(), 1);
      await inLooks(page, looksOf(1280, 390), async (look) => {
        await assertAccessible(page, `servers, ${look}`);
        await assertReadable(page, `servers, ${look}`);
        await picture(page, `servers-${look}`);
      });
      await page.setViewportSize({ width: 1280, height: 900 });
      await web.press('ArrowRight');
      await page.getByRole('menuitem', { name: 'Snapshot' }).waitFor();
      await picture(page, 'row-menu');
      await assertAccessible(page, 'the menu of a row');
      await page.keyboard.press('Escape');
      await untilEqual(() => page.evaluate('document.activeElement?.dataset.at'), '0', 'the focus in the list');

      await page.getByRole('button', { name: 'Name' }).click();
      await page.getByRole('button', { name: 'Name' }).click();
      await page.getByRole('searchbox').fill('we');
      const inAddress = (): Promise<unknown> => page.evaluate('location.search');
      await untilEqual(inAddress, '?sort=-name&filter=we');
      await page.reload();
      await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort="descending"]')).waitFor();
      await web.getByRole('link', { name: 'web', exact: true }).click();
      await page.getByRole('heading', { name: 'web', exact: true }).waitFor();
      await page.goBack();
      await untilEqual(() => page.getByRole('searchbox').inputValue(), 'we');

      await page.getByRole('searchbox').fill('');
      await page.getByRole('checkbox', { name: 'Select all rows' }).check();
      await page.getByRole('toolbar').getByRole('button', { name: 'Stop', exact: true }).click();
      await page.getByRole('dialog', { name: 'Stop 2 servers?' }).getByRole('button', { name: 'Stop' }).click();
      await untilEqual(() => page.getByRole('grid').getByText('Off', { exact: true }).count(), 2);
      await page.goto(`${desk.region.url}${shop.page}/volumes`);
      await page.getByRole('grid').getByRole('link', { name: 'web', exact: true }).click();
      await page.getByRole('heading', { name: 'web', exact: true }).waitFor();
    });
  });

  test('the page of a server begins with its addresses, size and price, and its actions', async (t) => {
    if (!desk.isOpen) return t.skip('no browser');
    const shop = await addShop(desk.region);
    await desk.see(t, {}, async (page) => {
      await watchCopies(page);
      await signInBy(page, desk.region, desk.region.owner, `${shop.page}/servers`);
      await page.getByRole('link', { name: 'web', exact: true }).click();
      const head = page.locator('.head-facts');
      await head.getByText('2 cores · 4 GB RAM').waitFor();
      await head.getByText('EUR a month').waitFor();
      await head.getByRole('link', { name: /^Debian-/ }).waitFor();
      await head.getByRole('link', { name: 'Switch on metrics' }).waitFor();
      const address = head.getByText(/^198\.1/);
      const text = (await address.innerText()).trim();
      await head.getByRole('button', { name: `Copy ${text}` }).click();
      await untilEqual(() => copied(page), text);
      await inLooks(page, looksOf(1280, 390), async (look) => {
        await assertAccessible(page, `a server, ${look}`);
        await assertReadable(page, `a server, ${look}`);
        await picture(page, `server-${look}`);
      });
      await page.getByRole('button', { name: 'Snapshot', exact: true }).click();
      await page.getByRole('dialog', { name: 'Create snapshot: boot volume of web' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
      await head.getByText('Off', { exact: true }).waitFor();
      await page.getByRole('button', { name: /^Terminal\. The server is not running/ }).waitFor();
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await head.getByText('Running', { exact: true }).waitFor();
    });
  });

  test('a datacenter is drawn with the way of a packet and the rule that decides', async (t) => {
    await desk.see(t, {}, async (page) => {
      await openShop(page);
      const web = page.getByRole('link', { name: /^web\s*2 cores · 4 GB$/ });
      await web.waitFor();
      const described = (await web.getAttribute('aria-description')) ?? '';
      assert.match(
        described,
        /^Server web; State: running; Size: 2 cores, 4 GB of RAM;.* firewall on \(ingress\), 1 rule/,
      );
      const nodes = (): Promise<number> => page.locator('.dc-node').count();
      await untilEqual(nodes, 5, 'the internet, two LANs and two servers');
      await picture(page, 'diagram');
      await assertReadable(page, 'the diagram');

      await page.getByLabel('To', { exact: true }).selectOption({ label: await optionOf(page, /^web · eth0/) });
      await trace(page, '443');
      await page.getByText('Yes, it gets there.').waitFor();
      await untilEqual(() => page.locator('.dc-edge.passed').count(), 2, 'internet, LAN, server');
      await picture(page, 'diagram-passed');
      await assertReadable(page, 'a way');
      const rule = page.getByRole('link', { name: 'Firewall rule https' });
      assert.match((await rule.getAttribute('href')) ?? '', /\/nics\/[^/]+\/firewallrules\/[^/]+$/);

      await trace(page, '22');
      await page.getByText('No, it is stopped.').waitFor();
      await page.getByText('The firewall is on, and none of its rules accepts the packet.').waitFor();
      await untilEqual(() => page.locator('.dc-node.stopped').count(), 1);
      await picture(page, 'diagram-stopped');

      await page.getByRole('button', { name: 'From: pick in the diagram' }).click();
      await page.getByRole('link', { name: /^<img .*2 cores/ }).click();
      const from = page.getByLabel('From', { exact: true });
      await untilTrue('the server was picked', async () =>
        /^<img .* · eth0 · 10\./.test((await from.locator('option:checked').textContent()) ?? ''),
      );

      await rule.waitFor({ state: 'detached' });
      await web.click();
      await page.getByRole('heading', { name: 'web', exact: true, level: 1 }).waitFor();
      await desk.region.call('PUT', '/lab/clock', { advanceMs: 3000 }); // until it has booted
      await page.getByRole('link', { name: 'Screen' }).click();
      await page
        .getByRole('log', { name: 'Screen of web' })
        .getByText(/web login:/)
        .waitFor();
      await picture(page, 'screen');
      await assertReadable(page, 'the screen');
    });
  });

  test('keys move and zoom the diagram and follow its links; the list has the same content', async (t) => {
    const small = { viewport: { width: 390, height: 800 }, colorScheme: 'dark' } as const;
    await desk.see(t, small, async (page) => {
      await openShop(page);
      const diagram = page.getByRole('group', { name: /^Diagram of/ });
      await diagram.focus();
      const fitted = await transformOf(page);
      assert.match(fitted, /scale\((?:0\.[7-9]|1)/, 'names can be read');
      await page.keyboard.press('+');
      await page.keyboard.press('ArrowLeft');
      await untilTrue('it has moved', async () => (await transformOf(page)) !== fitted);
      await page.keyboard.press('0');
      await untilEqual(() => transformOf(page), fitted);
      await picture(page, 'diagram-small');
      await assertReadable(page, 'the diagram on a telephone');
      await page.getByRole('button', { name: 'As list' }).click();
      const row = page.getByRole('row').filter({ hasText: 'web' });
      await row.getByText('firewall on (ingress), 1 rule').waitFor();
      await picture(page, 'diagram-list');
      await assertReadable(page, 'the list');
      await page.getByRole('button', { name: 'As list' }).click();
      await page.getByRole('link', { name: /^LAN 1\s*public/ }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('Ipv4 cidr block').or(page.getByText('IPv4 CIDR block')).first().waitFor();
    });
  });

  test('the views of a datacenter are one row with a menu for the rest, which keys can open', async (t) => {
    await desk.see(t, { viewport: { width: 1440, height: 900 } }, async (page) => {
      await openShop(page);
      const views = page.getByRole('navigation', { name: 'Views of Datacenter' });
      await views.waitFor();
      await untilEqual(() => strayTabs(page), 0);
      await page.setViewportSize({ width: 1100, height: 900 });
      const more = views.getByRole('button', { name: 'More' });
      await more.focus();
      await page.keyboard.press('Enter');
      await picture(page, 'tabs-menu');
      await assertAccessible(page, 'the menu of views');
      await page.keyboard.press('Escape');
      await untilEqual(() => views.getByRole('menuitem').count(), 0);
      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowUp'); // to the last
      await page.keyboard.press('Enter');
      await page.waitForURL('**?tab=json');
      await views.locator('[aria-current]:visible').getByText('JSON').waitFor();
      await untilEqual(() => strayTabs(page), 0);
    });
  });

  test('resources created by others appear in the diagram', async (t) => {
    await desk.see(t, {}, async (page) => {
      const path = await addDatacenter(desk.region);
      await signInBy(page, desk.region, desk.region.owner, `/console/resources/cloudapi${path.slice(core.length)}`);
      await page.getByText('This datacenter is empty.').waitFor();
      await publicLan(desk.region, path);
      await page.getByRole('link', { name: /^LAN 1\s*public/ }).waitFor();
    });
  });

  test('an auto scaling group shows its actions and their reasons, and the metric with its thresholds', async (t) => {
    await desk.see(t, { viewport: { width: 1280, height: 1400 } }, async (page) => {
      const { region } = desk;
      const [central] = (await region.call('GET', '/de-txl/monitoring/central')).body.items;
      const at = `/de-txl/monitoring/central/${central?.id}`;
      assert.equal((await region.call('PUT', at, { properties: { enabled: true } })).status, 200);
      const group = await addGroup(region);
      await setTotal(region, group, { cpuPercent: 90 });
      const scaledOut = async (): Promise<boolean> => (await untilSettled(region, group.path)).length > 1;
      for (let minute = 0; !(await scaledOut()); minute++) {
        assert.ok(minute < 10, 'it never scales out');
        await advance(region, 1);
      }
      await signInBy(page, region, region.owner, `/console/resources/autoscaling/groups/${group.id}`);
      await page.getByText('Scale out: 1 → 2').waitFor();
      await page.getByText(/^CPU was [\d.]+ %, above 70 %$/).waitFor();
      await untilHolds(page, 'document.querySelectorAll(".chart canvas").length === 2');
      await picture(page, 'scaling');
      await assertReadable(page, 'the scaling of a group');
      await page.getByRole('table', { name: 'Replicas' }).getByRole('link', { name: /^web-/ }).first().click();
      await page.getByRole('heading', { name: /^web-/, level: 1 }).waitFor();
    });
  });

  test('a long list of servers is drawn immediately', {
    skip: !process.env.CUMULET_FULL && 'only with --full',
  }, async (t) => {
    await desk.see(t, {}, async (page) => {
      const path = await addDatacenter(desk.region);
      const add = (at: number) =>
        done(desk.region, 'POST', `${path}/servers`, {
          properties: { name: `node-${at}`, cores: 1, ram: 1024 },
          entities: { nics: { items: [{ properties: { lan: 1 + (at % 3) } }] } },
        });
      for (let at = 0; at < 200; at += 20) await Promise.all(Array.from({ length: 20 }, (_, more) => add(at + more)));
      await signInBy(page, desk.region, desk.region.owner);
      const began = performance.now();
      await page.goto(`${desk.region.url}/console/resources/cloudapi${path.slice(core.length)}`);
      await page.getByRole('link', { name: 'node-199' }).waitFor();
      t.diagnostic(`200 servers: ${Math.round(performance.now() - began)} ms from the address to the picture`);
      await picture(page, 'diagram-200');
    });
  });
});

async function optionOf(page: Page, form: RegExp): Promise<string> {
  const all = await page.getByLabel('To', { exact: true }).locator('option').allTextContents();
  const found = all.find((text) => form.test(text));
  assert.ok(found, `${form} is not among ${all.join(', ')}`);
  return found;
}
