// Browser tests of resource forms: the first server of an empty contract takes fewer than ten clicks; reasons of
// refusals and secrets are shown.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { addGroup as addScalingGroup, untilSettled } from '../../harness/autoscaling.ts';
import { addDatacenter, addServer } from '../../harness/landscape.ts';
import { addGroup, addPerson, core } from '../../harness/people.ts';
import { plant } from '../../harness/pipelines.ts';
import { createDone, waitRequest } from '../../harness/region.ts';
import { follow } from '../every-resource/every-resource.ts';
import { assertAccessible } from '../harness/accessible.ts';
import {
  assertReadable,
  Desk,
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

suite('the first server in a browser', () => {
  test('takes fewer than ten clicks, including those into fields', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region, owner } = await desk.newContract();
      let clicks = 0;
      const click = async (what: Locator): Promise<void> => {
        clicks += 1;
        await what.click();
      };
      const write = async (label: string, text: string): Promise<void> => {
        await click(page.getByRole('textbox', { name: label, exact: true }));
        await page.keyboard.type(text);
      };
      await signInBy(page, region, owner);
      await click(page.getByRole('region', { name: 'First steps' }).getByRole('link', { name: 'Create datacenter' }));
      await write('Name', 'first');
      clicks += 1;
      await page.getByRole('combobox', { name: 'Location' }).selectOption('de/txl');
      await click(page.getByRole('button', { name: 'Create datacenter' }));
      await click(page.locator('.item-head').getByRole('link', { name: 'Create server' }));
      await write('Name', 'web');
      await click(
        page.getByRole('group', { name: 'Size', exact: true }).getByRole('button', { name: '2 cores, 4 GB' }),
      );
      await untilEqual(() => page.getByLabel('RAM').inputValue(), '4096');
      await write('Image password', 'APasswordOfTests1');
      const access = page.getByRole('checkbox', { name: 'Internet access' });
      await untilTrue('a server reaches the internet', () => access.isChecked());
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
      await page.getByText(/^Not set: Template, /).waitFor();
      await picture(page, 'first-server');
      assert.ok(clicks < 10, `${clicks} clicks`);
      const { body } = await region.call('GET', `${core}/datacenters?depth=5`);
      const [server] = items(items(body)[0]?.entities.servers);
      assert.equal(server?.properties.vmState, 'RUNNING');
      assert.equal(items(server?.entities.volumes).length, 1);
      const [nic, ...others] = items(server?.entities.nics);
      assert.deepEqual(others, []);
      const [lan] = items(items(body)[0]?.entities.lans);
      assert.equal(lan?.properties.public, true, 'users expect to reach their first server');
      assert.match(String(nic?.properties.ips), /^198\.(?:18|19)\./);
    });
  });

  test('may be a Cube: the form asks for its template, but not for values of the template', async (t) => {
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
      await untilEqual(() => cores.count(), 0);
      await untilEqual(() => page.getByRole('spinbutton', { name: 'Size' }).count(), 0);
      const warning = page.getByText('no one can sign in to this server');
      await warning.waitFor();
      await page.getByRole('textbox', { name: 'Image password' }).fill('APasswordOfTests1');
      await warning.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Create server' }).click();
      await page.getByText('This field is required.').waitFor();
      await template.locator('option').nth(2).waitFor({ state: 'attached' });
      await template.selectOption({ index: 1 });
      await page.locator('.cost-line').waitFor();
      await picture(page, 'cube-form');
      await assertAccessible(page, 'the form of a Cube');
      await page.getByRole('button', { name: 'Create server' }).click();
      await page.getByRole('heading', { name: 'cube', exact: true }).waitFor();
      await page.getByText('RUNNING').first().waitFor();
      const { body } = await region.call('GET', `${core}/datacenters/${id}?depth=5`);
      const [server] = items((body as unknown as ResourceBody).entities.servers);
      assert.deepEqual([server?.properties.type, items(server?.entities.volumes)[0]?.properties.type], ['CUBE', 'DAS']);
    });
  });
});

interface ResourceBody {
  properties: Record<string, unknown>;
  entities: Record<string, unknown>;
}

const items = (collection: unknown): ResourceBody[] => (collection as { items: ResourceBody[] }).items;

suite('forms of resources', () => {
  test('show why the user may not create something, as lists and the palette do, until the rights change', async (t) => {
    if (!desk.isOpen) return t.skip('no browser');
    const { region } = desk;
    const person = await addPerson(region);
    const reason = 'Your user lacks the privilege “Create datacenter” (createDataCenter).';
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const list = '/console/resources/cloudapi/datacenters';
      await signInBy(page, region, person.basic, `${list}/new`);
      await page.getByRole('main').getByText(reason).waitFor();
      assert.equal(await page.getByLabel('Name').count(), 0);
      await follow(page, list);
      const create = page.getByRole('button', { name: `Create datacenter. ${reason}` });
      await create.hover();
      await inLooks(page, looksOf(1280, 390), async (look) => {
        await picture(page, `no-rights-${look}`);
        await assertReadable(page, 'a list without rights');
        await assertAccessible(page, 'a list without rights');
      });
      await page.keyboard.press('Control+K');
      await page.keyboard.type('create datacenter');
      await page.getByRole('option', { name: reason }).first().waitFor();
      await page.keyboard.press('Escape');
      const group = await addGroup(region, ['createDataCenter'], [person.user]);
      await page.getByRole('main').getByRole('link', { name: 'Create datacenter' }).first().waitFor();
      const shared = await addDatacenter(region);
      const [id = ''] = shared.split('/').slice(-1);
      const share = await region.call('POST', `${core}/um/groups/${group.id}/shares/${id}`, { properties: {} });
      await waitRequest(region, share.headers.location);
      await addServer(region, shared, { name: 'shared' });
      await follow(page, `${list}/${id}?tab=servers`);
      await page.getByRole('button', { name: 'Delete. You may see this resource but not change it.' }).waitFor();
      await page.getByRole('button', { name: 'Create server. You may see this resource but not change it.' }).waitFor();
      await page.getByLabel('Select shared').check();
      const chosen = page.getByRole('toolbar', { name: 'Selected rows' });
      for (const action of ['Stop', 'Delete'])
        await chosen.getByRole('button', { name: `${action}. You may see this resource but not change it.` }).waitFor();
      await inLooks(page, looksOf(1280, 390), async (look) => {
        await picture(page, `only-read-${look}`);
        await assertAccessible(page, 'a resource that the user may only see');
      });
      await follow(page, '/console/buckets');
      await page
        .getByRole('button', { name: /^Create bucket\. .*s3Privilege/ })
        .first()
        .waitFor();
    });
  });

  test('unfold a folded field that has a problem', async (t) => {
    if (!desk.isOpen) return t.skip('no browser');
    const properties = { name: 'shop', location: 'de/fra' };
    const { id } = await createDone(desk.region, `${core}/datacenters`, { properties });
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const url = `/console/resources/cloudapi/datacenters/${id}/volumes/new`;
      await signInBy(page, desk.region, desk.region.owner, url);
      await page.getByLabel('Name', { exact: true }).fill('disk');
      await page.getByLabel('Type', { exact: true }).selectOption('SSD');
      await page.getByLabel('Size', { exact: true }).fill('10');
      await page.getByRole('button', { name: 'Create volume' }).click();
      await page.getByText(/One of .*licenceType.* is required/).waitFor();
      await assertAccessible(page, url);
    });
  });

  test('open again with the values of a creation that failed', async (t) => {
    if (!desk.isOpen) return t.skip('no browser');
    const { region, owner } = await desk.newContract();
    const properties = { name: 'shop', location: 'de/fra' };
    const { id } = await createDone(region, `${core}/datacenters`, { properties });
    await plant(region, { kind: 'server', step: 'create.*', mode: 'fail', message: 'The host is full.' });
    await desk.see(t, { expected: refusedCall }, async (page) => {
      await signInBy(page, region, owner, `/console/resources/cloudapi/datacenters/${id}/servers/new`);
      await page.getByLabel('Name', { exact: true }).fill('web');
      await page.getByLabel('Cores').fill('3');
      await page.getByLabel('Image password').fill('APasswordOfTests1');
      await page.getByRole('button', { name: 'Create server' }).click();
      const again = page.getByRole('link', { name: 'Edit and retry' });
      await again.waitFor();
      await region.call('DELETE', '/lab/faults');
      await again.click();
      await page.getByText('Filled with the values of the failed request.').waitFor();
      await untilEqual(() => page.getByLabel('Cores').inputValue(), '3');
      assert.equal(await page.getByLabel('Image alias').inputValue(), 'ubuntu:latest');
      assert.equal(await page.getByLabel('Image password').inputValue(), '');
      await picture(page, 'edit-and-retry');
      await assertAccessible(page, 'a form that repeats a request');
      await page.getByLabel('Name', { exact: true }).fill('web-2');
      await page.getByLabel('Image password').fill('APasswordOfTests2');
      await page.getByRole('button', { name: 'Create server' }).click();
      await page.getByRole('heading', { name: 'web-2', exact: true }).waitFor();
      await page.getByText('RUNNING').first().waitFor();
      const { body } = await region.call('GET', `${core}/datacenters/${id}?depth=5`);
      const { lans, servers } = (body as unknown as ResourceBody).entities;
      const namesIn = (collection: unknown): unknown[] => items(collection).map(({ properties: { name } }) => name);
      const [server] = items(servers);
      assert.deepEqual(namesIn(lans), ['lan-1'], 'the LAN of the first attempt is used again');
      assert.deepEqual(namesIn(server?.entities.nics), ['web-nic']);
      assert.deepEqual(namesIn(server?.entities.volumes), ['web-disk']);

      await page.goto(`${region.url}/console/requests`);
      await page.getByRole('link', { name: 'Create server web' }).last().click();
      await page.getByRole('region', { name: 'Failure' }).getByRole('link', { name: 'Edit and retry' }).waitFor();
    });
  });

  test('create what they need: a balancer in a public LAN gets an address that the form reserves', async (t) => {
    if (!desk.isOpen) return t.skip('no browser');
    const { region, owner } = await desk.newContract();
    const properties = { name: 'shop', location: 'de/fra' };
    const { id } = await createDone(region, `${core}/datacenters`, { properties });
    await createDone(region, `${core}/datacenters/${id}/lans`, { properties: { name: 'out', public: true } });
    await desk.see(t, {}, async (page) => {
      await signInBy(page, region, owner, `/console/resources/cloudapi/datacenters/${id}/networkloadbalancers/new`);
      await page.getByRole('textbox', { name: 'Name' }).fill('front');
      await page.getByLabel('Listener LAN').selectOption('1');
      await page.getByLabel('Target LAN').selectOption({ label: 'New LAN …' });
      const dialog = page.getByRole('dialog', { name: 'New LAN' });
      await untilEqual(() => dialog.getByLabel('Name').inputValue(), 'lan-2');
      await assertAccessible(page, 'the dialog of a new LAN');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await untilEqual(() => page.getByLabel('Target LAN').inputValue(), '2');
      await page.getByRole('button', { name: 'Create network load balancer' }).click();
      await page.getByText('The LAN out is public, so the balancer needs a reserved address.').waitFor();
      await picture(page, 'balancer-form-needs-address');
      await page.getByRole('combobox', { name: 'IP 1' }).selectOption({ label: 'Reserve an address …' });
      const reserve = page.getByRole('dialog', { name: 'Reserve an address' });
      await untilEqual(() => reserve.getByLabel('Location').inputValue(), 'de/fra');
      await reserve.getByRole('button', { name: 'Create' }).click();
      await untilTrue('the address is selected', async () =>
        /^198\./.test(await page.getByRole('combobox', { name: 'IP 1' }).inputValue()),
      );
      await picture(page, 'balancer-form');
      await page.getByRole('button', { name: 'Create network load balancer' }).click();
      await page.getByRole('heading', { name: 'front', exact: true }).waitFor();
      const { body } = await region.call('GET', `${core}/datacenters/${id}/networkloadbalancers?depth=1`);
      assert.match(String(items(body)[0]?.properties.ips), /^198\./);
    });
  });

  test('are not offered for a group whose datacenter was deleted', async (t) => {
    if (!desk.isOpen) return t.skip('no browser');
    const { region } = desk;
    const datacenter = await addDatacenter(region);
    const group = await addScalingGroup(region, { name: 'left' }, datacenter);
    await untilSettled(region, group.path);
    const { headers } = await region.call('DELETE', datacenter);
    await waitRequest(region, headers.location);
    await desk.see(t, {}, async (page) => {
      await signInBy(page, region, region.owner, `/console/resources/autoscaling/groups/${group.id}/edit`);
      await page.getByText('Its datacenter was deleted. Delete the group.').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
      await page.getByRole('link', { name: 'Open the auto scaling group' }).click();
      await page.getByRole('button', { name: 'Edit. Its datacenter was deleted. Delete the group.' }).waitFor();
    });
  });

  test('do not send invalid JSON, and do not ask before leaving after the form was sent', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/resources/cloudapi/datacenters/new');
      await page.getByLabel('Name').fill('mine');
      const sent: string[] = [];
      page.on('request', (request) => {
        const isCreation = request.method() === 'POST' && request.url().endsWith('/datacenters');
        if (isCreation) sent.push(request.postData() ?? '');
      });
      await page.getByRole('button', { name: 'Edit as JSON' }).click();
      const body = page.getByLabel('Body');
      for (const [text, message] of [
        ['{bad', /in JSON/],
        ['{"name":"mine"}', /properties: an object is expected/],
      ] as const) {
        await body.fill(text);
        await page.getByRole('button', { name: 'Create datacenter' }).click();
        await page.getByText(message).waitFor();
        assert.equal(await body.getAttribute('aria-invalid'), 'true');
      }
      assert.deepEqual(sent, []);
      await body.fill('{"properties":{"name":"by JSON","location":"de/fra"}}');
      await page.getByRole('button', { name: 'Create datacenter' }).click();
      await page.getByRole('heading', { name: 'by JSON' }).waitFor();
      assert.equal(sent.length, 1);
    });
  });

  test('offer each field its own choices, also if several use the same address', async (t) => {
    const { region } = desk;
    const made = await createDone(region, `${core}/datacenters`, { properties: { name: 'own', location: 'de/fra' } });
    await desk.see(t, {}, async (page) => {
      await signInBy(page, region, region.owner, `/console/resources/cloudapi/datacenters/${made.id}/servers/new`);
      const optionsOf = (label: string): Promise<string[]> =>
        page.getByLabel(label, { exact: true }).locator('option').allInnerTexts();
      const alias = page.getByLabel('Image alias', { exact: true });
      await alias.locator('option', { hasText: /^ubuntu:latest$/ }).waitFor({ state: 'attached' });
      assert.ok(
        (await optionsOf('Image alias')).every((one) => !/[0-9a-f]{8}…/.test(one)),
        'aliases only',
      );
      const disks = await optionsOf('Boot CD-ROM');
      assert.ok(!disks.includes('ubuntu:latest'), disks.join());
    });
  });

  test('offer a rule the addresses of its gateway, and a gateway the LANs around it', async (t) => {
    const { region } = desk;
    const made = await createDone(region, `${core}/datacenters`, { properties: { name: 'nat', location: 'de/fra' } });
    const place = `/datacenters/${made.id}`;
    const block = await createDone(region, `${core}/ipblocks`, { properties: { location: 'de/fra', size: 2 } });
    const [own, other] = block.properties.ips as string[];
    await createDone(region, `${core}${place}/lans`, { properties: { name: 'inside', public: false } });
    const gateway = await createDone(region, `${core}${place}/natgateways`, {
      properties: { name: 'out', publicIps: [own] },
    });
    await desk.see(t, {}, async (page) => {
      const url = `/console/resources/cloudapi${place}/natgateways`;
      await signInBy(page, region, region.owner, `${url}/${gateway.id}/rules/new`);
      const ip = page.getByLabel('Public IP');
      await ip.locator('option', { hasText: own ?? '' }).waitFor({ state: 'attached' });
      assert.ok(!(await ip.innerText()).includes(other ?? ''), 'only addresses of the gateway');
      await follow(page, `${url}/new`);
      const first = page.locator('[data-place="properties.publicIps.0"]');
      await first.locator('select').selectOption('Other value …');
      await page.getByRole('button', { name: 'Add to LANs' }).click();
      await page.getByRole('option', { name: /^inside .*private/ }).waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Create NAT gateway' }).click();
      await first.getByText('This field is required.').waitFor();
      await first.locator('input').fill('1.2.3');
      await page.getByRole('button', { name: 'Create NAT gateway' }).click();
      await page.getByText('Expected an IPv4 address, such as 10.1.2.3.').waitFor();
    });
  });

  test('show the values of a log stream, and accept the empty name of a record', async (t) => {
    const { region } = desk;
    const { body: zone } = await region.call('POST', '/dns/zones', { properties: { zoneName: 'own.example' } });
    await desk.see(t, {}, async (page) => {
      await signInBy(page, region, region.owner, '/console/resources/logging/pipelines/new');
      await page.getByLabel('Source').selectOption('docker');
      await page.getByLabel('Protocol').selectOption('tcp');
      await page.reload();
      await follow(page, `/console/resources/dns/zones/${zone.id}/records/new`);
      await page.getByLabel('Type').selectOption('MX');
      await page.getByLabel('Content').fill('mail.own.example');
      await page.getByRole('button', { name: 'Create record' }).click();
      const priority = page.locator('[data-place="properties.priority"]');
      await priority.getByText('This field is required.').waitFor();
      await priority.locator('input').fill('10');
      await page.getByRole('button', { name: 'Create record' }).click();
      await page.getByRole('heading', { name: 'Create record' }).waitFor({ state: 'detached' });
    });
  });

  test('attach an existing volume by its name', async (t) => {
    if (!desk.isOpen) return t.skip('no browser');
    const { region } = desk;
    const made = await createDone(region, `${core}/datacenters`, { properties: { name: 'stage', location: 'de/fra' } });
    const place = `/datacenters/${made.id}`;
    const disk = { name: 'spare', size: 10, type: 'SSD', licenceType: 'LINUX' };
    await createDone(region, `${core}${place}/volumes`, { properties: disk });
    const server = await createDone(region, `${core}${place}/servers`, {
      properties: { name: 'a', cores: 1, ram: 1024 },
    });
    await desk.see(t, {}, async (page) => {
      const url = `/console/resources/cloudapi${place}/servers/${server.id}/volumes`;
      await signInBy(page, region, region.owner, `${url}/new`);
      const choice = page.getByLabel('Existing volume');
      await choice.getByRole('option', { name: /^spare/ }).waitFor({ state: 'attached' });
      await choice.selectOption({ label: (await choice.getByRole('option', { name: /^spare/ }).innerText()).trim() });
      await page.getByRole('button', { name: 'Attach volume' }).click();
      await page.getByRole('link', { name: 'spare' }).waitFor();
    });
  });

  test('show the secret of an access key once, and ask before it is renewed', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/resources/objectstorage/accesskeys/new');
      await page.getByLabel('Description').fill('of a test');
      await page.getByRole('button', { name: 'Create access key' }).click();
      const secret = page.getByRole('dialog').getByRole('textbox');
      const first = await secret.inputValue();
      assert.ok(first.length > 20, first);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('heading', { name: 'of a test' }).waitFor();
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Renew' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Renew' }).click();
      await page.getByText('This is shown only once').waitFor();
      assert.notEqual(await secret.inputValue(), first);
    });
  });
});
