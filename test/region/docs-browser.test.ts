// The API pages in a real browser: found, searched and tried as a person does it, without a word to another origin and
// without an error on the console. CUMULET_SHOTS=<folder> keeps pictures of them.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import {
  assertReadable,
  Desk,
  picture,
  refusedCall,
  signInBy,
  untilEqual,
  untilHolds,
} from '../console/harness/window.ts';
import { addPerson } from '../harness/people.ts';
import { stopwatch } from '../harness/slowness.ts';

suite('the API pages in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test('[GEN-08] every service has its operations on its page, readable in light and dark', async (t) => {
    await desk.see(t, {}, async (page) => {
      const isReadable = async (where: string, schemes: readonly ('light' | 'dark')[]): Promise<void> => {
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme });
          await picture(page, `docs-${where}-${colorScheme}`);
          await assertReadable(page, `${where}, ${colorScheme}`);
          const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
          const isDark = Number(/\d+/.exec(String(ground))?.[0]) < 100;
          assert.equal(isDark, colorScheme === 'dark', String(ground));
        }
      };
      await page.goto(`${desk.region.url}/docs`);
      await page.locator('#found', { hasText: /^\d{3} operations$/ }).waitFor();
      await isReadable('services', ['dark', 'light']);
      const links = await page.locator('.card h2 a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
      const counts = (await page.locator('.card summary').allTextContents()).map((text) => Number.parseInt(text, 10));
      assert.ok(links.length >= 5);
      for (const [at, link] of links.entries()) {
        if (at === 0) await page.locator('.card h2 a').first().click();
        else await page.goto(new URL(String(link), `${desk.region.url}/docs`).href);
        await page.locator('#found', { hasText: `${counts[at]} operations` }).waitFor();
        await untilEqual(() => page.locator('.operation:visible').count(), counts[at]);
        const service = new URL(page.url()).pathname.slice(6);
        await isReadable(service, at === 0 ? ['dark', 'light'] : ['light']);
      }
    });
  });

  test('the largest service takes page and region less than 300 ms of the processor', async (t) => {
    await desk.see(t, {}, async (page) => {
      const url = `${desk.region.url}/docs/cloudapi`;
      await page.goto(url); // the first visit bundles the page's script
      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      const pageMs = async (): Promise<number> => {
        const { metrics } = await session.send('Performance.getMetrics');
        return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
      };
      const [before, regionMs] = [await pageMs(), stopwatch(desk.region)];
      await page.goto(url);
      await page.locator('.operation').first().waitFor();
      const spent = { page: (await pageMs()) - before, region: regionMs() };
      t.diagnostic(JSON.stringify(spent));
      assert.ok(spent.page > 0 && spent.page + spent.region < 300, JSON.stringify(spent));
    });
  });

  test('without scripts the operations are there all the same', async (t) => {
    await desk.see(t, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${desk.region.url}/docs/cloudapi`);
      assert.equal(await page.locator('.operation').first().textContent(), 'GET /datacenters List datacenters');
    });
  });

  test('[GEN-08] search on the list of services leads to the operation itself', async (t) => {
    await desk.see(t, {}, async (page) => {
      await page.goto(`${desk.region.url}/docs`);
      await page.locator('#found', { hasText: /^\d{3} operations$/ }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('datacenter_create');
      await page.getByText('1 found').waitFor();
      await picture(page, 'docs-search');
      await page.locator('.operations a:visible').click();
      await operation(page, 'datacenter_create').getByRole('button', { name: 'Send' }).waitFor();
    });
  });

  test('a user of the console sends operations with the session; others are refused', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      await page.goto(`${region.url}/docs/cloudapi`);
      await page.getByRole('link', { name: 'Sign in' }).waitFor();
      assert.match(await tried(page, 'datacenter_list'), /^401/);
      const { basic } = await addPerson(region);
      await signInBy(page, region, basic);
      await page.goto(`${region.url}/docs/cloudapi#datacenter_list`);
      await page.getByText(`Calls use your session: ${basic.email}`).waitFor();
      assert.match(await sent(operation(page, 'datacenter_list')), /^200/);
      assert.match(await tried(page, 'datacenter_create'), /^403/, 'the rights are those of the user');
    });
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      await signInBy(page, region, region.owner);
      await page.goto(`${region.url}/docs/cloudapi`);
      await page.getByText(`owner of contract ${region.contract}`).waitFor();
      assert.match(await tried(page, 'datacenter_create'), /^202/);
      await picture(page, 'docs-tried');
      await assertReadable(page, 'an answer');
      const made = (await answerOf(operation(page, 'datacenter_create'))) as { id: string };
      assert.equal((await region.call('GET', `/cloudapi/v6/datacenters/${made.id}`)).status, 200);
      const id = operation(page, 'server_list').getByLabel('datacenterId (required)');
      await operation(page, 'server_list').locator('summary').first().click();
      assert.equal(await id.inputValue(), made.id, 'what was made is filled in');
      assert.match(await sent(operation(page, 'server_list')), /^200/);
      await operation(page, 'server_list').getByText('Command', { exact: true }).click();
      const command = await operation(page, 'server_list').getByRole('textbox', { name: 'curl command' }).inputValue();
      const address = `${region.url}/cloudapi/v6/datacenters/${made.id}/servers`;
      assert.equal(command, `curl -H "Authorization: Bearer $IONOS_TOKEN" '${address}'`);
    });
  });

  test('[GEN-08] a token pasted once sends operations with their unchanged examples, until the tab is closed', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      await page.goto(`${region.url}/docs`);
      await page.getByRole('link', { name: 'Core infrastructure' }).click();
      await page.getByText('./cumulet token generate').waitFor();
      await page.getByLabel('Token').fill(region.token);
      await page.keyboard.press('Enter');
      await page.getByText(`owner of contract ${region.contract}`).waitFor();
      await page.getByRole('searchbox').fill('datacenter_list');
      await untilEqual(() => page.locator('.operation:visible').count(), 1);
      assert.match(await tried(page, 'datacenter_list'), /^200/);
      await page.getByRole('searchbox').fill('datacenter_create');
      assert.match(await tried(page, 'datacenter_create'), /^202/);
      await untilHolds(page, "location.hash === '#datacenter_create'");
      await page.reload();
      await page.getByText(`owner of contract ${region.contract}`).waitFor();
      assert.equal(await page.evaluate('String(Object.keys(localStorage))'), 'page-key');
      await page.getByRole('button', { name: 'Forget' }).click();
      await page.getByText('./cumulet token generate').waitFor();
      assert.equal(await page.evaluate('sessionStorage.length'), 0);
    });
  });

  test('an answer is shown as text, whatever it is', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const name = '<img src=x onerror=document.title="broken"><b>&amp;';
      await region.call('POST', '/cloudapi/v6/datacenters', { properties: { name, location: 'de/txl' } });
      await signInBy(page, region, region.owner);
      await page.goto(`${region.url}/docs/cloudapi#datacenter_list`);
      const block = operation(page, 'datacenter_list');
      await block.getByLabel('depth').fill('1');
      assert.match(await sent(block), /^200/);
      await block.getByRole('region', { name: 'Response body' }).getByText('<img src=x').waitFor();
      assert.equal(await block.locator('.outcome img, .outcome b').count(), 0);
    });
  });

  test('keys alone are enough, and a narrow window shows everything', async (t) => {
    await desk.see(t, { viewport: { width: 390, height: 800 } }, async (page) => {
      for (const path of ['/docs', '/docs/cloudapi']) {
        await page.goto(desk.region.url + path);
        await page.locator('#found', { hasText: /^\d{3} operations$/ }).waitFor();
        await picture(page, `narrow${path.replaceAll('/', '-')}`);
        await assertReadable(page, `${path}, narrow`);
        await page.keyboard.press('Tab');
        await untilHolds(page, "document.activeElement.textContent === 'Skip to content'");
      }
      await page.getByRole('searchbox').focus();
      await page.keyboard.type('info_get');
      await operation(page, 'info_get').locator('summary').first().focus();
      await page.keyboard.press('Enter');
      await operation(page, 'info_get').getByRole('button', { name: 'Send' }).waitFor();
    });
  });
});

const operation = (page: Page, id: string): Locator => page.locator(`details#${id}`);

// Opens an operation, sends it unchanged, and returns the status of the region's answer.
async function tried(page: Page, id: string): Promise<string> {
  await operation(page, id).locator('summary').first().click();
  return sent(operation(page, id));
}

async function sent(block: Locator): Promise<string> {
  await block.getByRole('button', { name: 'Send' }).click();
  return (await block.locator('.status').textContent()) ?? '';
}

async function answerOf(block: Locator): Promise<unknown> {
  return JSON.parse((await block.getByRole('region', { name: 'Response body' }).textContent()) ?? '');
}
