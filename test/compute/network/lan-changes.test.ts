// A LAN with members that changes, black box: the addresses of its members change with it, or the change is
// refused; no member keeps an address that it no longer holds.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { assertWhole } from '../../harness/invariants.ts';
import { addBlock, addDatacenter, addServer, assertRefused, done, figures, read } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../../harness/region.ts';

suite('LANs that are changed', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const addLan = async (datacenter: string, properties: object = {}): Promise<string> =>
    `${datacenter}/lans/${(await createDone(region, `${datacenter}/lans`, { properties })).id}`;
  const lanOf = (path: string): number => Number(path.split('/').at(-1));
  const addNic = async (server: string, properties: object): Promise<string> =>
    `${server}/nics/${(await createDone(region, `${server}/nics`, { properties })).id}`;
  const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
  const propertyOf = async (path: string, name: string) => (await read(region, path)).properties[name];
  const usersOf = async (ip: string): Promise<unknown[]> => {
    const { items } = await read(region, `${core}/ipblocks?depth=1`);
    const block = items.find(({ properties }) => (properties.ips as string[]).includes(ip)) as ResourceBody;
    return (block.properties.ipConsumers as { nicId: string }[]).map(({ nicId }) => nicId);
  };
  const inUse = async (): Promise<number> => (await figures(region)).reservedIpsInUse ?? 0;
  const privateForm = /^10\./;

  // Two servers, each with a NIC that has the address of one failover group.
  async function failover() {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(datacenter, { public: true });
    const [ip] = (await addBlock(region, 1)) as [string];
    const [one, other] = [await addServer(region, datacenter), await addServer(region, datacenter)];
    const first = await addNic(one, { lan: lanOf(lan), ips: [ip] });
    await done(region, 'PATCH', lan, { ipFailover: [{ ip, nicUuid: idOf(first) }] });
    const second = await addNic(other, { lan: lanOf(lan), ips: [ip] });
    return { lan, ip, first, second, server: one, other };
  }

  test('[CORE-19] a LAN is numbered behind the highest that is there, and that a NIC has named', async () => {
    const datacenter = await addDatacenter(region);
    assert.equal(lanOf(await addLan(datacenter)), 1);
    await addNic(await addServer(region, datacenter), { lan: 7 });
    assert.equal(lanOf(await addLan(datacenter)), 8);
    const several = Array.from({ length: 5 }, () => addLan(datacenter));
    assert.deepEqual((await Promise.all(several)).map(lanOf).sort(), [10, 11, 12, 13, 9]);
  });

  test('where a failover group ends, its NIC keeps the address and the others lose it', async () => {
    const count = await inUse();
    const { lan, ip, first, second, server } = await failover();
    assert.deepEqual(await usersOf(ip), [idOf(first)]);
    await done(region, 'PATCH', lan, { ipFailover: [] });
    assert.deepEqual(await propertyOf(first, 'ips'), [ip]);
    const given = (await propertyOf(second, 'ips')) as string[];
    assert.equal(given.length, 1);
    assert.notEqual(given[0], ip);
    assert.equal(await inUse(), count + 1);
    await done(region, 'DELETE', first);
    assert.deepEqual(await usersOf(ip), []);
    assert.equal(await inUse(), count);
    const again = await addNic(server, { lan: lanOf(lan), ips: [ip] });
    assert.deepEqual(await usersOf(ip), [idOf(again)]);
  });

  test('a NIC of a stopped server that loses its address gets one when the server starts', async () => {
    const { lan, ip, second, other } = await failover();
    await done(region, 'POST', `${other}/stop`);
    assert.deepEqual(await propertyOf(second, 'ips'), [ip]);
    await done(region, 'PATCH', lan, { ipFailover: [] });
    assert.deepEqual(await propertyOf(second, 'ips'), []);
    await done(region, 'POST', `${other}/start`);
    assert.equal(((await propertyOf(second, 'ips')) as string[]).length, 1);
  });

  test('the NIC that a failover group names has the address, whichever it names', async () => {
    const count = await inUse();
    const { lan, ip, first, second } = await failover();
    await done(region, 'PATCH', lan, { ipFailover: [{ ip, nicUuid: idOf(second) }] });
    assert.deepEqual(await usersOf(ip), [idOf(second)]);
    assertRefused(await region.call('DELETE', second), 'is in an IP failover group');
    await done(region, 'DELETE', first);
    assert.deepEqual(await usersOf(ip), [idOf(second)]);
    assert.equal(await inUse(), count + 1);
    const twice = [idOf(second), idOf(second)].map((nicUuid) => ({ ip, nicUuid }));
    assertRefused(
      await region.call('PATCH', lan, { ipFailover: twice }),
      'ipFailover.[1].ip] The list already has a group with',
    );
    await done(region, 'PATCH', lan, { ipFailover: [] });
    await done(region, 'DELETE', second);
    assert.equal(await inUse(), count);
  });

  test('a failover group that ends while others come to share its address leaves none behind that does', async () => {
    const { lan, ip, first, other } = await failover();
    const body = { properties: { lan: lanOf(lan), ips: [ip] } };
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => region.call('POST', `${other}/nics`, body)),
      region.call('PATCH', lan, { ipFailover: [] }),
      ...Array.from({ length: 4 }, () => region.call('POST', `${other}/nics`, body)),
    ]);
    for (const { status, headers } of answers) if (status === 202) await waitRequest(region, headers.location);
    if (answers[4]?.status !== 202) await done(region, 'PATCH', lan, { ipFailover: [] });
    const { items } = await read(region, `${lan}/nics?depth=1`);
    const holders = items.filter(({ properties }) => (properties.ips as string[]).includes(ip));
    assert.deepEqual(
      holders.map(({ id }) => id),
      [idOf(first)],
    );
  });

  test('IPv6 is switched on and off for the NICs that are in the LAN, and moves with its network', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(datacenter);
    const servers = [await addServer(region, datacenter), await addServer(region, datacenter)];
    const nics = await Promise.all(servers.map((server) => addNic(server, { lan: lanOf(lan) })));
    await done(region, 'PATCH', lan, { ipv6CidrBlock: 'AUTO' });
    const network = String(await propertyOf(lan, 'ipv6CidrBlock'));
    const start = network.slice(0, network.indexOf('::'));
    const blocks = await Promise.all(nics.map((nic) => propertyOf(nic, 'ipv6CidrBlock')));
    for (const block of blocks) assert.match(String(block), new RegExp(`^${start}:.*/80$`));
    assert.equal(new Set(blocks).size, 2);
    for (const nic of nics) assert.equal(((await propertyOf(nic, 'ipv6Ips')) as string[]).length, 1);
    const [nic] = nics as [string];
    assertRefused(await region.call('PATCH', nic, { ipv6CidrBlock: null }), 'Switch IPv6 off at the LAN');
    await done(region, 'PATCH', nic, { dhcpv6: true });
    const prefix = String(await propertyOf(datacenter, 'ipv6CidrBlock')).replace(/(?:00)?::\/56$/, '');
    const next = prefix.split(':').length === 3 ? `${prefix}:aa::/64` : `${prefix}aa::/64`;
    await done(region, 'PATCH', lan, { ipv6CidrBlock: next });
    const moved = (await read(region, nic)).properties;
    const tail = (text: unknown): string => String(text).split(':').slice(4).join(':');
    assert.ok(String(moved.ipv6CidrBlock).startsWith(next.slice(0, -'::/64'.length)), String(moved.ipv6CidrBlock));
    assert.equal(tail(moved.ipv6CidrBlock), tail(blocks[0]));
    assert.equal(moved.dhcpv6, true);
    await done(region, 'PATCH', lan, { ipv6CidrBlock: null });
    for (const one of nics) {
      const { ipv6CidrBlock, ipv6Ips, dhcpv6 } = (await read(region, one)).properties;
      assert.deepEqual([ipv6CidrBlock, ipv6Ips, dhcpv6], [null, [], null]);
    }
    await done(region, 'PATCH', nic, { name: 'still changeable' });
  });

  test('a requested IPv6 address is assigned with its network, or refused', async () => {
    const datacenter = await addDatacenter(region);
    const [six, four] = [await addLan(datacenter, { ipv6CidrBlock: 'AUTO' }), await addLan(datacenter)];
    const server = await addServer(region, datacenter);
    const post = (properties: object) => region.call('POST', `${server}/nics`, { properties });
    const start = String(await propertyOf(six, 'ipv6CidrBlock')).replace('::/64', '');
    const outside = { lan: lanOf(six), ipv6CidrBlock: 'AUTO', ipv6Ips: ['2001:db8::1', 'fe80::1'] };
    assertRefused(await post(outside), 'ipv6Ips.[0]] 2001:db8::1 is not in', 'ipv6Ips.[1]] fe80::1 is not in');
    const unread = { lan: lanOf(six), ipv6Ips: ['xx', '::g'] };
    assertRefused(
      await post(unread),
      "ipv6Ips.[0]] 'xx' is not an IPv6 address",
      "ipv6Ips.[1]] '::g' is not an IPv6 address",
    );
    const wide = start.split(':').length === 4 ? start : `${start}:0`;
    const autoNic = await addNic(server, { lan: lanOf(six), ipv6CidrBlock: 'AUTO', ipv6Ips: [`${wide}:7::9`] });
    assert.deepEqual(await propertyOf(autoNic, 'ipv6Ips'), [`${wide}:7::9`]);
    assert.match(String(await propertyOf(autoNic, 'ipv6CidrBlock')), /:7::\/80$/);
    const taken = { lan: lanOf(six), ipv6Ips: [`${wide}:7::a`] };
    assertRefused(await post(taken), 'is in use by another NIC');
    const dhcp = { lan: lanOf(four), dhcpv6: true };
    assertRefused(await post(dhcp), 'properties.dhcpv6] The LAN has no IPv6 network');
    const dhcpNic = await addNic(server, { lan: lanOf(six), dhcpv6: true });
    assert.equal(await propertyOf(dhcpNic, 'dhcpv6'), true);
    await done(region, 'PATCH', dhcpNic, { lan: lanOf(four) });
    assert.equal(await propertyOf(dhcpNic, 'dhcpv6'), null);
    assertRefused(await region.call('PATCH', dhcpNic, { dhcpv6: true }), '(root).dhcpv6] The LAN has no IPv6 network');
  });

  test('a public LAN becomes private: leased addresses become private ones, reserved ones are refused', async () => {
    const datacenter = await addDatacenter(region);
    const [lan, inside] = [await addLan(datacenter, { public: true }), await addLan(datacenter)];
    const server = await addServer(region, datacenter);
    const [ip, other] = (await addBlock(region, 2)) as [string, string];
    const lent = await addNic(server, { lan: lanOf(lan) });
    const kept = await addNic(server, { lan: lanOf(lan), ips: [ip] });
    const isPrivate = { public: false };
    assertRefused(
      await region.call('PATCH', lan, isPrivate),
      `(root).public] NIC ${idOf(kept)} has the reserved address ${ip}`,
    );
    await done(region, 'DELETE', kept);
    const balancer = { name: 'one', listenerLan: lanOf(lan), targetLan: lanOf(inside), ips: [other] };
    const { id } = await createDone(region, `${datacenter}/networkloadbalancers`, { properties: balancer });
    assertRefused(
      await region.call('PATCH', lan, isPrivate),
      `(root).public] The networkloadbalancer ${id} has the public address ${other}`,
    );
    await done(region, 'DELETE', `${datacenter}/networkloadbalancers/${id}`);
    await done(region, 'PATCH', lan, isPrivate);
    assert.match(String(await propertyOf(lent, 'ips')), privateForm);
    const gateway = { name: 'out', publicIps: [other], lans: [{ id: lanOf(lan) }] };
    const nat = await createDone(region, `${datacenter}/natgateways`, { properties: gateway });
    assertRefused(
      await region.call('PATCH', lan, { public: true }),
      `(root).public] The natgateway ${nat.id} is in the LAN and needs a private one`,
    );
  });

  test('[CORE-20] a cross connect is for private LANs', async () => {
    const datacenter = await addDatacenter(region);
    const { id } = await createDone(region, `${core}/pccs`, { properties: { name: 'between' } });
    const lans = `${datacenter}/lans`;
    assertRefused(
      await region.call('POST', lans, { properties: { public: true, pcc: id } }),
      'properties.pcc] A LAN with a cross connect must be private',
    );
    const lan = await addLan(datacenter, { pcc: id });
    assertRefused(
      await region.call('PATCH', lan, { public: true }),
      '(root).public] A LAN with a cross connect must be private',
    );
    await done(region, 'PATCH', lan, { public: true, pcc: null });
  });

  test('no claim or count remains without a holder', async () => {
    await assertWhole(region.data);
  });
});
