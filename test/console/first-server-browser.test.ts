// From an empty contract to the first server, with a boot volume and a NIC that the internet reaches, in fewer than ten
// clicks.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { core } from '../harness/people.ts';
import { assertAccessible } from './accessible.ts';
import { assertReadable, Desk, picture, signInBy } from './window.ts';

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
      assert.ok(await access.isChecked());
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
});

interface Thing {
  properties: Record<string, unknown>;
  entities: Record<string, unknown>;
}

const items = (collection: unknown): Thing[] => (collection as { items: Thing[] }).items;
