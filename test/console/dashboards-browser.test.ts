// Dashboards that the region keeps, in a real browser, and what the first look at monitoring shows.
import { after, before, suite, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { addGroup, addPerson } from '../harness/people.ts';
import { chooseMetric, explorer, fill, lineRow, openDashboard, shownPipeline } from './monitoring.ts';
import { assertReadable, Desk, goTo, picture, signInBy, untilHolds, untilTrue } from './window.ts';

suite('the dashboards of a region in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test('the link of monitoring opens the region with metrics, and the first chart is seen without scrolling', async (t) => {
    const look = { width: 1440, height: 900 };
    await desk.see(t, { viewport: look }, async (page) => {
      const { region } = desk;
      const wanted = await shownPipeline(region, 'es-vit');
      for (const place of ['de-fra', 'us-las']) await shownPipeline(region, place);
      await fill(region, wanted);
      await signInBy(page, region, region.owner, '/console/monitoring');
      await lineRow(explorer(page), 'jobs_total').waitFor();
      await untilHolds(page, "location.pathname === '/console/monitoring/es-vit'");
      const isSeen = (place: Locator): Promise<void> =>
        untilTrue(page, 'the chart ends in the window', async () => {
          const box = await place.locator('canvas').first().boundingBox();
          return box !== null && box.y + box.height <= look.height;
        });
      await isSeen(explorer(page));
      await chooseMetric(page, 'took_seconds'); // three expressions
      await lineRow(explorer(page), 'p99').waitFor();
      await isSeen(explorer(page));
      await explorer(page).getByRole('button', { name: 'Add to the dashboard' }).click();
      await lineRow(page.getByRole('article'), 'p99').waitFor();
      await page.evaluate('scrollTo(0, 0)');
      await isSeen(page.getByRole('article'));
      await picture(page, 'monitoring-fold');
      await goTo(page, 'Overview');
      await goTo(page, 'Monitoring');
      await lineRow(page.getByRole('article'), 'p99').waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    });
  });

  test('what a browser had is taken over once; every browser of the person shows it, and other dashboards', async (t) => {
    const { region } = desk;
    const person = await addPerson(region);
    await addGroup(region, ['accessAndManageMonitoring'], [person.user]);
    const address = '/console/monitoring/gb-bhx';
    const panel = { title: 'Kept', source: 'gone', queries: [{ expression: 'up', legend: '' }], unit: 'auto' };
    const old = { kind: 'cumulet-dashboard', version: 1, panels: [panel] };
    const key = `dashboard/${person.user.id}/${region.contract}/gb-bhx`;
    await desk.see(t, {}, async (page) => {
      await page.goto(`${region.url}/console`);
      await page.evaluate(`localStorage.setItem('${key}', '${JSON.stringify(old)}')`);
      await openDashboard(page, region, person.basic, address);
      await page.getByRole('article', { name: 'Kept' }).waitFor();
      await untilHolds(page, "String(Object.keys(localStorage)) === 'page-key'");
    });
    await desk.see(t, {}, async (page) => {
      await openDashboard(page, region, person.basic, address);
      await page.getByRole('article', { name: 'Kept' }).waitFor();
      await page.getByRole('button', { name: 'New dashboard' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Other');
      await page.getByRole('button', { name: 'Make dashboard' }).click();
      await page.getByText('There are no panels yet').waitFor();
      await page.getByRole('button', { name: 'Rename Other' }).click();
      await page.getByLabel('Name', { exact: true }).fill('A <b>name</b>');
      await page.getByRole('button', { name: 'Rename', exact: true }).click();
      await page.getByRole('heading', { name: 'A <b>name</b>' }).waitFor();
      await picture(page, 'monitoring-dashboards');
      await assertReadable(page, 'two dashboards');
      await page.getByLabel('Dashboard', { exact: true }).selectOption('From this browser');
      await page.getByRole('article', { name: 'Kept' }).waitFor();
      await page.getByRole('button', { name: 'Delete From this browser' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('article').waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('heading', { name: 'A <b>name</b>' }).waitFor();
    });
  });
});
