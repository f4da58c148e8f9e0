// One answer reports all problems that the schema and the rules find in a request, and all limits that it would exceed.
// Of the problems that a decision finds, it reports the first.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, addVolume, assertRefused, disk, figures, small } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { type Answer, createDone, type Region, startRegion } from '../harness/region.ts';

const datacenters = `${core}/datacenters`;
const messagesOf = ({ body }: Answer): string[] => body.messages.map(({ message }) => message);

suite('reported together', () => {
  let region: Region;
  let datacenter: string;
  before(async () => {
    region = await startRegion();
    datacenter = await addDatacenter(region);
  });
  after(() => region.stop());
  const composite = (server: object) =>
    region.call('POST', datacenters, {
      properties: { name: 'all', location: 'de/txl' },
      entities: { servers: { items: [server] } },
    });
  const post = (path: string, body: unknown) => region.call('POST', `${datacenter}${path}`, body);

  const nics = { items: [{ properties: { lan: 1, ips: ['300.1.1.1', '10.0.0.5', '400.1.1.1'] } }] };
  const volumes = { items: [{ properties: { type: 'HDD', size: 10, image: 'nope', imageAlias: 'nope:1' } }] };
  const at = '[(root).entities.servers.items.[0]';

  test('[CORE-07] the problems that the schema and the rules find in all parts are reported together', async () => {
    const properties = { ...small, cores: 0, cpuFamily: 'X', bootVolume: { id: 'zz' } };
    const refused = await composite({ properties, entities: { nics, volumes } });
    assertRefused(
      refused,
      `${at}.properties.cores] Attribute value 0`,
      `${at}.entities.nics.items.[0].properties.ips.[0]]`,
      `${at}.entities.nics.items.[0].properties.ips.[2]]`,
      `${at}.entities.volumes.items.[0].properties.imageAlias]`,
    );
    assert.equal(messagesOf(refused).length, 4, JSON.stringify(messagesOf(refused)));
  });

  test('[CORE-07] the first problem of a decision is reported', async () => {
    const refused = await composite({ properties: { ...small, cpuFamily: 'X', bootVolume: { id: 'zz' } } });
    assertRefused(refused, `${at}.properties.cpuFamily]`);
    assert.equal(messagesOf(refused).length, 1, JSON.stringify(messagesOf(refused)));
    const lan = await post('/lans', { properties: { ipv6CidrBlock: 'x', pcc: 'nope' } });
    assert.equal(messagesOf(lan).length, 1, JSON.stringify(messagesOf(lan)));
  });

  test('[CORE-07] at most 100 problems are reported, however many there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 1900 }, (_, at) => [`k${at}`, 1]));
    for (const body of [many, { properties: many }, { properties: {}, entities: many }]) {
      const refused = await region.call('POST', datacenters, body);
      assert.equal(refused.status, 422);
      assert.equal(messagesOf(refused).length, 100);
    }
  });

  test('the contents of an unknown resource are not checked', async () => {
    const servers = { items: [{ properties: { ...small, cpuFamily: 'X' } }] };
    const refused = await region.call('POST', datacenters, { properties: { name: 'x' }, entities: { servers } });
    assert.deepEqual(messagesOf(refused), ['[(root).properties.location] Attribute is required']);
  });

  test('a change reports all problems, too, and the resource is unchanged', async () => {
    const server = await addServer(region, datacenter);
    const { body: nic } = await region.call('POST', `${server}/nics`, { properties: { lan: 4 } });
    const path = `${server}/nics/${nic.id}`;
    const before = await region.call('GET', path);
    const refused = await region.call('PATCH', path, { ips: ['10.0.0.300', 'x'], dhcp: 3 });
    assertRefused(refused, '[(root).ips.[0]]', '[(root).ips.[1]]', '[(root).dhcp]');
    assert.equal(refused.body.messages.length, 3, JSON.stringify(messagesOf(refused)));
    assert.deepEqual((await region.call('GET', path)).body.properties, before.body.properties);
  });

  test('[CORE-21] all limits that would be exceeded are reported, with the usage', async () => {
    const limits = await figures(region);
    const most = (name: string) => Number(limits[name]);
    const server = { ...small, cores: most('coresPerServer'), ram: most('ramPerServer') };
    const count = 1 + Math.ceil(most('ramPerContract') / most('ramPerServer'));
    const cores = Math.ceil(most('coresPerContract') / most('coresPerServer'));
    const servers = { items: Array.from({ length: Math.max(count, cores + 1) }, () => ({ properties: server })) };
    const size = most('hddLimitPerVolume') / 1024;
    const disks = 1 + Math.ceil(most('hddLimitPerContract') / most('hddLimitPerVolume'));
    const volumes = { items: Array.from({ length: disks }, () => ({ properties: { ...disk, size } })) };
    await addVolume(region, datacenter, { size: 7 });
    const properties = { name: 'large', location: 'de/txl' };
    const used = await figures(region);
    const refused = await region.call('POST', datacenters, { properties, entities: { servers, volumes } });
    const said = (name: string, limit: string, at: string) =>
      new RegExp(
        `\\[\\(root\\)\\.entities\\.\\w+\\.items\\.\\[\\d+\\]\\.properties\\.${at}\\] ` +
          `The limit ${limit} of the contract is ${most(limit)}: ${used[name]} are in use, and \\d+ more would exceed it`,
      );
    assertRefused(
      refused,
      said('coresProvisioned', 'coresPerContract', 'cores'),
      said('ramProvisioned', 'ramPerContract', 'ram'),
      said('hddVolumeProvisioned', 'hddLimitPerContract', 'size'),
    );
    assert.equal(refused.body.messages.length, 3);
    assert.deepEqual(await figures(region), used);
  });

  test('a body without properties gets the list of required ones', async () => {
    const server = await addServer(region, datacenter);
    for (const [path, ...names] of [
      [datacenters, 'name', 'location'],
      [`${server}/nics`, 'lan'],
      [`${core}/ipblocks`, 'location', 'size'],
      [`${server}/labels`, 'key', 'value'],
      [`${core}/um/groups`, 'name'],
    ] as [string, ...string[]][]) {
      const refused = await region.call('POST', path, {});
      assertRefused(refused, ...names.map((name) => `[(root).properties.${name}] Attribute is required`));
      assert.equal(refused.body.messages.length, names.length, path);
    }
  });

  test('refused LANs use up no numbers', async () => {
    const fresh = await addDatacenter(region);
    const wrong = { properties: { pcc: 'nope' } };
    for (let count = 0; count < 3; count++) assertRefused(await region.call('POST', `${fresh}/lans`, wrong), '.pcc]');
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, at) => region.call('POST', `${fresh}/lans`, at % 2 ? { properties: {} } : wrong)),
    );
    assert.deepEqual(
      made
        .filter(({ status }) => status === 202)
        .map(({ body }) => body.id)
        .sort(),
      ['1', '2', '3'],
    );
    assert.equal((await createDone(region, `${fresh}/lans`, { properties: {} })).id, '4');
  });
});
