// Classic load balancers, black box: NICs of one LAN behind one address.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, assertRefused, done, read } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region, startRegion } from '../../harness/region.ts';

suite('classic load balancers', { concurrency: true }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  // A datacenter with a public LAN 1 and a private LAN 2, and a server in it.
  async function grounds(): Promise<{ datacenter: string; server: string; place: string }> {
    const datacenter = await addDatacenter(region);
    await createDone(region, `${datacenter}/lans`, { properties: { public: true } });
    await createDone(region, `${datacenter}/lans`, { properties: { public: false } });
    const server = await addServer(region, datacenter);
    return { datacenter, server, place: `${datacenter}/loadbalancers` };
  }
  const addNic = async (server: string, lan: number): Promise<string> =>
    (await createDone(region, `${server}/nics`, { properties: { lan } })).id;
  const named = (...ids: string[]) => ({ balancednics: { items: ids.map((id) => ({ id })) } });
  const ipOf = async (path: string): Promise<unknown> => (await read(region, path)).properties.ip;
  const nicsOf = async (path: string): Promise<string[]> =>
    (await read(region, `${path}/balancednics`)).items.map(({ id }) => id);

  test('[CORE-20] without NICs it has no address; it gets one with the first NIC, and loses it with the last one', async () => {
    const { datacenter, server, place } = await grounds();
    const made = await createDone(region, place, { properties: { name: 'classic' } });
    assert.equal(made.type, 'loadbalancer');
    assert.deepEqual(made.properties, { name: 'classic', ip: null, dhcp: true });
    const path = `${place}/${made.id}`;
    const [first, second, apart] = [await addNic(server, 2), await addNic(server, 2), await addNic(server, 1)];
    const added = await done(region, 'POST', `${path}/balancednics`, { id: first });
    assert.deepEqual([added.status, added.body.id, added.body.type], [202, first, 'nic']);
    const { ip } = (await read(region, path)).properties;
    const range = String((await read(region, `${datacenter}/lans/2`)).properties.ipv4CidrBlock).split('.0.0/')[0];
    assert.ok(String(ip).startsWith(`${range}.`), String(ip));
    const nic = { properties: { lan: 2, ips: [ip] } };
    assertRefused(await region.call('POST', `${server}/nics`, nic), `${ip} is already in use in this LAN`);
    await done(region, 'POST', `${path}/balancednics`, { id: second });
    assert.equal(await ipOf(path), ip);
    assertRefused(
      await region.call('POST', `${path}/balancednics`, { id: apart }),
      `[(root).id] NIC ${apart} is in LAN 1, but the load balancer is in LAN 2`,
    );
    assert.deepEqual(await nicsOf(path), [first, second]);
    assert.equal((await read(region, `${path}/balancednics/${second}`)).href.endsWith(`/nics/${second}`), true);
    assert.equal((await region.call('GET', `${path}/balancednics/${apart}`)).status, 404);
    const bare = (await read(region, path)).entities.balancednics?.items;
    assert.deepEqual(bare?.map(Object.keys), Array(2).fill(['id', 'type', 'href']), 'depth 0 lists them by their ids');
    const shown = await read(region, `${path}?depth=2`);
    assert.deepEqual(
      shown.entities.balancednics?.items.map(({ properties }) => properties.lan),
      [2, 2],
    );
    await done(region, 'DELETE', `${path}/balancednics/${first}`);
    assert.equal(await ipOf(path), ip);
    assert.equal((await region.call('DELETE', `${path}/balancednics/${first}`)).status, 404);
    await done(region, 'DELETE', `${path}/balancednics/${second}`);
    assert.deepEqual([await ipOf(path), await nicsOf(path)], [null, []]);
    await done(region, 'POST', `${server}/nics`, nic);
    await done(region, 'POST', `${path}/balancednics`, { id: apart });
    assert.match(String(await ipOf(path)), /^198\.1[89]\./);
  });

  test('[CORE-20, CORE-25] it is created with its NICs in one request, as existing clients send it', async () => {
    const { datacenter, server, place } = await grounds();
    const [first, second] = [await addNic(server, 2), await addNic(server, 2)];
    const post = (entities: object, properties: object = { name: 'classic' }) =>
      region.call('POST', place, { properties, entities });
    const at = '[(root).entities.balancednics.items';
    assertRefused(await post({ balancednics: { items: 3 } }), `${at}] A list is expected`);
    assertRefused(
      await post({ balancednics: { items: [{}, { id: first, properties: {} }, { id: first }] } }),
      `${at}.[0].id] Attribute is required`,
      `107 ${at}.[1].properties] Attribute not allowed in resource reference`,
      `${at}.[2].id] The NIC is in the list twice`,
    );
    assertRefused(await post({ nonsense: {} }), '[(root).entities.nonsense] Attribute is unknown');
    const strange = '00000000-0000-7000-8000-000000000000';
    assertRefused(await post(named(first, strange)), `${at}.[1].id] NIC ${strange} does not exist in this datacenter`);
    const apart = await addNic(server, 1);
    assertRefused(await post(named(first, apart)), `${at}.[1].id] NIC ${apart} is in LAN 1`);
    assert.deepEqual((await read(region, place)).items, []);
    const { body } = await done(region, 'POST', place, { properties: { name: 'tf' }, entities: named(first, second) });
    const path = `${place}/${body.id}`;
    assert.deepEqual(await nicsOf(path), [first, second]);
    assert.match(String(await ipOf(path)), /^10\./);
    assert.equal((await read(region, `${server}/nics/${first}`)).metadata.state, 'AVAILABLE');
    assertRefused(
      await post(named(first)),
      `${at}.[0].id] NIC ${first} is already balanced by load balancer ${body.id}`,
    );
    await done(region, 'DELETE', path);
    const again = await done(region, 'POST', place, { properties: { name: 'tf' }, entities: named(second) });
    assert.deepEqual(await nicsOf(`${place}/${again.body.id}`), [second]);
    assertRefused(await region.call('DELETE', `${datacenter}/lans/2`), 'is in it');
  });

  test('[CORE-20] a requested address: reserved, or a private one of the LAN that it joins', async () => {
    const { server, place } = await grounds();
    const block = await createDone(region, `${core}/ipblocks`, { properties: { location: 'de/txl', size: 1 } });
    const [ip] = block.properties.ips as string[];
    const [inner, outer] = [await addNic(server, 2), await addNic(server, 1)];
    const { id } = await createDone(region, place, { properties: { name: 'told', ip } });
    const path = `${place}/${id}`;
    assertRefused(await region.call('POST', place, { properties: { ip } }), `The IP ${ip} is still in use`);
    assertRefused(
      await region.call('POST', place, { properties: { ip: 'x' } }),
      "[(root).properties.ip] Attribute value 'x'",
    );
    assertRefused(
      await region.call('POST', `${path}/balancednics`, { id: inner }),
      `${ip} is a public address, but the LAN is private`,
    );
    await done(region, 'POST', `${path}/balancednics`, { id: outer });
    assert.equal(await ipOf(path), ip);
    // Terraform does not wait between these.
    await region.call('PATCH', path, { name: 'renamed', ip: '10.77.0.1' });
    await done(region, 'DELETE', `${path}/balancednics/${outer}`);
    assert.deepEqual((await read(region, path)).properties, { name: 'renamed', ip: '10.77.0.1', dhcp: true });
    const [mine] = (await read(region, `${server}/nics/${inner}`)).properties.ips as string[];
    await done(region, 'PATCH', path, { ip: mine });
    assertRefused(
      await region.call('POST', `${path}/balancednics`, { id: inner }),
      `${mine} is already in use in this LAN`,
    );
    await done(region, 'PATCH', path, { ip: null });
    await done(region, 'POST', `${path}/balancednics`, { id: inner });
    const chosen = await ipOf(path);
    await done(region, 'PUT', path, { properties: { name: 'put' } });
    assert.equal(await ipOf(path), chosen);
    await done(region, 'PATCH', path, { ip: '' });
    assert.match(String(await ipOf(path)), /^10\./);
    await done(region, 'DELETE', `${core}/ipblocks/${block.id}`);
    assert.equal((await region.call('GET', `${core}/ipblocks/${block.id}`)).status, 404);
  });

  test('[CORE-20] a deleted NIC is no longer balanced, and a deleted balancer leaves its NICs', async () => {
    const { datacenter, server, place } = await grounds();
    const [first, second] = [await addNic(server, 2), await addNic(server, 2)];
    const made = await done(region, 'POST', place, { properties: {}, entities: named(first, second) });
    const path = `${place}/${made.body.id}`;
    const ip = await ipOf(path);
    await done(region, 'DELETE', `${server}/nics/${first}`);
    assert.deepEqual(await nicsOf(path), [second]);
    assert.equal((await region.call('DELETE', `${path}/balancednics/${first}`)).status, 404);
    await done(region, 'DELETE', server);
    assert.deepEqual([await nicsOf(path), await ipOf(path)], [[], ip]);
    assertRefused(
      await region.call('DELETE', `${datacenter}/lans/2`),
      `LAN 2 can't be deleted: loadbalancer ${made.body.id} is in it`,
    );
    const other = await addServer(region, datacenter);
    const nic = await addNic(other, 2);
    await done(region, 'POST', `${path}/balancednics`, { id: nic });
    assert.equal(await ipOf(path), ip);
    await done(region, 'DELETE', path);
    assert.equal((await region.call('GET', `${path}/balancednics`)).status, 404);
    assert.equal((await read(region, `${other}/nics/${nic}`)).metadata.state, 'AVAILABLE');
    await done(region, 'DELETE', `${other}/nics/${nic}`);
    await done(region, 'DELETE', `${datacenter}/lans/2`);
    assert.equal((await region.call('GET', `${datacenter}/lans/2`)).status, 404);
  });

  test('[CORE-20] NICs that are added concurrently are all balanced, by one address', async () => {
    const { server, place } = await grounds();
    const { id } = await createDone(region, place, { properties: { name: 'busy' } });
    const ids = await Promise.all(Array.from({ length: 6 }, () => addNic(server, 2)));
    const answers = await Promise.all(
      ids.map((nic) => region.call('POST', `${place}/${id}/balancednics`, { id: nic })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      ids.map(() => 202),
    );
    assert.deepEqual((await nicsOf(`${place}/${id}`)).sort(), ids.sort());
  });
});
