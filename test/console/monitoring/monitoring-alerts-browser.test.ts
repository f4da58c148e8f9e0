// Stored dashboards, alert rules and notification channels in a real browser: created, tested, firing, resolved,
// changed and deleted; with mouse or keyboard, in light and dark, in wide and narrow windows.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { assertSigned, channels, pass, Receiver, rulesOf, simpleRules } from '../../harness/alerts.ts';
import { done } from '../../harness/landscape.ts';
import { addGroup, addPerson, core } from '../../harness/people.ts';
import {
  assertReadable,
  Desk,
  goTo,
  inLooks,
  looksOf,
  picture,
  refusedCall,
  row,
  signInBy,
  untilEqual,
  untilHolds,
  untilTrue,
} from '../harness/window.ts';
import {
  chooseMetric,
  explorer,
  fill,
  lineRow,
  openDashboard,
  type PipelineView,
  pick,
  shownPipeline,
  tabTo,
  wholePicture,
  writeExpression,
} from './monitoring.ts';

const desk = new Desk();
before(() => desk.open());
after(() => desk.close());

suite('the dashboards of a region in a browser', () => {
  test('the link of monitoring opens a region with metrics, and the first chart is visible without scrolling', async (t) => {
    const look = { width: 1440, height: 900 };
    await desk.see(t, { viewport: look }, async (page) => {
      const { region, owner } = await desk.newContract();
      const wanted = await shownPipeline(region, 'es-vit');
      for (const place of ['de-fra', 'us-las']) await shownPipeline(region, place);
      await fill(region, wanted);
      await signInBy(page, region, owner, '/console/monitoring');
      await lineRow(explorer(page), 'jobs_total').waitFor();
      await untilHolds(page, "location.pathname === '/console/monitoring/es-vit'");
      const isSeen = (place: Locator): Promise<void> =>
        untilTrue('the chart ends in the window', async () => {
          const box = await place.locator('canvas').first().boundingBox();
          return box !== null && box.y + box.height <= look.height;
        });
      await isSeen(explorer(page));
      await chooseMetric(page, 'took_seconds'); // three expressions
      await lineRow(explorer(page), 'p99').waitFor();
      await isSeen(explorer(page));
      await explorer(page).getByRole('button', { name: 'Add to dashboard' }).click();
      await page.evaluate('scrollTo(0, 0)');
      await lineRow(page.getByRole('article'), 'p99').waitFor();
      await isSeen(page.getByRole('article'));
      await picture(page, 'monitoring-fold');
      await goTo(page, 'Overview');
      await goTo(page, 'Monitoring');
      await lineRow(page.getByRole('article'), 'p99').waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    });
  });

  test('a dashboard stored in the browser is imported once; every browser of the user shows all dashboards', async (t) => {
    const { region } = desk;
    const person = await addPerson(region);
    const group = await addGroup(region, ['accessAndManageMonitoring'], [person.user]);
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
    await desk.see(t, { expected: refusedCall }, async (page) => {
      await openDashboard(page, region, person.basic, address);
      await page.getByRole('article', { name: 'Kept' }).waitFor();
      await pick(page, 'New dashboard', 'Empty');
      await page.getByLabel('Name', { exact: true }).fill('Other');
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText('There are no panels yet').waitFor();
      await page
        .getByRole('list', { name: 'Templates' })
        .getByRole('button', { name: /^Machines/ })
        .waitFor();
      await pick(page, 'Dashboard', 'Rename');
      await page.getByLabel('Name', { exact: true }).fill('A <b>name</b>');
      await page.getByRole('button', { name: 'Rename', exact: true }).click();
      await page.getByRole('heading', { name: 'A <b>name</b>' }).waitFor();
      await picture(page, 'monitoring-dashboards');
      await assertReadable(page, 'two dashboards');
      await page.getByLabel('Dashboard', { exact: true }).selectOption('From this browser');
      await page.getByRole('article', { name: 'Kept' }).waitFor();
      await pick(page, 'Dashboard', 'Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('article').waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('heading', { name: 'A <b>name</b>' }).waitFor();
      await done(region, 'DELETE', `${core}/um/groups/${group.id}/users/${person.user.id}`);
      const lacks = 'Your user lacks the privilege “Access and manage monitoring” (accessAndManageMonitoring).';
      await page
        .getByRole('button', { name: `Create pipeline. ${lacks}` })
        .first()
        .waitFor();
      await picture(page, 'monitoring-rights-lost');
    });
  });
});

const minute = 60_000;

suite('alerts in a browser', () => {
  const openAlerts = async (page: Page, place: string): Promise<void> => {
    await signInBy(page, desk.region, desk.region.owner, `/console/monitoring/${place}/alerts`);
    await page.getByRole('heading', { name: 'Notification channels' }).waitFor();
  };

  // Moves the region's clock and refreshes the page.
  const later = async (page: Page, ms: number): Promise<void> => {
    await pass(desk.region, ms);
    await page.getByRole('button', { name: 'Refresh' }).click();
  };

  const makeWebhook = async (page: Page, name: string, url: string): Promise<string> => {
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Address').fill(url);
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await row(page, url).waitFor();
    return secret;
  };

  test('[METRIC-07] a rule with a threshold and a webhook becomes pending and firing, sends a signed message, and ends', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      using receiver = await Receiver.open();
      const pipeline = await shownPipeline(region, 'de-txl');
      const push = async (length: number): Promise<void> =>
        assert.equal(await pipeline.push(`queue_length{queue="mail"} ${length}\n`), 204);
      await push(12);
      await openAlerts(page, 'de-txl');
      await page.getByText('There are no alert rules yet.').waitFor();
      await picture(page, 'monitoring-alerts-none');
      await assertReadable(page, 'no alerts');
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByRole('dialog').waitFor();
      await picture(page, 'monitoring-webhook');
      await assertReadable(page, 'a new webhook');
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      const secret = await makeWebhook(page, 'ops', receiver.url);
      await untilTrue('the secret is gone', async () => !(await page.content()).includes(secret));
      await page.getByRole('button', { name: 'Test ops' }).click();
      await page.getByText('ops accepted the test: answered 200.').waitFor();
      assertSigned(await receiver.call(1), secret);

      await page.getByRole('navigation', { name: 'Monitoring' }).getByRole('link', { name: 'Charts' }).click();
      await lineRow(explorer(page), 'queue_length').getByText('12').first().waitFor();
      await explorer(page).getByRole('button', { name: 'Create alert rule' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Long queue');
      await page.getByRole('spinbutton', { name: 'Threshold' }).fill('10');
      await page.getByLabel('For', { exact: true }).fill('3m');
      await page.getByLabel('Labels').fill('severity=page');
      await page.getByLabel('Summary').fill('{{ $labels.queue }} has {{ $value }}');
      await page.getByLabel('Channel').selectOption('ops');
      await page.getByRole('button', { name: 'Test now' }).click();
      await page.getByText('Now 12: 1 of 1 would alert.').waitFor();
      await picture(page, 'monitoring-rule');
      await assertReadable(page, 'a new rule');
      await push(3); // rules are evaluated each minute, and the next may be over at any moment
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText('Rule created. See Alerts.').waitFor();
      await page.getByRole('navigation', { name: 'Monitoring' }).getByRole('link', { name: 'Alerts' }).click();
      const rule = row(page, 'Long queue');
      await rule.getByText('inactive').waitFor();
      await push(12);
      await later(page, minute);
      await rule.locator('.badge', { hasText: 'pending' }).waitFor();
      await wholePicture(page, 'monitoring-pending');
      await push(12); // a value is stale after five minutes
      await later(page, 3 * minute);
      await rule.locator('.badge', { hasText: 'firing' }).waitFor();
      const { payload } = await receiver.call(2);
      assert.deepEqual([payload.status, payload.alerts[0]?.annotations.summary], ['firing', 'mail has 12']);
      assert.equal(payload.alerts[0]?.labels.severity, 'page');
      await wholePicture(page, 'monitoring-firing');
      await assertReadable(page, 'a rule that fires');
      await push(3);
      await later(page, minute);
      await rule.locator('.badge', { hasText: 'inactive' }).waitFor();
      assert.equal((await receiver.call(3)).payload.status, 'resolved');

      await rule.getByRole('link', { name: 'Chart of Long queue' }).click();
      await lineRow(explorer(page), 'queue_length').waitFor();
      await explorer(page).locator('.u-over').scrollIntoViewIfNeeded();
      await picture(page, 'monitoring-threshold');
      await page.goto(payload.externalURL);
      await page.getByRole('heading', { name: 'Monitoring de-txl' }).waitFor();
    });
  });

  test('[METRIC-07] rules are changed and deleted; problems are shown next to their field', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const pipeline = await shownPipeline(region, 'de-fra');
      const properties = {
        name: 'First',
        pipeline: pipeline.id,
        expression: 'vector(1)',
        comparison: '>',
        threshold: 5,
        labels: { team: 'a=b' },
        annotations: { runbook: 'https://example.com' },
      };
      const made = await region.call('POST', `/de-fra${simpleRules}`, { properties });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      await openAlerts(page, 'de-fra');
      await page.getByRole('button', { name: 'Create rule' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await untilHolds(page, 'document.activeElement.name === "name"'); // the first empty field has the focus
      await page.getByLabel('Name', { exact: true }).fill('First');
      await page.getByLabel('Expression').fill('sum(');
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText('could not parse expression: 1:5').waitFor();
      await page.getByLabel('Expression').fill('vector(1)');
      await page.getByLabel('Labels').fill('nonsense');
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText("Type name=value instead of 'nonsense'.").waitFor();
      await page.getByLabel('Labels').fill('');
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText('already exists. Choose another name.').waitFor();
      await picture(page, 'monitoring-rule-wrong');
      await assertReadable(page, 'a rule that was refused');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Leave' }).click();
      await page.locator('dialog').first().waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Edit rule First' }).click();
      await untilEqual(() => page.getByLabel('Labels').inputValue(), 'team=a=b');
      await page.getByRole('spinbutton', { name: 'Threshold' }).fill('0.5');
      await page.getByLabel('Alert if').selectOption('<');
      await page.getByRole('button', { name: 'Save' }).click();
      await row(page, 'vector(1) < 0.5').waitFor();
      const { body } = await region.call('GET', `/de-fra${simpleRules}/${made.body.id}`);
      assert.deepEqual(body.properties, { ...properties, comparison: '<', threshold: 0.5, for: '0s', channel: null });
      await page.getByRole('button', { name: 'Delete rule First' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('There are no alert rules yet.').waitFor();
    });
  });

  test('[METRIC-07] channels are created, tested, changed and deleted, and get a new secret', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      using receiver = await Receiver.open();
      await openAlerts(page, 'fr-par');
      await page.getByRole('button', { name: 'Create e-mail channel' }).click();
      await page.getByLabel('Name', { exact: true }).fill('letters');
      await page.getByLabel('Mail server').fill('smtp://alice:hidden@127.0.0.1:1');
      await page.getByLabel('Recipients').fill('nobody');
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await page.locator('.field .wrong', { hasText: 'Expected an e-mail address' }).waitFor();
      await picture(page, 'monitoring-mail');
      await assertReadable(page, 'an e-mail channel that was refused');
      await page.getByLabel('Recipients').fill('ops@example.com\nme@example.com');
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await row(page, 'ops@example.com, me@example.com').waitFor();
      await untilTrue('the password is not shown', async () => !(await page.content()).includes('hidden@'));
      await page.getByRole('button', { name: 'Test letters' }).click();
      await page.getByText('letters refused the test').waitFor();
      await page.getByRole('button', { name: 'Close this message' }).click();

      const first = await makeWebhook(page, 'hook', receiver.url);
      await page.getByRole('button', { name: 'New secret hook' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create secret' }).click();
      const second = await page.getByRole('textbox', { name: 'Secret' }).inputValue();
      await picture(page, 'monitoring-secret');
      await assertReadable(page, 'a secret');
      assert.notEqual(second, first);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Edit hook' }).click();
      await page.getByLabel('Name', { exact: true }).fill('renamed');
      await page.getByLabel('Default channel').uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await row(page, 'renamed').getByText('only rules with this channel').waitFor();
      await page.getByRole('button', { name: 'Test renamed' }).click();
      assertSigned(await receiver.call(1), second);
      await wholePicture(page, 'monitoring-channels');
      await assertReadable(page, 'channels');
      for (const name of ['renamed', 'letters']) {
        await page.getByRole('button', { name: `Delete ${name}` }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await page.getByRole('button', { name: `Delete ${name}` }).waitFor({ state: 'detached' });
      }
      assert.deepEqual((await region.call('GET', `/fr-par${channels}`)).body.items, []);
    });
  });

  const withFiles = async (pipeline: PipelineView): Promise<void> => {
    const text = 'name: files\nrules:\n- alert: FromFile\n  expr: vector(2) > 1\n  for: 5m\n';
    const { status, body } = await desk.region.call('POST', `${rulesOf(pipeline.id)}/app`, text, {
      headers: { 'content-type': 'application/yaml' },
    });
    assert.equal(status, 200, JSON.stringify(body));
  };

  test('the keyboard is enough to create a channel and a rule, see its state, and delete both', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      using receiver = await Receiver.open();
      const pipeline = await shownPipeline(region, 'gb-lhr');
      await openAlerts(page, 'gb-lhr');
      await tabTo(page, 'Create webhook');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('keys');
      await page.keyboard.press('Tab');
      await page.keyboard.type(receiver.url);
      await page.keyboard.press('Enter');
      await page.getByText('This is shown only once').waitFor();
      await tabTo(page, 'Done');
      await page.keyboard.press('Enter');
      await row(page, receiver.url).waitFor();
      await tabTo(page, 'Create rule');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('By keys');
      await tabTo(page, 'Expression');
      await page.keyboard.type('load');
      await tabTo(page, 'Threshold');
      await page.keyboard.press('Control+A');
      await page.keyboard.type('4');
      await tabTo(page, 'For');
      await page.keyboard.press('Control+A');
      await page.keyboard.type('0s');
      await page.keyboard.press('Enter');
      await row(page, 'By keys').waitFor();
      assert.equal(await pipeline.push('load 5\n'), 204);
      await pass(region, minute);
      await tabTo(page, 'Refresh');
      await page.keyboard.press('Enter');
      await row(page, 'By keys').locator('.badge', { hasText: 'firing' }).waitFor();
      assert.equal((await receiver.call(1)).payload.status, 'firing');
      await tabTo(page, 'Delete rule By keys');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      await row(page, 'By keys').waitFor({ state: 'detached' });
      await pass(region, minute);
      assert.equal((await receiver.call(2)).payload.status, 'resolved');
    });
  });

  test('[METRIC-07] alerts are readable in light and dark, in wide and narrow windows', async (t) => {
    await desk.see(t, { reducedMotion: 'reduce' }, async (page) => {
      const { region } = desk;
      const place = 'us-mci';
      const pipeline = await shownPipeline(region, place);
      await withFiles(pipeline);
      const properties = { pipeline: pipeline.id, comparison: '>', threshold: 0 };
      for (const [name, expression, wait] of [
        ['fires', 'vector(1)', '0s'],
        ['waits', 'vector(1)', '1h'],
        ['rests', 'sum by (instance) (rate(node_cpu_seconds_total{mode="idle"}[5m]))', '5m'],
      ] as const) {
        const rule = { ...properties, name, expression, for: wait, labels: { severity: 'page' } };
        assert.equal((await region.call('POST', simpleRules, { properties: rule })).status, 201);
      }
      for (let count = 0; count < 2; count++) await pass(region, minute);
      await openAlerts(page, place);
      await row(page, 'fires').locator('.badge', { hasText: 'firing' }).waitFor();
      await row(page, 'waits').locator('.badge', { hasText: 'pending' }).waitFor();
      await row(page, 'FromFile').first().waitFor();
      await inLooks(page, looksOf(1280, 360), async (look) => {
        await wholePicture(page, `monitoring-alerts-${look}`);
        await assertReadable(page, `alerts, ${look}`);
      });
    });
  });

  test('the link of an alert opens its chart', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const pipeline = await shownPipeline(region, 'es-vit');
      await shownPipeline(region, 'es-vit');
      assert.equal(await pipeline.push('heat 7\n'), 204);
      const search = `&pipeline=${pipeline.id}&expr=${encodeURIComponent('(heat) > 5')}`;
      await openDashboard(page, region, region.owner, pipeline.dashboard + search);
      await lineRow(explorer(page), 'heat').getByText('7').first().waitFor();
      await writeExpression(page, 'heat * 2');
      await lineRow(explorer(page), 'heat * 2').getByText('14').first().waitFor();
      await page.reload();
      await lineRow(explorer(page), 'heat * 2').getByText('14').first().waitFor();
    });
  });
});
