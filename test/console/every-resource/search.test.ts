// Tests of the console's calls for the resources of a contract: lists across datacenters (visibility, pages, filters,
// names of parents), the search of the palette, and the names of the resources of requests.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addServer } from '../../harness/landscape.ts';
import { addContract, addGroup, addPerson, core } from '../../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../../harness/region.ts';
import { consoleS3, signIn } from '../harness/calls.ts';

let region: Region;
before(async () => {
  region = await startRegion();
});
after(() => region.stop());

interface Found {
  items: ResourceBody[];
  within: Record<string, string>;
}

suite('a list across datacenters', () => {
  const paths: Record<string, string> = {}; // of datacenters
  const [north, south] = ['north', 'south'].map((name) => () => paths[name] ?? '') as [() => string, () => string];
  before(async () => {
    for (const name of ['north', 'south', 'empty']) {
      const properties = { name, location: 'de/txl' };
      paths[name] = `${core}/datacenters/${(await createDone(region, `${core}/datacenters`, { properties })).id}`;
    }
    for (const [at, name] of ['web-1', 'web-2', 'db'].entries())
      await addServer(region, at < 2 ? north() : south(), { name });
    for (const name of ['north', 'south'])
      await createDone(region, `${paths[name]}/lans`, { properties: { name: `lan of ${name}` } });
  });

  const list = async (path: string, token?: string): Promise<Found> => {
    const options = token === undefined ? {} : { token };
    const { status, body } = await region.call<Found>('GET', `/console/across/${path}`, undefined, options);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const namesOf = ({ items }: Found): string[] => items.map(({ properties }) => String(properties.name));
  const servers = 'datacenters/-/servers';

  test('has all resources as the API shows each, and the names of their parents', async () => {
    const found = await list(`${servers}?depth=1`);
    assert.deepEqual(namesOf(found), ['web-1', 'web-2', 'db']);
    assert.deepEqual(found.within, { [north()]: 'north', [south()]: 'south' });
    const shown = found.items[0] as ResourceBody & { href: string };
    const read = (await region.call('GET', shown.href)).body;
    assert.deepEqual([shown.metadata, shown.properties], [read.metadata, read.properties]);
    assert.deepEqual(
      (await list('datacenters/-/lans?depth=1')).items.map(({ id }) => id),
      ['1', '1'],
    );
  });

  test('comes in pages, filtered and ordered, with the names for this page only', async () => {
    const second = await list(`${servers}?depth=1&offset=2&limit=1`);
    assert.deepEqual([namesOf(second), Object.values(second.within)], [['db'], ['south']]);
    assert.deepEqual(namesOf(await list(`${servers}?depth=1&filter.name=WEB`)), ['web-1', 'web-2']);
    assert.deepEqual(namesOf(await list(`${servers}?depth=1&orderBy=name`)), ['db', 'web-1', 'web-2']);
    assert.equal((await region.call('GET', `/console/across/${servers}?limit=x`)).status, 422);
  });

  test('shows changes', async () => {
    const server = await addServer(region, paths.empty ?? '', { name: 'new' });
    assert.ok(namesOf(await list(`${servers}?depth=1`)).includes('new'));
    const { headers } = await region.call('DELETE', server);
    await waitRequest(region, headers.location);
    assert.ok(!namesOf(await list(`${servers}?depth=1`)).includes('new'));
  });

  test('shows only resources that the user may read', async () => {
    const { token: foreign } = await addContract(region, 31_000_881);
    assert.deepEqual((await list(`${servers}?depth=1`, foreign)).items, []);
    const { user, token } = await addPerson(region);
    assert.deepEqual((await list(`${servers}?depth=1`, token)).items, []);
    const group = await addGroup(region, [], [user]);
    const shared = await region.call('POST', `${core}/um/groups/${group.id}/shares/${south().split('/').at(-1)}`, {
      properties: {},
    });
    await waitRequest(region, shared.headers.location);
    assert.deepEqual(namesOf(await list(`${servers}?depth=1`, token)), ['db']);
    const { status } = await region.call('GET', `/console/across/${servers}`, undefined, { token: null });
    assert.equal(status, 401);
  });

  test('may name a parent, and has only the properties that the call selects', async () => {
    const inNorth = `${north().slice(core.length + 1)}/servers`;
    const { items, ...others } = await list(`${inNorth}?show=name,vmState,nics.ips&filter.name=web-1`);
    const [{ properties, entities } = { properties: {}, entities: {} }] = items as (ResourceBody & {
      entities: object;
    })[];
    assert.deepEqual([properties, entities], [{ name: 'web-1', vmState: 'RUNNING' }, { nics: { items: [] } }]);
    assert.deepEqual([items.length, others], [1, {}]);
    const { token: foreign } = await addContract(region, 31_000_882);
    const { token } = await addPerson(region);
    for (const one of [foreign, token]) {
      const { status } = await region.call('GET', `/console/across/${inNorth}`, undefined, { token: one });
      assert.equal(status, 404);
    }
  });

  test('exists only for nested resource types', async () => {
    for (const path of [
      'datacenters',
      'datacenters/0190f0f0-0000-7000-8000-000000000000/servers',
      'datacenters/-/nothing',
      'um/users/-/s3keys',
    ])
      assert.equal((await region.call('GET', `/console/across/${path}`)).status, 404, path);
    assert.deepEqual((await list('datacenters/-/servers/-/nics')).items, []);
  });
});

suite('the search for resources', () => {
  const found = async (text: string): Promise<string[]> => {
    const path = `/console/search?${new URLSearchParams({ text })}`;
    const { body } = await region.call<{ resources: { name: string; kind: string }[] }>('GET', path);
    return body.resources.map(({ name, kind }) => `${kind} ${name}`);
  };

  const addDatacenter = (name: string) =>
    createDone(region, '/cloudapi/v6/datacenters', { properties: { name, location: 'de/txl' } });

  test('returns exact matches first, then prefixes, independent of the number of others', async () => {
    for (let at = 0; at < 25; at++) await addDatacenter(`my shop ${at}`);
    for (const name of ['shopping', 'Shop']) await addDatacenter(name);
    assert.deepEqual((await found('shop')).slice(0, 2), ['Datacenter Shop', 'Datacenter shopping']);
    assert.equal((await found('shop')).length, 20);
  });

  test('finds records by name, and blocks by address', async () => {
    const block = await createDone(region, '/cloudapi/v6/ipblocks', {
      properties: { name: 'front', location: 'de/txl', size: 1 },
    });
    const [address = ''] = block.properties.ips as string[];
    assert.deepEqual(await found(address), [`IP block front, ${address}`]);
    const zone = await region.call('POST', '/dns/zones', { properties: { zoneName: 'shop.example' } });
    await region.call('POST', `/dns/zones/${zone.body.id}/records`, {
      properties: { name: 'www', type: 'A', content: '192.0.2.1' },
    });
    assert.deepEqual(await found('www'), ['Record www']);
  });

  test('distinguishes resources of the same name by their parents', async () => {
    for (const name of ['north', 'south']) {
      const datacenter = await addDatacenter(name);
      await createDone(region, `/cloudapi/v6/datacenters/${datacenter.id}/volumes`, {
        properties: { name: 'boot disk', size: 1, type: 'HDD', licenceType: 'OTHER' },
      });
    }
    const { body } = await region.call<{ resources: { within?: string }[] }>('GET', '/console/search?text=boot+disk');
    assert.deepEqual(body.resources.map(({ within }) => within).toSorted(), ['north', 'south']);
  });

  test('finds buckets, but not those of other contracts', async () => {
    const owner = await signIn(region, region.owner);
    for (const name of ['zebra', 'my-zebra'])
      assert.equal((await owner.call<string>('PUT', consoleS3(name))).status, 200);
    assert.deepEqual(await found('ZEBRA'), ['Bucket zebra', 'Bucket my-zebra']);
    const { token } = await addContract(region, 31_000_779);
    const { body } = await region.call<{ resources: unknown[] }>('GET', '/console/search?text=zebra', undefined, {
      token,
    });
    assert.deepEqual(body.resources, []);
  });
});

type Names = Record<string, Record<string, string>>;

test('requests return the names of their resources to users who may see them', async () => {
  const made = await createDone(region, `${core}/datacenters`, { properties: { name: 'old', location: 'de/txl' } });
  const path = `${core}/datacenters/${made.id}`;
  const renamed = await region.call('PATCH', path, { name: 'new' });
  await waitRequest(region, renamed.headers.location);
  const lan = await createDone(region, `${path}/lans`, { properties: { name: 'front', public: false } });
  const removed = await region.call('DELETE', path);
  await waitRequest(region, removed.headers.location);
  const { body: list } = await region.call(`GET`, `${core}/requests?depth=1`);
  const ids = list.items.map(({ id }) => id);
  const namesFor = async (token: string | undefined): Promise<Names> => {
    const path = `/console/request-names?ids=${[...ids, 'none'].join(',')}`;
    const { status, body } = await region.call<{ names: Names }>('GET', path, undefined, token ? { token } : {});
    assert.equal(status, 200);
    return body.names;
  };
  const names = await namesFor(undefined);
  const own = ids.map((id) => names[id]?.[made.id]).filter((one) => one !== undefined);
  assert.deepEqual(own.toSorted(), ['new', 'new', 'old']);
  assert.ok(ids.some((id) => names[id]?.[lan.id] === 'front'));
  const others = [await addPerson(region), await addContract(region, 31_000_780)];
  for (const { token } of others) assert.ok(Object.values(await namesFor(token)).every((one) => isEmpty(one)));
  assert.equal((await region.call('GET', '/console/request-names?ids=x', undefined, { token: null })).status, 401);
});

const isEmpty = (names: object): boolean => Object.keys(names).length === 0;
