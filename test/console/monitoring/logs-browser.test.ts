// Log search in a real browser, by words, fields, time and keyboard.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { secondsOf } from '../../harness/alerts.ts';
import { addLogPipeline, type LogPipeline, post, stream } from '../../harness/logs.ts';
import { assertAccessible } from '../harness/accessible.ts';
import {
  assertReadable,
  copied,
  Desk,
  goTo,
  inLooks,
  looksOf,
  picture,
  refusedCall,
  savedBy,
  signInBy,
  untilEqual,
  untilHolds,
  watchCopies,
} from '../harness/window.ts';

const desk = new Desk();
let shop: LogPipeline;
let unused: LogPipeline;
const hostile = `<img src=x onerror=alert(1)> \u202Egnirts ${'w'.repeat(4096)}`;

// Within the hour that is shown first, for tests of any duration.
const record = (atS: number, at: number): object => {
  const isBroken = at >= 300 && at < 340;
  return {
    date: atS - 2400 + at * 5,
    level: isBroken ? 'error' : 'info',
    message: isBroken ? `connection refused by db-${at % 2}` : `GET /item/${at}`,
    status: isBroken ? 503 : 200,
  };
};

suite('log search in a browser', () => {
  before(async () => {
    await desk.open();
    if (!desk.isOpen) return;
    const { region } = desk;
    const at = '/de-fra/logging/pipelines';
    shop = await addLogPipeline(region, [stream('web'), stream('job')], { at, name: 'shop' });
    unused = await addLogPipeline(region, [stream('web')], { at, name: 'unused' });
    const nowS = Math.floor(await secondsOf(region));
    const records = Array.from({ length: 450 }, (_, index) => record(nowS, index));
    assert.equal((await post(region, shop, '/web', records)).status, 200);
    assert.equal((await post(region, shop, '/job', { level: 'warn', message: hostile })).status, 200);
  });
  after(() => desk.close());

  const lines = (page: Page): Locator => page.locator('.logs-row');
  const searched = (page: Page): Locator => page.getByRole('textbox', { name: /Words|LogQL/ });
  // A mouse over the bars would read one of them instead.
  const counted = async (page: Page, text: string): Promise<void> => {
    await page.mouse.move(0, 0);
    await page.locator('.logs-totals').getByText(text).waitFor();
  };

  test('[LOG-06] lines are found by words, level and fields, and a link shows the same lines', async (t) => {
    await desk.see(t, {}, async (page) => {
      await watchCopies(page);
      await signInBy(page, desk.region, desk.region.owner);
      await goTo(page, 'Logs');
      await page.getByRole('heading', { name: 'Logs de-fra' }).waitFor();
      await counted(page, '451 lines');
      assert.match(await lines(page).first().innerText(), /<img src=x onerror/, 'markup is text');
      assert.ok((await lines(page).count()) < 80, 'only what is in sight is drawn');
      await picture(page, 'logs');

      await page.keyboard.press('/');
      await page.keyboard.type('REFUSED -db-1');
      await page.keyboard.press('Enter');
      await counted(page, '20 lines');
      await lines(page)
        .first()
        .getByText(/connection refused by db-0 status=503/)
        .waitFor();
      await page.getByRole('button', { name: 'Remove' }).waitFor({ state: 'detached' });

      await searched(page).fill('');
      await page.keyboard.press('Enter');
      await counted(page, '451 lines');
      await page.getByRole('button', { name: 'Show only error: 40 lines' }).click();
      await counted(page, '40 lines');
      await page.getByRole('button', { name: /^status/ }).click();
      await page.getByRole('button', { name: 'Without status 503' }).click();
      await page.getByText('No lines found').waitFor();
      await page.getByRole('button', { name: 'Remove filter status 503' }).click();
      await counted(page, '40 lines');

      await page.getByRole('button', { name: 'Copy link' }).click();
      await page.getByText('Link copied.').waitFor();
      await page.goto(await copied(page));
      await counted(page, '40 lines');
      await untilHolds(page, '/from=\\d+/.test(location.search)');
    });
  });

  test('[LOG-06] LogQL is accepted, its errors are marked, and counts are drawn', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, `/console/logging/de-fra?pipeline=${shop.id}&words=refused`);
      await counted(page, '40 lines');
      await page.getByRole('button', { name: 'LogQL' }).click();
      await untilEqual(() => searched(page).inputValue(), '{tag=~".+"} |~ "(?i)refused"');
      await searched(page).fill('{tag="web"} |= error');
      await page.keyboard.press('Enter');
      await page.locator('.place mark').getByText('error').waitFor();
      await searched(page).fill('sum by (level) (count_over_time({tag="web"} | json [5m]))');
      await page.keyboard.press('Enter');
      await page.locator('.legend').getByText('error').waitFor();
    });
  });

  test('[LOG-06] keys move through the lines, open one, and show the surrounding lines', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, `/console/logging/de-fra?pipeline=${shop.id}&words=refused`);
      await counted(page, '40 lines');
      for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
      await page.locator('.logs-row.active .logs-details').getByText('503', { exact: true }).waitFor();
      await picture(page, 'logs-line');
      await page.keyboard.press('c');
      const around = page.getByRole('dialog').getByRole('list', { name: 'Surrounding lines' });
      await around.getByText('GET /item/340').waitFor();
      await page.getByRole('button', { name: 'Later lines' }).click();
      await around.getByText('GET /item/355').waitFor();
      await page.keyboard.press('Escape');
      // Scrolling to the end loads older lines.
      await page.goto(`${desk.region.url}/console/logging/de-fra?pipeline=${shop.id}`);
      await counted(page, '451 lines');
      await untilHolds(
        page,
        `(() => {
          const box = document.querySelector('.logs-lines');
          box.scrollTop = box.scrollHeight;
          return box.textContent.includes('No older lines');
        })()`,
      );
      await lines(page)
        .getByText(/GET \/item\/0 /)
        .waitFor();
    });
  });

  test('[LOG-06] new lines are followed, and all lines are saved as a file', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, `/console/logging/de-fra?pipeline=${shop.id}&words=fresh`);
      await page.getByText('No lines found').waitFor();
      await page.getByRole('button', { name: 'Live' }).click();
      assert.equal((await post(desk.region, shop, '/web', { level: 'info', message: 'a fresh line' })).status, 200);
      await lines(page).getByText('a fresh line').waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.goto(`${desk.region.url}/console/logging/de-fra?pipeline=${shop.id}&words=refused`);
      await counted(page, '40 lines');
      await page.getByRole('button', { name: 'Save lines' }).click();
      const file = await savedBy(page, () => page.getByRole('dialog').getByRole('button', { name: 'Save' }).click());
      assert.equal(file.name, 'shop.ndjson');
      const records = file.content.toString().trim().split('\n');
      assert.equal(records.length, 40);
      assert.match(records[0] ?? '', /^\{"time":"[^"]+Z","labels":\{.*"tag":"web"\},"line":"\{.*refused by db-1/);
    });
  });

  test('a pipeline without lines shows how to send some', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, `/console/logging/de-fra?pipeline=${unused.id}`);
      const curl = await page.getByRole('textbox', { name: 'Try with curl' }).inputValue();
      assert.ok(curl.includes(`${desk.region.url}${unused.path}/web`), curl);
      await page.getByLabel('Pipeline').selectOption('Central logging (off)');
      await page.getByRole('button', { name: 'Switch on' }).click();
      await page.getByText('Central logging is on.').waitFor();
    });
  });

  test('a late answer that a pipeline is empty does not appear on another pipeline', async (t) => {
    await desk.see(t, {}, async (page) => {
      const held = Promise.withResolvers<void>();
      const labelsCall = `**/pipelines/${unused.id}/loki/api/v1/labels`;
      await page.route(labelsCall, async (route) => {
        await held.promise;
        await route.continue();
      });
      await signInBy(page, desk.region, desk.region.owner, `/console/logging/de-fra?pipeline=${unused.id}`);
      await page.getByText('No lines found').waitFor();
      await page.getByLabel('Pipeline').selectOption('shop');
      await counted(page, 'lines');
      const answered = page.waitForResponse(labelsCall);
      held.resolve();
      await (await answered).finished();
      await page.evaluate('new Promise(requestAnimationFrame)');
      assert.ok(await lines(page).first().isVisible());
    });
  });

  test('[LOG-06] log search is readable in light and dark, in wide and narrow windows', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, `/console/logging/de-fra?pipeline=${shop.id}&wrap=1`);
      await lines(page).first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.locator('.logs-details').waitFor();
      await inLooks(page, looksOf(1440, 390), async (look) => {
        await picture(page, `logs-${look}`);
        await assertReadable(page, look);
        await assertAccessible(page, look);
      });
    });
  });
});
