// From an empty contract to the first server, with a boot volume and a NIC that the internet reaches, in fewer than ten
// clicks.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { core } from '../harness/people.ts';
import { createDone } from '../harness/region.ts';
import { assertAccessible } from './accessible.ts';
import { assertReadable, Desk, picture, signInBy, untilEqual, untilTrue } from './window.ts';

suite('the first server in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test('takes fewer than ten clicks, those into fields counted', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      let clicks = 0;
      const click = async (what: Locator): Promise<void> => {
        clicks += 1;
        await what.click();
      };
      const write = async (label: string, text: string): Promise<void> => {
        await click(page.getByRole('textbox', { name: label, exact: true }));
        await page.keyboard.type(text);
      };
      await signInBy(page, region, region.owner);
      await click(page.getByRole('region', { name: 'First steps' }).getByRole('link', { name: 'Make one here' }));
      await write('Name', 'first');
      clicks += 1;
      await page.getByRole('combobox', { name: 'Location' }).selectOption('de/txl');
      await click(page.getByRole('button', { name: 'Create datacenter' }));
      await click(page.getByRole('main').getByRole('link', { name: 'New server' }));
      await write('Name', 'web');
      await write('Image password', 'APasswordOfTests1');
      const access = page.getByRole('checkbox', { name: 'Internet access' });
      await untilTrue(page, 'a server reaches the internet', () => access.isChecked());
      assert.match((await access.getAttribute('aria-describedby')) ?? '', /hint/);
      await picture(page, 'first-server-form');
      await assertReadable(page, 'the form of a server');
      await assertAccessible(page, 'the form of a server');
      await click(page.getByRole('button', { name: 'Create server' }));
      await page.getByRole('heading', { name: 'web', exact: true }).waitFor();
      await page.getByText('RUNNING').first().waitFor();
      await page
        .getByRole('table', { name: 'Addresses' })
        .getByText(/^198\.(?:18|19)\./)
        .waitFor();
      await page
        .getByRole('table', { name: 'Volumes' })
        .getByRole('link', { name: /ubuntu/i })
        .waitFor();
      await picture(page, 'first-server');
      assert.ok(clicks < 10, `${clicks} clicks`);
      const { body } = await region.call('GET', `${core}/datacenters?depth=5`);
      const [server] = items(items(body)[0]?.entities.servers);
      assert.equal(server?.properties.vmState, 'RUNNING');
      assert.equal(items(server?.entities.volumes).length, 1);
      const [nic, ...others] = items(server?.entities.nics);
      assert.deepEqual(others, []);
      const [lan] = items(items(body)[0]?.entities.lans);
      assert.equal(lan?.properties.public, true, 'who makes a first server expects to reach it');
      assert.match(String(nic?.properties.ips), /^198\.(?:18|19)\./);
    });
  });

  test('may be a Cube: the form asks for its template, and for nothing that the template decides', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const properties = { name: 'cubes', location: 'de/txl' };
      const { id } = await createDone(region, `${core}/datacenters`, { properties });
      await signInBy(page, region, region.owner);
      await page.goto(`${region.url}/console/resources/cloudapi/datacenters/${id}/servers/new`);
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('cube');
      const cores = page.getByRole('spinbutton', { name: 'Cores' });
      await cores.waitFor();
      await page.getByRole('combobox', { name: 'Type', exact: true }).first().selectOption('CUBE');
      const template = page.getByRole('combobox', { name: 'Template' });
      await template.waitFor();
      await untilEqual(page, () => cores.count(), 0);
      await untilEqual(page, () => page.getByRole('spinbutton', { name: 'Size' }).count(), 0);
      const warning = page.getByText('nobody can sign in to this server');
      await warning.waitFor();
      await page.getByRole('textbox', { name: 'Image password' }).fill('APasswordOfTests1');
      await warning.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Create server' }).click();
      await page.getByText('This is needed.').waitFor();
      await template.locator('option').nth(2).waitFor({ state: 'attached' });
      await template.selectOption({ index: 1 });
      await page.locator('.cost-line').waitFor();
      await picture(page, 'cube-form');
      await assertAccessible(page, 'the form of a Cube');
      await page.getByRole('button', { name: 'Create server' }).click();
      await page.getByRole('heading', { name: 'cube', exact: true }).waitFor();
      await page.getByText('RUNNING').first().waitFor();
      const { body } = await region.call('GET', `${core}/datacenters/${id}?depth=5`);
      const [server] = items((body as unknown as Thing).entities.servers);
      assert.deepEqual([server?.properties.type, items(server?.entities.volumes)[0]?.properties.type], ['CUBE', 'DAS']);
    });
  });
});

interface Thing {
  properties: Record<string, unknown>;
  entities: Record<string, unknown>;
}

const items = (collection: unknown): Thing[] => (collection as { items: Thing[] }).items;
