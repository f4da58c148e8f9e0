// Private cross connects, black box.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, assertRefused, done, read } from '../../harness/landscape.ts';
import { addGroup, addPerson, core } from '../../harness/people.ts';
import { createDone, type Region, startRegion, waitRequest } from '../../harness/region.ts';

const pccs = `${core}/pccs`;
const idOf = (path: string): string => path.split('/').at(-1) ?? '';

suite('private cross connects', { concurrency: true }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const add = async (properties: object = { name: 'a cross connect' }): Promise<string> =>
    `${pccs}/${(await createDone(region, pccs, { properties })).id}`;
  const addLan = async (datacenter: string, pcc: string): Promise<string> =>
    `${datacenter}/lans/${(await createDone(region, `${datacenter}/lans`, { properties: { name: 'in it', pcc } })).id}`;
  const connectable = async (path: string): Promise<string[]> =>
    ((await read(region, path)).properties.connectableDatacenters as { id: string }[]).map(({ id }) => id);

  test('[CORE-20] a cross connect is created, read, changed and deleted; there is no PUT', async () => {
    const made = await region.call('POST', pccs, { properties: { name: 'one', description: 'of two' } });
    assert.equal(made.status, 202);
    assert.ok(['BUSY', 'AVAILABLE'].includes(String(made.body.metadata.state)));
    await waitRequest(region, made.headers.location);
    const path = `${pccs}/${made.body.id}`;
    const shown = await read(region, path);
    assert.equal(shown.type, 'pcc');
    assert.equal(shown.metadata.state, 'AVAILABLE');
    const { connectableDatacenters, ...rest } = shown.properties;
    assert.ok(Array.isArray(connectableDatacenters));
    assert.deepEqual(rest, { name: 'one', description: 'of two', peers: [] });
    await done(region, 'PATCH', path, { name: 'two' });
    assert.equal((await read(region, path)).properties.name, 'two');
    assert.equal((await read(region, path)).properties.description, 'of two');
    assert.equal((await region.call('PUT', path, { properties: { name: 'x' } })).status, 405);
    assertRefused(
      await region.call('POST', pccs, { properties: { name: 7, peers: [], connectableDatacenters: [] } }),
      'properties.name] Expected a string',
      '105 [(root).properties.peers] Attribute is read-only',
      '105 [(root).properties.connectableDatacenters] Attribute is read-only',
    );
    const list = await read(region, `${pccs}?depth=1&filter.name=two`);
    assert.equal(list.items[0]?.properties.name, 'two');
    assert.equal('offset' in list, false);
    await done(region, 'DELETE', path);
    assert.equal((await region.call('GET', path)).status, 404);
  });

  test('[CORE-20] its peers are the LANs that name it, of datacenters in one location', async () => {
    const path = await add();
    const [berlin, other, far] = await Promise.all(
      ['de/txl', 'de/txl', 'de/fra'].map((location) => addDatacenter(region, location)),
    );
    assert.ok(berlin && other && far);
    const first = await connectable(path);
    for (const datacenter of [berlin, other, far]) assert.ok(first.includes(idOf(datacenter)), 'all can be connected');
    const lans = [await addLan(berlin, idOf(path)), await addLan(other, idOf(path))];
    const peer = (datacenter: string) => ({
      id: '1',
      name: 'in it',
      location: 'de/txl',
      datacenterId: idOf(datacenter),
      datacenterName: 'a datacenter',
    });
    assert.deepEqual((await read(region, path)).properties.peers, [berlin, other].map(peer));
    const then = await connectable(path);
    assert.ok(then.includes(idOf(berlin)) && then.includes(idOf(other)));
    assert.ok(!then.includes(idOf(far)), 'elsewhere');
    assertRefused(
      await region.call('POST', `${far}/lans`, { properties: { pcc: idOf(path) } }),
      'The cross connect has LANs in de/txl, but the datacenter is in de/fra',
    );
    assert.equal((await read(region, lans[0] as string)).properties.pcc, idOf(path));
  });

  test('[CORE-20] it can be deleted once no LAN is in it', async () => {
    const path = await add();
    const datacenter = await addDatacenter(region);
    const lan = await addLan(datacenter, idOf(path));
    assertRefused(
      await region.call('DELETE', path),
      `200 The cross connect can't be deleted: LAN 1 of datacenter ${idOf(datacenter)} is in it.`,
    );
    await done(region, 'PATCH', lan, { pcc: null });
    assert.deepEqual((await read(region, path)).properties.peers, []);
    await addLan(datacenter, idOf(path));
    assertRefused(await region.call('DELETE', path), 'LAN 2 of datacenter');
    await done(region, 'DELETE', datacenter);
    await done(region, 'DELETE', path);
  });

  test('[AUTH-08] it needs the privilege createPcc, and shows the datacenters that its reader may see', async () => {
    const hidden = await addDatacenter(region);
    const person = await addPerson(region);
    const { token } = person;
    const body = { properties: { name: 'mine' } };
    assert.equal((await region.call('POST', pccs, body, { token })).status, 403);
    await addGroup(region, ['createPcc', 'createDataCenter'], [person.user]);
    const mine = await createDone(region, pccs, body, { token });
    const properties = { name: 'mine', location: 'de/txl' };
    const own = await createDone(region, `${core}/datacenters`, { properties }, { token });
    const seen = async (path: string) => JSON.stringify((await region.call('GET', path, undefined, { token })).body);
    for (const path of [`${pccs}/${mine.id}`, `${pccs}?depth=1`]) {
      assert.ok((await connectable(`${pccs}/${mine.id}`)).includes(idOf(hidden)), 'the owner sees all');
      const text = await seen(path);
      assert.ok(text.includes(own.id));
      assert.ok(!text.includes(idOf(hidden)), 'a user does not');
    }
    const others = await add();
    assert.equal((await region.call('GET', others, undefined, { token })).status, 404);
  });
});
