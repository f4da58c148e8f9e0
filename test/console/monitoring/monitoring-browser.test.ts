// The dashboards in a real browser, from the first push to a dashboard; with mouse or keyboard, in light and dark, in
// wide and narrow windows.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { pass } from '../../harness/alerts.ts';
import { addDatacenter, addServer } from '../../harness/landscape.ts';
import { addLogPipeline, post, stream } from '../../harness/logs.ts';
import { provideBuckets } from '../../harness/objects.ts';
import { cumulet } from '../../harness/process.ts';
import {
  assertReadable,
  copied,
  Desk,
  inLooks,
  looksOf,
  picture,
  refusedCall,
  row,
  savedBy,
  signInBy,
  untilEqual,
  untilHolds,
  untilTrue,
  watchCopies,
} from '../harness/window.ts';
import { grafanaSample } from './grafana-sample.ts';
import {
  chooseMetric,
  drawnPixels,
  explorer,
  fill,
  isDrawn,
  lineRow,
  openDashboard,
  type PipelineView,
  panelMenu,
  pick,
  shownPipeline,
  tabTo,
  wholePicture,
  writeExpression,
} from './monitoring.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;

suite('dashboards in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  // Each test has its own pipeline and starts without a dashboard.
  const open = async (page: Page): Promise<PipelineView> => {
    const { region } = desk;
    const dashboards = '/de-txl/monitoring/dashboards';
    for (const { id } of (await region.call('GET', dashboards)).body.items)
      assert.equal((await region.call('DELETE', `${dashboards}/${id}`)).status, 202);
    const pipeline = await shownPipeline(region, 'de-txl');
    await fill(region, pipeline);
    await openDashboard(page, region, region.owner, `${pipeline.dashboard}&pipeline=${pipeline.id}`);
    return pipeline;
  };

  test('[METRIC-07] the address of a pipeline opens charts of pushed metrics with the right values', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const [empty, pipeline] = [await shownPipeline(region, 'de-fra'), await shownPipeline(region, 'de-fra')];
      await fill(region, pipeline);
      await openDashboard(page, region, region.owner, pipeline.dashboard);
      const chosen = page.getByLabel('Pipeline', { exact: true });
      await untilEqual(() => chosen.inputValue(), pipeline.id, 'the one with metrics');
      await page.getByLabel('Pipeline', { exact: true }).selectOption(empty.name);
      await page.getByText(`${empty.name} has no metrics yet.`).waitFor();
      await page.getByLabel('Pipeline', { exact: true }).selectOption(pipeline.name);
      const place = explorer(page);
      await lineRow(place, 'sum(rate(jobs_total[5m]))').getByText('8/s').first().waitFor();
      await isDrawn(place, 0);
      await picture(page, 'monitoring-chart');
      await chooseMetric(page, 'memory');
      await lineRow(place, '{host="a"}').getByText('1.5 MiB').first().waitFor();
      await isDrawn(place, 1);
      await chooseMetric(page, 'took_seconds');
      for (const name of ['p50', 'p90', 'p99']) await lineRow(place, name).waitFor();
      await lineRow(place, 'p50').getByText('500 ms').first().waitFor();
      await wholePicture(page, 'monitoring-histogram');
      await assertReadable(page, 'charts');
      await place.getByRole('button', { name: 'Remove expression' }).last().click();
      await lineRow(place, 'p99').waitFor({ state: 'detached' });
      await lineRow(place, 'p90').waitFor();
    });
  });

  test('metrics are found by name, type and help, and filtered and split by labels', async (t) => {
    await desk.see(t, {}, async (page) => {
      await open(page);
      const place = explorer(page);
      const metric = place.getByRole('combobox', { name: 'Metric' });
      await metric.fill('jobs');
      const option = page.getByRole('option', { name: 'jobs_total counter Jobs that ended.' });
      await option.waitFor();
      await picture(page, 'monitoring-metrics');
      await assertReadable(page, 'the list of metrics');
      await option.click();
      await place.getByLabel('Split by').selectOption('queue');
      await lineRow(place, '{queue="mail"}').getByText('4/s').first().waitFor();
      await place.getByRole('button', { name: 'Add filter' }).click();
      await place.getByLabel('Value', { exact: true }).fill('print');
      await page.keyboard.press('Enter');
      await lineRow(place, 'mail').waitFor({ state: 'detached' });
      const written = place.getByRole('textbox', { name: 'Expression' });
      const wanted = 'sum by (queue) (rate(jobs_total{queue="print"}[5m]))';
      await untilEqual(() => written.inputValue(), wanted);
      await picture(page, 'monitoring-filters');
      await assertReadable(page, 'filters');
    });
  });

  test('a syntax error in an expression is marked at its place', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      await open(page);
      const place = explorer(page);
      await writeExpression(page, 'sum(rate(jobs_total))');
      await place.locator('mark', { hasText: 'jobs_total' }).waitFor();
      await place.getByText('expected type range vector').waitFor();
      await picture(page, 'monitoring-wrong');
      await assertReadable(page, 'a wrong expression');
      await writeExpression(page, 'sum(jobs_total) by queue');
      await place.locator('mark', { hasText: 'queue' }).waitFor();
      await writeExpression(page, 'count(jobs_total)');
      await lineRow(place, 'count(jobs_total)').getByText('2', { exact: true }).first().waitFor();
      await untilEqual(() => place.locator('mark').count(), 0);
    });
  });

  test('a line can be hidden by its name, and values are shown at the cursor', async (t) => {
    await desk.see(t, { expected: /willReadFrequently/ }, async (page) => {
      await open(page);
      const place = explorer(page);
      await chooseMetric(page, 'memory_bytes');
      await lineRow(place, '{host="b"}').waitFor();
      await isDrawn(place, 1);
      const before = await drawnPixels(place, 1);
      await place.getByRole('button', { name: '{host="b"}' }).click();
      await untilTrue('the line is gone', async () => (await drawnPixels(place, 1)) < before / 10);
      await place.locator('.u-over').hover();
      await place.locator('.when', { hasNotText: 'Last' }).waitFor();
    });
  });

  test('dragging zooms, and buttons move through time and back', async (t) => {
    await desk.see(t, {}, async (page) => {
      await open(page);
      const place = explorer(page);
      const plot = place.locator('.u-over');
      await lineRow(place, 'jobs_total').waitFor();
      await isDrawn(place, 0);
      await plot.scrollIntoViewIfNeeded();
      const box = await plot.boundingBox();
      assert.ok(box);
      await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.75, box.y + 60, { steps: 5 });
      await page.mouse.up();
      await page.getByLabel('From', { exact: true }).waitFor();
      const seconds = (name: string): Promise<number> =>
        page
          .getByLabel(name, { exact: true })
          .inputValue()
          .then((text) => Date.parse(text) / 1000);
      const length = async (): Promise<number> => (await seconds('To')) - (await seconds('From'));
      const zoomed = await length();
      assert.ok(Math.abs(zoomed - 1800) < 30, `${zoomed} s are shown`);
      await lineRow(place, 'jobs_total').getByText('8/s').first().waitFor();
      await picture(page, 'monitoring-zoomed');
      await assertReadable(page, 'a chosen time');
      await page.getByRole('button', { name: 'Zoom out' }).click();
      await untilTrue('twice as long', async () => Math.abs((await length()) - 2 * zoomed) <= 2);
      const from = await seconds('From');
      await page.getByRole('button', { name: 'Earlier' }).click();
      await untilTrue('earlier', async () => (await seconds('From')) < from);
      for (let count = 0; count < 3; count++) await page.getByRole('button', { name: 'Back' }).click();
      await untilEqual(() => page.getByLabel('Time', { exact: true }).inputValue(), '3600');
      await untilTrue('no way back', () => page.getByRole('button', { name: 'Back' }).isDisabled());
      await page.getByLabel('Time', { exact: true }).selectOption('Last 15 minutes');
      await untilHolds(page, '/range=900/.test(location.search)');
    });
  });

  test('[METRIC-07] panels are stored as a dashboard, edited, exported, removed and imported', async (t) => {
    await desk.see(t, {}, async (page) => {
      await open(page);
      const place = explorer(page);
      await chooseMetric(page, 'memory_bytes');
      await lineRow(place, '{host="a"}').waitFor();
      await place.getByRole('button', { name: 'Add to dashboard' }).click();
      const tile = page.getByRole('article', { name: 'memory_bytes' });
      await lineRow(tile, '{host="a"}').getByText('1.5 MiB').first().waitFor();
      await chooseMetric(page, 'jobs_total');
      await place.getByLabel('Title').fill('Jobs');
      await place.getByRole('button', { name: 'Add to dashboard' }).click();
      await lineRow(page.getByRole('article', { name: 'Jobs' }), 'jobs_total').waitFor();
      await untilEqual(() => place.getByLabel('Title').inputValue(), '', 'the title is left for the next panel');
      await page.reload();
      await lineRow(tile, '{host="a"}').getByText('1.5 MiB').first().waitFor();
      await isDrawn(tile, 0, 100);
      await picture(page, 'monitoring-dashboard');
      await assertReadable(page, 'a dashboard');
      await pick(tile, panelMenu, 'As table');
      await tile.getByRole('columnheader', { name: 'At' }).waitFor();
      await pick(tile, panelMenu, 'Edit');
      await place.getByRole('textbox', { name: 'Expression' }).fill('sum(memory_bytes)');
      await place.getByLabel('Title').fill('Memory');
      await place.getByRole('button', { name: 'Save panel' }).click();
      const saved = page.getByRole('article', { name: 'Memory', exact: true });
      await pick(saved, panelMenu, 'As chart');
      await lineRow(saved, 'sum(memory_bytes)').waitFor();
      await tile.waitFor({ state: 'detached' });
      const titles = (): Promise<string[]> => page.getByRole('article').getByRole('heading').allTextContents();
      await untilEqual(titles, ['Memory', 'Jobs']);
      await pick(saved, panelMenu, 'Move or resize');
      await page.getByText('Arrow keys move the panel').waitFor({ state: 'attached' });
      for (let count = 0; count < 6; count++) await page.keyboard.press('Shift+ArrowRight');
      await page.getByText('12 columns wide').waitFor({ state: 'attached' });
      await page.keyboard.press('ArrowDown');
      await picture(page, 'monitoring-moving');
      await page.keyboard.press('Enter');
      await untilEqual(titles, ['Jobs', 'Memory']);
      await untilHolds(page, "document.activeElement.classList.contains('tile')");
      const box = async (): Promise<{ x: number; y: number; width: number }> => {
        const found = await saved.boundingBox();
        assert.ok(found);
        return found;
      };
      await saved.getByRole('heading').scrollIntoViewIfNeeded();
      const before = await box();
      await page.mouse.move(before.x + 40, before.y + 16);
      await page.mouse.down();
      await page.mouse.move(before.x + 40, before.y - 330, { steps: 4 });
      await page.mouse.up();
      await untilEqual(titles, ['Memory', 'Jobs']);
      await pick(saved, panelMenu, 'Duplicate');
      const copy = page.getByRole('article', { name: 'Memory (copy)' });
      await lineRow(copy, 'sum(memory_bytes)').waitFor();
      await pick(copy, panelMenu, 'Full screen');
      await lineRow(page.getByRole('dialog'), 'sum(memory_bytes)').waitFor();
      await page.keyboard.press('Escape');
      await pick(copy, panelMenu, 'View query in Explore');
      await untilEqual(() => place.getByRole('textbox', { name: 'Expression' }).inputValue(), 'sum(memory_bytes)');
      await pick(copy, panelMenu, 'Create alert');
      await page.getByRole('dialog').getByRole('heading').first().waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const file = await savedBy(page, () => pick(page, 'Dashboard', 'Export'));
      assert.equal(file.name, 'cumulet-dashboard-de-txl.json');
      assert.match(file.content.toString(), /"expression": "sum\(memory_bytes\)"/);
      for (const name of await titles()) {
        await pick(page.getByRole('article', { name, exact: true }), panelMenu, 'Remove');
        await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
        await page.getByRole('article', { name, exact: true }).waitFor({ state: 'detached' });
      }
      await page.getByText('There are no panels yet').waitFor();
      const panels = { name: file.name, mimeType: 'application/json', buffer: file.content };
      await page.getByLabel('Dashboard file').setInputFiles(panels);
      await lineRow(saved, 'sum(memory_bytes)').waitFor();
      await untilEqual(titles, ['Memory', 'Jobs', 'Memory (copy)']);
      await page
        .getByLabel('Dashboard file')
        .setInputFiles({ name: 'x', mimeType: 'text/plain', buffer: Buffer.from('{') });
      await page.getByText('The file is not valid JSON.').waitFor();
    });
  });

  test('a dashboard of Grafana is imported with its kinds of panels, variables and time range', async (t) => {
    await desk.see(t, {}, async (page) => {
      await open(page);
      await lineRow(explorer(page), 'jobs_total').waitFor();
      const logs = await addLogPipeline(desk.region, [stream('press')], { at: '/de-txl/logging/pipelines' });
      assert.equal((await post(desk.region, logs, '/press', { message: 'paper jam' })).status, 200);
      const buffer = Buffer.from(JSON.stringify(grafanaSample));
      await page.getByLabel('Dashboard file').setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer });
      await page.getByText('Print shop imported: 11 panels. 1 unsupported: geomap.').waitFor();
      await untilEqual(() => page.getByLabel('Time', { exact: true }).inputValue(), '10800');
      const tile = (name: string | RegExp) => page.getByRole('article', { name });
      await tile('Hosts of').getByText('2', { exact: true }).waitFor();
      await tile('Load').getByRole('meter', { name: 'Load' }).and(page.locator('[aria-valuetext="50.0 %"]')).waitFor();
      await tile('Memory').getByRole('meter', { name: 'a' }).and(page.locator('[aria-valuetext="1.5 MiB"]')).waitFor();
      await lineRow(tile(/^A very long title/), 'mail')
        .getByText('4/s')
        .waitFor();
      await tile('By host').getByRole('cell', { name: '1.5 MiB' }).first().waitFor();
      await tile('Where').getByText('Unsupported panel: geomap').waitFor();
      await tile('Lines').scrollIntoViewIfNeeded();
      await tile('Lines').getByText('paper jam').waitFor();
      await page.getByRole('button', { name: 'Host: All' }).click();
      await page.getByRole('checkbox', { name: 'b' }).check();
      await page.getByRole('button', { name: 'Host: b' }).press('Escape');
      await tile('Hosts of b').getByText('1', { exact: true }).waitFor();
      await page.getByLabel('queue').selectOption('mail');
      await lineRow(tile(/^A very long title/), 'print').waitFor({ state: 'detached' });
      await untilHolds(page, '/var-host=b&.*var-queue=mail/.test(location.search)');
      await page.getByRole('button', { name: 'Details', exact: true }).click();
      await tile('Durations').scrollIntoViewIfNeeded();
      await lineRow(tile('Durations'), 'p50').getByText('500 ms').waitFor();
      await page.reload();
      await tile('Hosts of b').getByText('1', { exact: true }).waitFor();
      await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
      await isDrawn(tile(/^A very long title/), 0, 50);
      await inLooks(page, looksOf(1280, 360), async (look) => {
        await wholePicture(page, `monitoring-grafana-${look}`);
        await assertReadable(page, `panels of all kinds, ${look}`);
      });
      await pick(page, 'Dashboard', 'Variables');
      await page.getByRole('button', { name: 'Add variable' }).click();
      const form = page.getByRole('dialog', { name: 'Add variable' });
      await form.getByLabel('Name').fill('paper');
      await form.getByLabel('Kind').selectOption('Custom values');
      await form.getByLabel('Query or values').fill('white, blue');
      await form.getByRole('button', { name: 'Add', exact: true }).click();
      await form.waitFor({ state: 'detached' });
      await assertReadable(page, 'the variables of a dashboard');
      await page.keyboard.press('Escape');
      await page.getByLabel('paper').selectOption('blue');
      await untilHolds(page, '/var-paper=blue/.test(location.search)');
      await page.reload();
      await untilEqual(() => page.getByLabel('paper').inputValue(), 'blue');
      await pick(page, 'Dashboard', 'Variables');
      await page.getByRole('dialog').getByRole('button', { name: 'Remove paper' }).click();
      await page.keyboard.press('Escape');
      await page.getByLabel('paper').waitFor({ state: 'detached' });
      await untilEqual(() => page.getByLabel('Time zone').inputValue(), 'Asia/Tokyo');
    });
  });

  test('the keyboard is enough to choose a metric, write an expression, read values, see the table and save a panel', async (t) => {
    await desk.see(t, {}, async (page) => {
      await open(page);
      const place = explorer(page);
      await lineRow(place, 'jobs_total').waitFor();
      await tabTo(page, 'Metric');
      await page.keyboard.press('ArrowDown');
      await page.getByRole('listbox').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('listbox').waitFor({ state: 'hidden' });
      await page.keyboard.press('Control+A');
      await page.keyboard.type('memory');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await lineRow(place, '{host="b"}').waitFor();
      await tabTo(page, 'Expression');
      await page.keyboard.press('Control+A');
      await page.keyboard.type('memory_bytes{{}host="a"}'.replace('{{}', '{'));
      await page.keyboard.press('Enter');
      await lineRow(place, '{host="b"}').waitFor({ state: 'detached' });
      await tabTo(page, 'Chart of');
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('End');
      await page.locator('[aria-live]', { hasText: 'memory_bytes: 1.5 MiB' }).waitFor({ state: 'attached' });
      await place.getByRole('button', { name: 'As table' }).focus();
      await page.keyboard.press('Enter');
      const line = lineRow(place, 'memory_bytes{host="a"}');
      await line.getByText('1.5 MiB').first().waitFor();
      await place.locator('canvas').waitFor({ state: 'detached' });
      await picture(page, 'monitoring-table');
      await assertReadable(page, 'the table');
      await page.keyboard.press('Enter');
      await place.locator('canvas').waitFor();
      await tabTo(page, 'Add to dashboard');
      await page.keyboard.press('Enter');
      await page.getByRole('article').waitFor();
    });
  });

  test('a pipeline without metrics shows how to push, and a new key is shown once', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const fresh = await shownPipeline(region, 'fr-par');
      await watchCopies(page);
      await openDashboard(page, region, region.owner, fresh.dashboard);
      await page.getByText(`${fresh.name} has no metrics yet.`).waitFor();
      await picture(page, 'monitoring-empty');
      await assertReadable(page, 'a pipeline without metrics');
      await page.getByRole('button', { name: 'Copy: Prometheus configuration' }).click();
      await page.getByText('Copied.').waitFor();
      assert.match(await copied(page), new RegExp(`url: ${fresh.endpoint}/api/v1/push`));
      assert.match(
        await page.getByRole('textbox', { name: 'OpenTelemetry' }).inputValue(),
        new RegExp(`${fresh.endpoint}/v1/metrics`),
      );
      await page
        .getByRole('button', { name: `New key for ${fresh.name}` })
        .first()
        .click();
      await page.getByText('stops working immediately').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await page.getByText('This is shown only once').waitFor();
      const key = await page.getByLabel('Key', { exact: true }).inputValue();
      await picture(page, 'monitoring-key');
      await assertReadable(page, 'a new key');
      const command = await page.getByRole('dialog').getByRole('textbox', { name: 'Try with curl' }).inputValue();
      assert.ok(command.includes(key) && command.includes(fresh.endpoint));
      await page.getByRole('button', { name: 'Done' }).click();
      await page.locator('dialog').waitFor({ state: 'detached' });
      await untilTrue('the key is gone', async () => !(await page.content()).includes(key));
      assert.equal(await fresh.push('example_value 42\n'), 401);
      assert.equal(await fresh.push('example_value 42\n', key), 204);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await lineRow(explorer(page), 'example_value').getByText('42').first().waitFor();
    });
  });

  test('[METRIC-01] a pipeline is created, and its key is shown once', async (t) => {
    await desk.see(t, {}, async (page) => {
      await openDashboard(page, desk.region, desk.region.owner, '/console/monitoring/gb-lhr');
      await page.getByText('There are no pipelines in this region yet.').waitFor();
      await picture(page, 'monitoring-none');
      await assertReadable(page, 'no pipelines');
      await page.getByRole('button', { name: 'Create pipeline' }).first().click();
      await page.getByLabel('Name').fill('made here');
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      assert.match(await page.getByLabel('Key', { exact: true }).inputValue(), /^\S{20,}$/);
      const statusOf = async (): Promise<unknown> =>
        (await desk.region.call('GET', '/gb-lhr/monitoring/pipelines')).body.items[0]?.metadata?.status;
      await untilEqual(statusOf, 'AVAILABLE');
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByText('made here has no metrics yet.').waitFor();
      await row(page, 'made here').getByText('AVAILABLE').waitFor();
      await row(page, 'made here').getByRole('button', { name: 'How to push to made here' }).click();
      await page.getByRole('heading', { name: 'Push to made here' }).waitFor();
      await picture(page, 'monitoring-push');
      await assertReadable(page, 'how to push');
    });
  });

  test('[METRIC-01] a pipeline is changed and deleted; pipelines with the same name are distinguishable', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const path = '/us-las/monitoring/pipelines';
      const make = async (name: string): Promise<string> =>
        (await region.call('POST', path, { properties: { name } })).body.id;
      const [one, two] = [await make('twin'), await make('twin')];
      await openDashboard(page, region, region.owner, '/console/monitoring/us-las');
      await row(page, one).getByText('30 days').waitFor();
      await row(page, one).getByRole('button', { name: 'Edit twin' }).click();
      await page.getByLabel('Name').fill('one');
      await page.getByLabel('Retention in days').fill('0');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').getByText(/1/).first().waitFor();
      await page.getByLabel('Retention in days').fill('7');
      await picture(page, 'monitoring-pipeline-edit');
      await assertReadable(page, 'a pipeline that is changed');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Pipeline changed.').waitFor();
      await row(page, 'one').getByText('7 days').waitFor();
      const { properties } = (await region.call('GET', `${path}/${one}`)).body;
      assert.deepEqual([properties.name, properties.retentionInDays], ['one', 7]);
      await picture(page, 'monitoring-pipelines');
      await row(page, 'twin').getByRole('button', { name: 'Delete twin' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Pipeline deleted.').waitFor();
      await row(page, 'twin').waitFor({ state: 'detached' });
      await untilEqual(async () => (await region.call('GET', `${path}/${two}`)).status, 404);
    });
  });

  test('[METRIC-07] central monitoring is switched on, and off again', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const isOn = async (): Promise<unknown> =>
        (await region.call('GET', '/es-vit/monitoring/central')).body.items[0]?.properties.enabled;
      await openDashboard(page, region, region.owner, '/console/monitoring/es-vit');
      const control = page.getByRole('switch', { name: 'Central monitoring' });
      await control.click();
      await page.getByText('Central monitoring is on.').waitFor();
      assert.equal(await isOn(), true);
      await page.getByText('There are no metrics yet').waitFor();
      await control.click();
      await page.getByText('Central monitoring is off.').first().waitFor();
      await untilEqual(isOn, false);
    });
  });

  test("charts end at the region's time, which the lab can move", async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const moving = await shownPipeline(region, 'us-mci');
      await pass(region, 50 * hourMs);
      assert.equal(await moving.push('late_value 7\n'), 204);
      await openDashboard(page, region, region.owner, moving.dashboard);
      await lineRow(explorer(page), 'late_value').getByText('7').first().waitFor();
      await pass(region, hourMs / 2);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByLabel('Time', { exact: true }).selectOption('Last 15 minutes');
      await page.getByText('No values from').waitFor();
    });
  });

  test('templates make dashboards of servers, buckets and the region with values', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      await open(page);
      await page.getByRole('button', { name: 'New dashboard' }).click();
      await page.getByRole('menuitem', { name: /^Machines.*Switch on central monitoring/ }).waitFor();
      await page.keyboard.press('Escape');
      const server = await addServer(region, await addDatacenter(region, 'de/txl'), { name: 'web' });
      const load = { cpuPercent: 80, networkInBytesPerSecond: 1000 };
      await region.call('PUT', `/lab/machines/${server.split('/').at(-1)}/load`, load);
      await provideBuckets(region, 'shown-bucket');
      const central = (await region.call('GET', '/de-txl/monitoring/central')).body.items[0]?.id;
      await region.call('PUT', `/de-txl/monitoring/central/${central}`, { properties: { enabled: true } });
      for (let count = 0; count < 3; count++) await pass(region, minuteMs);
      const own = await shownPipeline(region, 'de-txl');
      const figures = async (): Promise<string> => String((await region.call('GET', '/metrics')).body);
      assert.equal(await own.push(await figures()), 204);
      await pass(region, minuteMs / 4);
      assert.equal(await own.push(await figures()), 204);
      await page.goto(`${region.url}/console/monitoring/de-txl?pipeline=${own.id}`);
      await page.getByRole('heading', { name: 'Pipelines' }).waitFor();
      const tile = (name: string) => page.getByRole('article', { name, exact: true });
      await pick(page, 'New dashboard', 'Machines');
      await tile('Mean processor load').locator('[aria-valuetext="80 %"]').waitFor();
      await tile('Servers').getByRole('cell', { name: 'web' }).waitFor({ state: 'attached' });
      await lineRow(tile('Processor load'), 'web').getByText('80 %').waitFor();
      await picture(page, 'monitoring-machines');
      await assertReadable(page, 'the dashboard of machines');
      await pick(page, 'New dashboard', 'Buckets');
      await tile('Largest buckets').getByText('shown-bucket').waitFor();
      await pick(page, 'New dashboard', 'Region');
      await tile('Memory').getByText(/MiB/).waitFor();
      await tile('Busiest operations').getByRole('meter').first().waitFor();
      await picture(page, 'monitoring-region');
    });
  });

  test('[METRIC-07] dashboards are readable in light and dark, in wide and narrow windows', async (t) => {
    await desk.see(t, { reducedMotion: 'reduce' }, async (page) => {
      await open(page);
      const place = explorer(page);
      await chooseMetric(page, 'memory_bytes');
      await lineRow(place, '{host="b"}').waitFor();
      await place.getByRole('button', { name: 'Add to dashboard' }).click();
      const tile = page.getByRole('article', { name: 'memory_bytes' });
      await lineRow(tile, '{host="b"}').waitFor();
      await inLooks(page, looksOf(1280, 360), async (look) => {
        await isDrawn(tile, 1, 50);
        await wholePicture(page, `monitoring-charts-${look}`);
        await assertReadable(page, `dashboards, ${look}`);
      });
    });
  });

  test('the contract in the address is selected if the user belongs to it', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const both = { email: 'two@example.com', password: 'Person-Of-Two-1' };
      for (const args of [
        ['user', 'add', '--email', both.email, '--password', both.password],
        ['contract', 'add', '--number', '31000333', '--owner', both.email],
      ]) {
        const ended = await cumulet([...args, '--data', region.data]);
        assert.equal(ended.code, 0, ended.stderr);
      }
      await signInBy(page, region, both, '/console/monitoring/de-fra?contract=31000333');
      await page.getByRole('heading', { name: 'Pipelines' }).waitFor();
      await untilEqual(() => page.getByLabel('Contract').inputValue(), '31000333');
      await page.goto(`${region.url}/console/monitoring/de-fra?contract=39999999`);
      await page.getByText('You do not belong to contract 39999999').waitFor();
    });
  });
});
