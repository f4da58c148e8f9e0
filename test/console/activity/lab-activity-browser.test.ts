// Requests, the activity log, the lab, costs and limits in a real browser.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { addBlock, addDatacenter, addServer, publicLan } from '../../harness/landscape.ts';
import { ids, startPlatform } from '../../harness/mirror/platform.ts';
import { addPerson, core } from '../../harness/people.ts';
import { createDone, waitRequest } from '../../harness/region.ts';
import { leaksBelow, Secrets } from '../../harness/secrets-search.ts';
import { assertAccessible } from '../harness/accessible.ts';
import {
  assertReadable,
  Desk,
  goTo,
  inLooks,
  looksOf,
  picture,
  refusedCall,
  signInBy,
  untilEqual,
  untilTrue,
} from '../harness/window.ts';

const desk = new Desk();
before(() => desk.open());
after(() => desk.close());

const message = 'No host has <b>enough</b> memory';

suite('the overview in a browser', () => {
  test('an example fills an empty contract, is shown with its servers, and can be deleted; by keyboard only', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region, owner } = await desk.newContract();
      await signInBy(page, region, owner);
      const steps = page.getByRole('region', { name: 'First steps' });
      await steps.getByRole('button', { name: 'Fill with an example' }).focus();
      await page.keyboard.press('Enter');
      const landscape = page.getByRole('region', { name: 'Landscape' });
      await landscape.getByRole('link', { name: 'orders-db, running' }).waitFor();
      await page.getByText('This contract has an example shop.').waitFor();
      await steps.waitFor({ state: 'detached' });
      const counts = page.getByRole('list', { name: 'Resources' });
      await counts.getByRole('link', { name: '2 Datacenters' }).waitFor();
      assert.equal(await counts.getByText('Certificates').count(), 0, 'nothing that the contract does not have');
      await inLooks(page, looksOf(1280, 360), async (look) => {
        await picture(page, `overview-example-${look}`);
        await assertReadable(page, `the overview, ${look}`);
        await assertAccessible(page, `the overview, ${look}`);
      });
      await page.getByRole('button', { name: 'Delete example' }).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Shift+Tab'); // from Cancel
      await page.keyboard.press('Enter');
      await steps.waitFor();
      assert.deepEqual((await region.call('GET', '/cloudapi/v6/datacenters')).body.items, []);
    });
  });

  test('parts that failed load again when the region answers', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region, owner } = await desk.newContract();
      await addDatacenter(region);
      await signInBy(page, region, owner);
      const landscape = page.getByRole('region', { name: 'Landscape' });
      await landscape.getByRole('link', { name: 'a datacenter' }).waitFor();
      await page.context().setOffline(true);
      await goTo(page, 'Requests');
      await goTo(page, 'Overview');
      await page.getByText('Could not get the datacenters.').waitFor();
      await page.context().setOffline(false);
      await landscape.getByRole('link', { name: 'a datacenter' }).waitFor();
      await page.getByRole('alert').first().waitFor({ state: 'detached' });
      await page.context().setOffline(true);
      await goTo(page, 'Activity');
      await page.getByText('This page could not be loaded.').waitFor();
      await page.context().setOffline(false);
      await page.getByText('Create datacenter').first().waitFor();
    });
  });
});

suite('requests and activity in a browser', () => {
  test('a failed request leads to its message, cause, resource and activity', async (t) => {
    // The page checks whether the server exists, which answers 404.
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region, owner } = await desk.newContract();
      const datacenter = await addDatacenter(region);
      const faults = [{ kind: 'server', step: 'change.*', mode: 'fail', times: 1, message }];
      const server = await addServer(region, datacenter, { name: 'web-1' });
      const planted = await desk.region.call('PUT', '/lab/faults', { faults });
      assert.equal(planted.status, 200, JSON.stringify(planted.body));
      const changed = await region.call('PATCH', server, { cores: 2 });
      const ended = await waitRequest(region, changed.headers.location);
      assert.equal(ended.metadata.status, 'FAILED');
      await signInBy(page, region, owner);
      await page.getByRole('region', { name: 'Problems' }).getByText(message).waitFor();
      await page.getByRole('region', { name: 'Landscape' }).getByRole('link', { name: 'web-1, running' }).waitFor();
      await picture(page, 'overview');
      await assertReadable(page, 'the overview');
      await assertAccessible(page, 'the overview');
      await goTo(page, 'Requests');
      await page.getByLabel('State').selectOption('Failed');
      const row = page.getByRole('listitem').filter({ hasText: message });
      await row.waitFor();
      const shown = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
      await untilEqual(() => shown.count(), 1);
      await picture(page, 'requests-failed');
      await assertReadable(page, 'the requests');
      await assertAccessible(page, 'the requests');
      await row.getByRole('link', { name: 'Change server' }).click();
      const why = page.getByRole('region', { name: 'Failure' });
      await why.getByText(message).waitFor();
      await picture(page, 'request-failed');
      await assertReadable(page, 'the request');
      await assertAccessible(page, 'the request');
      await why.getByRole('link', { name: 'Open server' }).click();
      await page.getByRole('heading', { name: 'web-1' }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'Activity log entry' }).click();
      await page.getByRole('heading', { name: 'Activity', exact: true }).waitFor();
      const entry = page.locator('details').filter({ hasText: 'Failed' });
      await entry.locator('summary').click();
      await entry.getByText(message).waitFor();
      await entry.getByRole('link', { name: 'Activity', exact: true }).click();
      await page.getByText('Create server').waitFor(); // the first entry of the same server
    });
  });

  test('activity is filtered by user, resource, action and hour', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const datacenter = await addDatacenter(region);
      const id = datacenter.slice(datacenter.lastIndexOf('/') + 1);
      assert.equal((await region.call('GET', `${core}/datacenters`)).status, 200);
      await signInBy(page, region, region.owner, '/console/activity');
      const found = page.getByRole('status').filter({ hasText: 'found in' });
      await page.locator('details').filter({ hasText: id }).waitFor();
      assert.equal(await page.getByText('Datacenter list').count(), 0, 'reads are hidden by default');
      await page.getByLabel('Resource').fill(id);
      await page.getByLabel('Action').fill('create');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await found.getByText(/^1 found/).waitFor();
      await page.locator('main summary').click();
      await page.locator('details').getByRole('link', { name: 'a datacenter' }).waitFor();
      await page.locator('details').getByText(id, { exact: true }).waitFor();
      await picture(page, 'activity');
      await assertReadable(page, 'the activity log');
      await assertAccessible(page, 'the activity log');
      const bars = page.getByRole('toolbar', { name: 'Entries over time' }).getByRole('button');
      await untilEqual(() => bars.count(), 24);
      await bars.first().click(); // there were no changes a day ago
      await found.getByText(/^0 found/).waitFor();
      await page.getByRole('button', { name: 'Show all' }).click();
      await found.getByText(/^1 found/).waitFor();
      await page.getByLabel('User').fill('nobody@example.com');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await found.getByText(/^0 found/).waitFor();
      await untilTrue('the address can be shared', async () => page.url().includes('user=nobody'));
    });
  });
});

suite('the lab, costs and limits in a browser', () => {
  test('the clock moves forward by a step and to a date, but not back', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const offset = async (): Promise<number> => Number((await region.call('GET', '/lab/clock')).body.offsetMs);
      const before = await offset();
      await signInBy(page, region, region.owner, '/console/lab');
      await page.getByRole('button', { name: 'Move the clock forward by 10 minutes' }).click();
      await page.getByText('Clock moved by 10 minutes.').waitFor();
      assert.equal(await offset(), before + 600_000);
      await picture(page, 'lab-clock');
      await assertReadable(page, 'the clock');
      await assertAccessible(page, 'the clock');
      await page.getByLabel('Target date').fill('2020-01-01T00:00');
      await page.getByRole('button', { name: 'Move', exact: true }).click();
      await page.getByText('The clock can’t be moved back').waitFor();
      assert.equal(await offset(), before + 600_000);
      await page.getByRole('button', { name: 'Move the clock forward by 1 day' }).click();
      await page.getByLabel('E-mail').waitFor(); // the session has ended
      await signInBy(page, region, region.owner, '/console/lab');
      await page.getByText('1 day 10 minutes ahead of this machine').waitFor();
    });
  });

  test("a planted fault fails a request: the form's message leads to the request, which shows the cause", async (t) => {
    // The page checks whether the datacenter exists, which answers 404.
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      await signInBy(page, region, region.owner, '/console/lab/faults');
      await page.getByRole('button', { name: 'Plant fault' }).click();
      await page.getByLabel('Resource').selectOption('datacenter');
      await page.getByLabel('Step', { exact: true }).fill('create.provision');
      await page.getByLabel('Times').fill('9');
      await page.getByLabel('Message').fill('No room');
      await picture(page, 'lab-fault');
      await page.getByRole('button', { name: 'Plant', exact: true }).click();
      await page.getByRole('row').filter({ hasText: 'No room' }).getByText('9 ×').waitFor();
      await assertReadable(page, 'the faults');
      await assertAccessible(page, 'the faults');
      await page.goto(`${region.url}/console/resources/cloudapi/datacenters/new`);
      await page.getByLabel('Name').fill('too large');
      await page.getByLabel('Location').selectOption('de/txl');
      await page.getByRole('button', { name: 'Create datacenter' }).click();
      const toast = page.locator('.toast').filter({ hasText: 'No room' });
      await toast.getByRole('link', { name: 'Request' }).click();
      await page.getByRole('region', { name: 'Failure' }).getByText('No room').waitFor();
      await page.getByText('does not exist, because the region undid the finished steps').waitFor();
      await picture(page, 'request-of-toast');
      await page.goto(`${region.url}/console/lab/faults`);
      const row = page.getByRole('row').filter({ hasText: 'No room' });
      await row.getByText('8 ×').waitFor();
      await row.getByRole('button', { name: 'Remove fault datacenter' }).click();
      await page.getByText('There are no planted faults').waitFor();
    });
  });

  test('a packet is sent and its way explained; a machine gets a load', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region, owner } = await desk.newContract();
      const datacenter = await addDatacenter(region);
      const lan = await publicLan(region, datacenter);
      const server = await addServer(region, datacenter, { name: 'web' });
      await createDone(region, `${server}/nics`, { properties: { lan, name: 'eth0', firewallActive: true } });
      await signInBy(page, region, owner, '/console/lab/traffic');
      await page.getByLabel('To', { exact: true }).selectOption({ index: 1 });
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('No, it is stopped.').waitFor();
      await page.getByText('The firewall is on, and none of its rules accepts the packet.').waitFor();
      await picture(page, 'lab-traffic');
      await assertReadable(page, 'the traffic');
      await assertAccessible(page, 'the traffic');
      await page.getByRole('link', { name: 'Load' }).click();
      await page.getByLabel('CPU, percent').fill('75');
      await page.getByRole('button', { name: 'Set load' }).click();
      await page.getByText('Load set.').waitFor();
      const id = server.slice(server.lastIndexOf('/') + 1);
      assert.equal((await region.call('GET', `/lab/machines/${id}/load`)).body.cpuPercent, 75);
      await picture(page, 'lab-load');
      await goTo(page, 'Limits');
      await page.getByText('Cores', { exact: true }).waitFor();
      await picture(page, 'limits');
      await assertReadable(page, 'the limits');
      await assertAccessible(page, 'the limits');
    });
  });

  test('costs of a product lead to the server that causes them', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const datacenter = await addDatacenter(region);
      await addServer(region, datacenter, { name: 'dear', cores: 4, ram: 8192 });
      await addBlock(region, 1);
      await createDone(region, `${datacenter}/labels`, { properties: { key: 'env', value: 'prod' } });
      await region.call('PUT', '/lab/clock', { advanceMs: 3_600_000 });
      await signInBy(page, region, region.owner, '/console/costs');
      await page.getByText('Forecast for the month').waitFor();
      await page.getByRole('button', { name: 'Compute Engine' }).click();
      const row = page.getByRole('table', { name: 'Costs by resource' }).getByRole('row').filter({ hasText: 'dear' });
      await row.getByText(/\d EUR/).waitFor();
      await page.getByText(/^Costs in .* so far: Compute Engine$/).waitFor();
      // The clock was moved, so the last month may have been closed.
      const invoice = page.getByRole('table', { name: 'Invoices' }).getByRole('row').filter({ hasText: 'So far' });
      await invoice.getByRole('button', { name: /^Lines of/ }).click();
      await page.getByRole('dialog').getByText('Total so far').waitFor();
      await page.keyboard.press('Escape');
      await picture(page, 'costs');
      await assertReadable(page, 'the costs');
      await assertAccessible(page, 'the costs');
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByLabel('Group by').selectOption('Kind');
      const groups = page.getByRole('table', { name: 'Costs by group' });
      await groups.getByRole('button', { name: 'IP block' }).waitFor();
      await page.getByLabel('Group by').selectOption('Label env');
      await groups.getByRole('row', { name: /Without this label/ }).waitFor();
      await groups.getByRole('button', { name: 'prod' }).click();
      await row.waitFor();
      await inLooks(page, looksOf(1440, 390), async (look) => {
        await picture(page, `costs-by-label-${look}`);
        await assertReadable(page, `${look}, costs by label`);
        await assertAccessible(page, `${look}, costs by label`);
      });
      await row.getByRole('link', { name: 'dear' }).click();
      await page.getByRole('heading', { name: 'dear' }).waitFor();
    });
  });

  test('a user without rights sees why the lab is not available', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const { basic } = await addPerson(region);
      await signInBy(page, region, basic, '/console/lab');
      await page.getByText('The lab is for owners and administrators').waitFor();
      await goTo(page, 'Activity');
      await page.getByRole('alert').waitFor();
    });
  });

  test('a contract is copied by keyboard; its token is in no storage, log or file', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      await using platform = await startPlatform();
      const secrets = new Secrets();
      const secretKey = 'Planted-secret-key';
      secrets.know('the token', platform.token);
      secrets.know('the secret key', secretKey);
      await signInBy(page, region, region.owner, '/console/lab/copy');
      await page.getByLabel('Source').fill(platform.url);
      await page.keyboard.press('Tab');
      await page.keyboard.type(`${platform.token}-wrong`);
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('The platform refused the token: 401').waitFor();
      await inLooks(page, looksOf(1280, 360), async (look) => {
        await picture(page, `lab-copy-${look}`);
        await assertReadable(page, `the source of a copy, ${look}`);
        await assertAccessible(page, `the source of a copy, ${look}`);
      });
      await page.getByLabel('Token').fill(platform.token);
      await page.getByLabel('S3 access key').fill('access');
      await page.getByRole('button', { name: 'Read', exact: true }).press('Enter');
      await page.getByText('An S3 key has two parts').waitFor();
      await page.getByLabel('S3 secret key').fill(secretKey);
      await page.getByLabel('Anonymise users').check();
      await page.getByRole('button', { name: 'Read', exact: true }).press('Enter');
      const counts = page.getByRole('list', { name: 'Resources of the copy' });
      await counts.getByText('Server 9').waitFor();
      await counts.getByText('Bucket 2').waitFor();
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Contents');
      assert.equal(await page.locator('input[type=password]').count(), 0);
      await inLooks(page, looksOf(1280, 360), async (look) => {
        await picture(page, `lab-copy-contents-${look}`);
        await assertReadable(page, `the contents of a copy, ${look}`);
        await assertAccessible(page, `the contents of a copy, ${look}`);
      });
      const fault = { kind: 'datacenter', step: 'create.*', mode: 'fail', times: 1, message: 'No room' };
      assert.equal((await region.call('PUT', '/lab/faults', { faults: [fault] })).status, 200);
      await page.getByRole('button', { name: 'Create', exact: true }).press('Enter');
      await page.getByRole('alert').getByText('datacenter shop: No room').waitFor();
      await page.getByRole('button', { name: 'Create', exact: true }).press('Enter');
      await page.getByRole('heading', { name: /^Created \d+ resources$/ }).waitFor();
      await picture(page, 'lab-copy-outcome');
      await assertReadable(page, 'the outcome of a copy');
      await assertAccessible(page, 'the outcome of a copy');
      const kept =
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href, document.cookie])';
      assert.deepEqual(secrets.foundIn(String(await page.evaluate(kept))), []);
      assert.deepEqual(secrets.foundIn(JSON.stringify(await page.context().storageState({ indexedDB: true }))), []);
      assert.deepEqual(secrets.foundIn(await page.content()), []);
      await page.getByRole('list', { name: 'Datacenters' }).getByRole('link', { name: 'shop' }).press('Enter');
      await page.getByRole('heading', { name: 'shop' }).waitFor();
      assert.ok(page.url().endsWith(ids.datacenter), 'it keeps its id');
      assert.deepEqual(secrets.foundIn(region.log()), []);
      assert.deepEqual(leaksBelow(region.data, secrets), []);
      assert.deepEqual(new Set(platform.calls.map((call) => call.split(' ')[0])), new Set(['GET']));
    });
  });

  test('reading a contract ends when the user cancels it or leaves the page', async (t) => {
    const silent = createServer();
    const nextRequest = (): Promise<unknown[]> => once(silent, 'request');
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    t.after(() => silent.close());
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      await signInBy(page, region, region.owner, '/console/lab/copy');
      await page.getByLabel('Source').fill(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
      await page.getByLabel('Token').fill('any');
      for (const leave of [
        () => page.getByRole('button', { name: 'Cancel' }).press('Enter'),
        () => page.goto('about:blank'),
      ]) {
        const [[request]] = await Promise.all([nextRequest(), page.getByLabel('Token').press('Enter')]);
        await page.getByRole('progressbar').waitFor();
        await Promise.all([once((request as IncomingMessage).socket, 'close'), leave()]);
      }
    });
  });
});
