// Requests and the activity log in a real browser: a failed request is followed from its message to its cause and the
// thing; what was done is found again by user, resource and action.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { waitRequest } from '../harness/region.ts';
import { assertAccessible } from './accessible.ts';
import { assertReadable, Desk, goTo, picture, refusedCall, signInBy, untilEqual, untilTrue } from './window.ts';

const message = 'No host has <b>enough</b> memory';

suite('requests and activity in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test('a failed request is followed to its cause: message, request, why, thing', async (t) => {
    // The server that could not be made is looked for, and is not there.
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const datacenter = await addDatacenter(region);
      const faults = [{ kind: 'server', step: 'change.*', mode: 'fail', times: 1, message }];
      const server = await addServer(region, datacenter, { name: 'web-1' });
      const planted = await region.call('PUT', '/lab/faults', { faults });
      assert.equal(planted.status, 200, JSON.stringify(planted.body));
      const changed = await region.call('PATCH', server, { cores: 2 });
      const ended = await waitRequest(region, changed.headers.location);
      assert.equal(ended.metadata.status, 'FAILED');
      await signInBy(page, region, region.owner);
      await page.getByRole('region', { name: 'Requests' }).getByText(message).waitFor();
      await picture(page, 'overview');
      await assertReadable(page, 'the overview');
      await assertAccessible(page, 'the overview');
      await goTo(page, 'Requests');
      await page.getByLabel('State').selectOption('Failed');
      const row = page.getByRole('listitem').filter({ hasText: message });
      await row.waitFor();
      const shown = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
      await untilEqual(page, () => shown.count(), 1);
      await picture(page, 'requests-failed');
      await assertReadable(page, 'the requests');
      await assertAccessible(page, 'the requests');
      await row.getByRole('link', { name: 'Change server' }).click();
      const why = page.getByRole('region', { name: 'Why it failed' });
      await why.getByText(message).waitFor();
      await picture(page, 'request-failed');
      await assertReadable(page, 'the request');
      await assertAccessible(page, 'the request');
      await why.getByRole('link', { name: 'Open the server' }).click();
      await page.getByRole('heading', { name: 'web-1' }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'Its entry in the activity log' }).click();
      await page.getByRole('heading', { name: 'Activity', exact: true }).waitFor();
      const entry = page.locator('details').filter({ hasText: 'Failed' });
      await entry.locator('summary').click();
      await entry.getByText(message).waitFor();
      await entry.getByRole('link', { name: 'Its activity' }).click();
      await page.getByText('Create server').waitFor(); // the beginning of the same thing
    });
  });

  test('activity is searched by user, resource and action, and chosen by the hour', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const datacenter = await addDatacenter(region);
      const id = datacenter.slice(datacenter.lastIndexOf('/') + 1);
      assert.equal((await region.call('GET', `${core}/datacenters`)).status, 200);
      await signInBy(page, region, region.owner, '/console/activity');
      const found = page.getByRole('status').filter({ hasText: 'found in' });
      await page.locator('details').filter({ hasText: id }).waitFor();
      assert.equal(await page.getByText('Datacenter list').count(), 0, 'reads are left out at first');
      await page.getByLabel('Resource').fill(id);
      await page.getByLabel('Action').fill('create');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await found.getByText(/^1 found/).waitFor();
      await page.locator('summary').click();
      await page.locator('details').getByRole('link', { name: 'a datacenter' }).waitFor();
      await page.locator('details').getByText(id, { exact: true }).waitFor();
      await picture(page, 'activity');
      await assertReadable(page, 'the activity log');
      await assertAccessible(page, 'the activity log');
      const bars = page.getByRole('toolbar', { name: 'Entries over time' }).getByRole('button');
      await untilEqual(page, () => bars.count(), 24);
      await bars.first().click(); // a day ago nothing was done
      await found.getByText(/^0 found/).waitFor();
      await page.getByRole('button', { name: 'All of it' }).click();
      await found.getByText(/^1 found/).waitFor();
      await page.getByLabel('User').fill('nobody@example.com');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await found.getByText(/^0 found/).waitFor();
      await untilTrue(page, 'the address can be shared', async () => page.url().includes('user=nobody'));
    });
  });
});
