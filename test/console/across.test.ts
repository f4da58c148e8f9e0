// Lists of all things of a kind, wherever they are: who sees what, in pages, filtered, with what they are in.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addServer } from '../harness/landscape.ts';
import { addContract, addGroup, addPerson, core } from '../harness/people.ts';
import { createDone, type Region, type Shown, startRegion, waitRequest } from '../harness/region.ts';

interface Found {
  items: Shown[];
  within: Record<string, string>;
}

suite('a list across datacenters', () => {
  let region: Region;
  const paths: Record<string, string> = {}; // of datacenters
  const [north, south] = ['north', 'south'].map((name) => () => paths[name] ?? '') as [() => string, () => string];
  before(async () => {
    region = await startRegion();
    for (const name of ['north', 'south', 'empty']) {
      const properties = { name, location: 'de/txl' };
      paths[name] = `${core}/datacenters/${(await createDone(region, `${core}/datacenters`, { properties })).id}`;
    }
    for (const [at, name] of ['web-1', 'web-2', 'db'].entries())
      await addServer(region, at < 2 ? north() : south(), { name });
    for (const name of ['north', 'south'])
      await createDone(region, `${paths[name]}/lans`, { properties: { name: `lan of ${name}` } });
  });
  after(() => region.stop());

  const list = async (path: string, token?: string): Promise<Found> => {
    const options = token === undefined ? {} : { token };
    const { status, body } = await region.call<Found>('GET', `/console/across/${path}`, undefined, options);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const namesOf = ({ items }: Found): string[] => items.map(({ properties }) => String(properties.name));
  const servers = 'datacenters/-/servers';

  test('has all of them as the API shows each, and the names of what they are in', async () => {
    const found = await list(`${servers}?depth=1`);
    assert.deepEqual(namesOf(found), ['web-1', 'web-2', 'db']);
    assert.deepEqual(found.within, { [north()]: 'north', [south()]: 'south' });
    const shown = found.items[0] as Shown & { href: string };
    const read = (await region.call('GET', shown.href)).body;
    assert.deepEqual([shown.metadata, shown.properties], [read.metadata, read.properties]);
    assert.deepEqual(
      (await list('datacenters/-/lans?depth=1')).items.map(({ id }) => id),
      ['1', '1'],
    );
  });

  test('comes in pages, filtered and in order, with the names of the page alone', async () => {
    const second = await list(`${servers}?depth=1&offset=2&limit=1`);
    assert.deepEqual([namesOf(second), Object.values(second.within)], [['db'], ['south']]);
    assert.deepEqual(namesOf(await list(`${servers}?depth=1&filter.name=WEB`)), ['web-1', 'web-2']);
    assert.deepEqual(namesOf(await list(`${servers}?depth=1&orderBy=name`)), ['db', 'web-1', 'web-2']);
    assert.equal((await region.call('GET', `/console/across/${servers}?limit=x`)).status, 422);
  });

  test('shows what changes', async () => {
    const server = await addServer(region, paths.empty ?? '', { name: 'new' });
    assert.ok(namesOf(await list(`${servers}?depth=1`)).includes('new'));
    const { headers } = await region.call('DELETE', server);
    await waitRequest(region, headers.location);
    assert.ok(!namesOf(await list(`${servers}?depth=1`)).includes('new'));
  });

  test('shows nobody what their own reads would not', async () => {
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

  test('is there for kinds that are in others, and nothing else', async () => {
    for (const path of [
      'datacenters',
      `${north().slice(core.length + 1)}/servers`,
      'datacenters/-/nothing',
      'um/users/-/s3keys',
    ])
      assert.equal((await region.call('GET', `/console/across/${path}`)).status, 404, path);
    assert.deepEqual((await list('datacenters/-/servers/-/nics')).items, []);
  });
});
