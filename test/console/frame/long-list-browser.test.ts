// Tests that a list of 10,000 servers scrolls, filters and sorts without a stall, and that the initial download is
// small. Script time is CPU time, so it does not depend on other load.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { CDPSession, Page, Request } from 'playwright-core';
import { limits } from '../../../src/testing/limits.ts';
import { pause } from '../../../src/testing/waiting.ts';
import { Desk, refusedCall, signInBy } from '../harness/window.ts';

const count = 10_000;
const maxScriptMs = 50;

const serverAt = (at: number): object => ({
  id: `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`,
  type: 'server',
  href: '',
  metadata: { state: 'AVAILABLE' },
  properties: { name: `web-${at}`, type: 'ENTERPRISE', cores: (at % 8) + 1, ram: 4096, vmState: 'RUNNING' },
});

const servers = Array.from({ length: count }, (_, at) => serverAt(at));

// Mocked responses of the region, because the test measures only the page.
async function answerLists(page: Page): Promise<void> {
  await page.route('**/datacenters/D/servers?*', (route) => {
    const { searchParams } = new URL(route.request().url());
    const [offset, limit] = [Number(searchParams.get('offset')), Number(searchParams.get('limit'))];
    const word = searchParams.get('filter.name') ?? '';
    const found = servers.filter((one) => (one as { properties: { name: string } }).properties.name.includes(word));
    return route.fulfill({ json: { items: found.slice(offset, offset + limit) } });
  });
  await page.route('**/datacenters/D', (route) => route.fulfill({ json: { id: 'D', properties: { name: 'large' } } }));
}

const datacenters = 100;

async function answerAcross(page: Page): Promise<string[]> {
  const urls: string[] = [];
  const core = '/cloudapi/v6';
  const pathOf = (at: number): string => `${core}/datacenters/D${at % datacenters}`;
  const all = servers.map((one, at) => ({ ...one, href: `${pathOf(at)}/servers/${(one as { id: string }).id}` }));
  const within = Object.fromEntries(
    Array.from({ length: datacenters }, (_, at) => [pathOf(at), `datacenter ${at}`] as const),
  );
  await page.route('**/console/across/datacenters/-/servers?*', (route) => {
    const { searchParams } = new URL(route.request().url());
    urls.push(route.request().url());
    const [offset, limit] = [Number(searchParams.get('offset')), Number(searchParams.get('limit'))];
    const word = searchParams.get('filter.name') ?? '';
    const found = all.filter((one) => (one as { properties?: { name: string } }).properties?.name.includes(word));
    return route.fulfill({ json: { items: found.slice(offset, offset + limit), within } });
  });
  await page.route(`**${core}/datacenters/D*/**`, (route) => route.fulfill({ json: all[9999] }));
  return urls;
}

// No event stream, because each change reloads the list and would add calls and time.
async function withoutChanges(page: Page): Promise<void> {
  await page.route('**/console/events', (route) => route.fulfill({ status: 204 }));
}

// Checks in each frame within the page, because calls from outside would count as script time.
async function rowsAre(page: Page, wanted: string): Promise<void> {
  const isSo = await page.evaluate(`new Promise((resolve) => {
    const until = performance.now() + ${limits.page};
    const look = () => {
      const isSo = Number(document.querySelector('.long-table')?.ariaRowCount) ${wanted};
      if (isSo || performance.now() > until) resolve(isSo);
      else requestAnimationFrame(look);
    };
    look();
  })`);
  assert.ok(isSo, `the rows never are ${wanted}`);
}

async function scriptMs(session: CDPSession, work: () => Promise<unknown>): Promise<number> {
  const read = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0);
  };
  const before = await read();
  await work();
  return (await read()) - before;
}

suite('a long list', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test(`of ${count} servers scrolls, filters and sorts within ${maxScriptMs} ms of script each`, async (t) => {
    await desk.see(t, {}, async (page) => {
      await withoutChanges(page);
      await signInBy(page, desk.region, desk.region.owner);
      await answerLists(page);
      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      await page.goto(`${desk.region.url}/console/resources/cloudapi/datacenters/D/servers`);
      await page.getByRole('link', { name: 'web-0', exact: true }).waitFor();

      const end = 'document.querySelector(".long-box").scrollTop = 1e9';
      let slowest = 0;
      for (let known = 500; known < count; known += 500) {
        const spent = await scriptMs(session, async () => {
          await page.evaluate(end);
          await rowsAre(page, `> ${known + 1}`);
        });
        assert.ok(spent < maxScriptMs, `the page from ${known} on took ${spent.toFixed(1)} ms`);
        slowest = Math.max(slowest, spent);
      }
      await page.evaluate(end);
      await page.getByRole('link', { name: `web-${count - 1}`, exact: true }).waitFor();
      assert.ok((await page.locator('.long-row').count()) < 100, 'rows out of sight are in the page');

      const steps = [0, 90_000, 180_000, 270_000].map(
        (top) => `document.querySelector(".long-box").scrollTop = ${top}`,
      );
      for (const step of steps) {
        const spent = await scriptMs(session, async () => {
          await page.evaluate(step);
          await page.evaluate('new Promise(requestAnimationFrame)');
        });
        assert.ok(spent < maxScriptMs, `${step}: ${spent.toFixed(1)} ms`);
      }
      const sorting = await scriptMs(session, async () => {
        await page.getByRole('button', { name: 'Cores' }).click();
        await page.locator('[aria-sort="ascending"]').waitFor();
      });
      assert.ok(sorting < maxScriptMs, `sorting took ${sorting.toFixed(1)} ms`);
      const filtering = await scriptMs(session, async () => {
        await page.getByRole('searchbox').fill('99');
        await rowsAre(page, '< 1000');
      });
      assert.ok(filtering < maxScriptMs, `filtering took ${filtering.toFixed(1)} ms`);
      const durations = { 'the slowest page': slowest, sorting, filtering };
      for (const [what, ms] of Object.entries(durations)) t.diagnostic(`${what}: ${ms.toFixed(1)} ms`);
    });
  });

  test(`of ${count} servers in ${datacenters} datacenters asks for pages, and sorts by datacenter`, async (t) => {
    // The server that the test opens at the end does not exist.
    await desk.see(t, { expected: refusedCall }, async (page) => {
      await withoutChanges(page);
      await signInBy(page, desk.region, desk.region.owner, '/console/tokens'); // the overview also loads servers
      const urls = await answerAcross(page);
      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      await page.getByRole('navigation').getByRole('link', { name: 'Servers' }).click();
      await page.getByRole('link', { name: 'web-0', exact: true }).waitFor();
      assert.equal(urls.length, 1, 'one call for the first page');
      const navigation = page.getByRole('navigation', { name: 'Console' });
      assert.deepEqual(await navigation.locator('[aria-current]').allInnerTexts(), ['Servers']);
      const end = 'document.querySelector(".long-box").scrollTop = 1e9';
      const spent = await scriptMs(session, async () => {
        await page.evaluate(end);
        await rowsAre(page, '> 501');
      });
      assert.ok(spent < maxScriptMs, `the second page took ${spent.toFixed(1)} ms`);
      t.diagnostic(`the second page: ${spent.toFixed(1)} ms`);
      await page.getByRole('button', { name: 'Datacenter' }).click();
      await rowsAre(page, `=== ${count + 1}`);
      await page.getByRole('button', { name: 'Datacenter' }).click();
      await page.locator('[aria-sort="descending"]').waitFor();
      await page.evaluate(end.replace('1e9', '0'));
      await page
        .getByRole('link', { name: `datacenter ${datacenters - 1}` })
        .first()
        .waitFor();
      assert.equal(urls.length, count / 500, 'a call for each page');
      await page.getByRole('searchbox').fill('web-9999');
      await rowsAre(page, '=== 2'); // with its head
      await page.getByRole('row').filter({ hasText: 'web-9999' }).getByRole('link').first().click();
      await page.waitForURL(`**/datacenters/D${9999 % datacenters}/servers/*9999`);
    });
  });

  test('of a narrow window keeps the power of servers and the region of pipelines', async (t) => {
    await desk.see(t, { viewport: { width: 390, height: 800 } }, async (page) => {
      await signInBy(page, desk.region, desk.region.owner);
      await answerLists(page);
      await page.goto(`${desk.region.url}/console/resources/cloudapi/datacenters/D/servers`);
      const first = page.getByRole('row').filter({ hasText: 'web-0' }).first();
      await first.getByText('RUNNING').waitFor();
      assert.equal(await first.getByText('AVAILABLE').isVisible(), false);
      const resourceURN = 'ionos:logging:de/fra:1:pipelines/P';
      const pipeline = { id: 'P', metadata: { state: 'AVAILABLE', resourceURN }, properties: { name: 'access' } };
      await page.route('**/logging/pipelines?*', (route) => route.fulfill({ json: { items: [pipeline] } }));
      await page.goto(`${desk.region.url}/console/resources/logging/pipelines`);
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.getByRole('gridcell', { name: 'de-fra' }).waitFor();
    });
  });

  test('the sign-in page makes few small requests, and the overview requests nothing twice', async (t) => {
    await desk.see(t, { isFirst: true }, async (page) => {
      const requests: Request[] = [];
      page.on('request', (one) => requests.push(one));
      await page.goto(`${desk.region.url}/console`);
      await page.getByLabel('E-mail').fill(desk.region.owner.email);
      const sizes = await Promise.all(requests.map((one) => one.sizes()));
      const bytes = sizes.reduce((sum, one) => sum + one.responseBodySize, 0);
      t.diagnostic(`${sizes.length} requests, ${bytes} bytes`);
      assert.ok(sizes.length < 8 && bytes < 120_000, `${sizes.length} requests, ${bytes} bytes`);
      requests.length = 0;
      await page.getByLabel('Password').fill(desk.region.owner.password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await pause(1500); // a page loads its data again at the latest one second after a change is reported
      const times = /\d{4}-\d\d-\d\dT[^&]+/g;
      const urls = requests.map((one) => `${one.method()} ${one.url().replaceAll(times, '')}`);
      assert.deepEqual(urls, [...new Set(urls)]);
    });
  });
});
