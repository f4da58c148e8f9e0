// The API pages in a real browser: found, searched and tried as a person does it, without a word to another origin and
// without an error on the console. CUMULET_SHOTS=<folder> keeps pictures of them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Desk } from '../console/window.ts';

suite('the API pages in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  for (const colorScheme of ['light', 'dark'] as const) {
    const whose = colorScheme === 'light' ? 'every service has its' : 'a service has its';
    test(`[GEN-08] ${whose} operations on its page (${colorScheme})`, async (t) => {
      await desk.see(t, { colorScheme }, async (page) => {
        await page.goto(`${desk.region.url}/docs`);
        await picture(page, `index-${colorScheme}`);
        const services = await page.locator('.card').count();
        assert.ok(services >= 5);
        for (let at = 0; at < (colorScheme === 'light' ? services : 1); at++) {
          await page.goto(`${desk.region.url}/docs`);
          const card = page.locator('.card').nth(at);
          const told = Number.parseInt((await card.locator('summary').textContent()) ?? '', 10);
          await card.locator('h2 a').click();
          // Of many operations only those that are in the window are drawn.
          const drawn = page.locator('.opblock');
          await drawn.nth(told > 100 ? 3 : told - 1).waitFor();
          assert.equal(await page.locator('#found').textContent(), `${told} operations`);
          if (told <= 100) assert.equal(await drawn.count(), told);
          else await assertSearched(page, new URL(page.url()).pathname.slice(6));
          await picture(page, `${new URL(page.url()).pathname.slice(6)}-${colorScheme}`);
        }
        const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        const isDark = Number(/\d+/.exec(String(ground))?.[0]) < 100;
        assert.equal(isDark, colorScheme === 'dark', String(ground));
      });
    });
  }

  test('[GEN-08] search on the list of services leads to the operation itself', async (t) => {
    await desk.see(t, {}, async (page) => {
      await page.goto(`${desk.region.url}/docs`);
      await page.keyboard.press('/');
      await page.keyboard.type('datacenter_create');
      await page.getByText('1 found').waitFor();
      await picture(page, 'index-search');
      await page.locator('.operations a:visible').click();
      await page.locator('#operations-datacenter-datacenter_create.is-open .execute').waitFor();
    });
  });

  test('[GEN-08] a token pasted once tries operations, examples as they stand, until the tab is closed', async (t) => {
    await desk.see(t, {}, async (page) => {
      await page.goto(`${desk.region.url}/docs`);
      await page.getByRole('link', { name: 'Core infrastructure' }).click();
      await page.getByText('./cumulet token generate').waitFor();
      await page.getByLabel('Token').fill(desk.region.token);
      await page.keyboard.press('Enter');
      await page.getByText(`owner of contract ${desk.region.contract}`).waitFor();
      await page.getByRole('searchbox').fill('datacenter_list');
      await page.getByText('1 found').waitFor();
      await page.locator('#operations-lan-lan_list').waitFor({ state: 'detached' });
      assert.equal(await page.locator('.opblock').count(), 1);
      assert.equal(await tried(page, 'datacenter_list'), '200');
      await picture(page, 'tried');
      await page.getByRole('searchbox').fill('datacenter_create');
      assert.equal(await tried(page, 'datacenter_create'), '202');
      assert.equal(new URL(page.url()).hash, '#/datacenter/datacenter_create');
      await page.reload();
      await page.getByText(`owner of contract ${desk.region.contract}`).waitFor();
      assert.equal(await page.evaluate('JSON.stringify(localStorage)'), '{}');
      await page.getByRole('button', { name: 'Forget' }).click();
      await page.getByText('./cumulet token generate').waitFor();
      assert.equal(await page.evaluate('sessionStorage.length'), 0);
    });
  });

  test('keys alone are enough, and a narrow window shows everything', async (t) => {
    await desk.see(t, { viewport: { width: 390, height: 800 } }, async (page) => {
      for (const path of ['/docs', '/docs/cloudapi']) {
        await page.goto(desk.region.url + path);
        if (path !== '/docs') await page.locator('.opblock').first().waitFor();
        await picture(page, `narrow${path.replaceAll('/', '-')}`);
        const [wide, window] = (await page.evaluate('[document.body.scrollWidth, innerWidth]')) as [number, number];
        assert.ok(wide <= window, `${path} is ${wide} wide in a window of ${window}`);
        await page.keyboard.press('Tab');
        assert.equal(await page.evaluate('document.activeElement.textContent'), 'To the content');
      }
      await page.getByRole('searchbox').focus();
      await page.keyboard.type('info_get');
      await page.locator('#operations-info-info_get .opblock-summary-control').focus();
      await page.keyboard.press('Enter');
      await page.locator('#operations-info-info_get.is-open .execute').waitFor();
    });
  });
});

// Opens an operation, presses Execute and tells the status of the region's answer.
async function tried(page: Page, operation: string): Promise<string> {
  const block = page.locator(`#operations-datacenter-${operation}`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('.execute').click();
  const status = block.locator('.live-responses-table .response-col_status').last();
  await status.waitFor();
  return ((await status.textContent()) ?? '').slice(0, 3);
}

// In services that are not drawn as a whole, one operation of each.
const sought: Record<string, string> = {
  cloudapi: 'natgateway_flowlog_list',
  monitoring: 'alertchannel_secret_replace',
};

async function assertSearched(page: Page, service: string): Promise<void> {
  const operation = sought[service];
  assert.ok(operation, `${service} has become large: name an operation of it to search for`);
  await page.getByRole('searchbox').fill(operation.replaceAll('_', ' '));
  await page.getByText('1 found').waitFor();
  await page.locator(`[id$=${operation}]`).first().waitFor();
  await page.getByRole('searchbox').fill('');
  await page.getByText(/^\d{3} operations$/).waitFor();
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.CUMULET_SHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}
