// NICs, LANs and addresses, black box: who has which address, and that no other interface ever has it.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, assertRefused, done, figures, read } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion } from '../../harness/region.ts';

suite('NICs and addresses', { concurrency: true }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const addLan = async (datacenter: string, properties: object = { public: true }): Promise<number> =>
    Number((await createDone(region, `${datacenter}/lans`, { properties })).id);
  const addNic = async (server: string, properties: object): Promise<ResourceBody> => {
    const { id } = await createDone(region, `${server}/nics`, { properties });
    return read(region, `${server}/nics/${id}`);
  };
  const addBlock = async (size: number, location = 'de/txl') => {
    const block = await createDone(region, `${core}/ipblocks`, { properties: { location, size } });
    return { path: `${core}/ipblocks/${block.id}`, ips: block.properties.ips as string[] };
  };
  const ipsOf = ({ properties }: ResourceBody): string[] => properties.ips as string[];

  test('[CORE-15] a NIC is in a LAN, with its own MAC and a suitable address', async () => {
    const datacenter = await addDatacenter(region);
    const server = await addServer(region, datacenter);
    const nic = await addNic(server, { lan: 3, name: 'inside' });
    const lan = await read(region, `${datacenter}/lans/3`);
    assert.equal(lan.properties.public, false, 'a LAN that is made by a NIC is private');
    assert.match(String(nic.properties.mac), /^02:01(:[0-9a-f]{2}){4}$/);
    const range = String(lan.properties.ipv4CidrBlock).split('.').slice(0, 2).join('.');
    assert.ok(ipsOf(nic)[0]?.startsWith(`${range}.`), `${ipsOf(nic)} in ${range}`);
    const { dhcp, firewallActive, firewallType, pciSlot } = nic.properties;
    assert.deepEqual([dhcp, firewallActive, firewallType, pciSlot], [true, false, 'INGRESS', 5]);
    assertRefused(await region.call('PATCH', `${server}/nics/${nic.id}`, { mac: '02:01:00:00:00:01' }), 'mac]');
    assertRefused(await region.call('POST', `${server}/nics`, { properties: {} }), 'lan] Attribute is required');
    await done(region, 'PATCH', `${server}/nics/${nic.id}`, { name: 'other', ips: ['10.1.2.3'] });
    assert.deepEqual(ipsOf(await read(region, `${server}/nics/${nic.id}`)), ['10.1.2.3']);
    const chosen = await addNic(server, { lan: 3, mac: '02:01:AA:00:00:01' });
    assert.equal(chosen.properties.mac, '02:01:aa:00:00:01');
    const again = { properties: { lan: 4, mac: '02:01:aa:00:00:01' } };
    assertRefused(await region.call('POST', `${server}/nics`, again), 'is already in use by another NIC');
    const taken = { properties: { lan: 3, ips: ['10.1.2.3'] } };
    assertRefused(await region.call('POST', `${server}/nics`, taken), '10.1.2.3 is already in use in this LAN');
  });

  test('[CORE-15] impossible addresses are reported together, each with its place', async () => {
    const datacenter = await addDatacenter(region);
    const server = await addServer(region, datacenter);
    const ips = ['127.0.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255', '300.1.1.1', '10.0.0.1', '10.0.0.1'];
    const post = (properties: object) => region.call('POST', `${server}/nics`, { properties });
    assertRefused(
      await post({ lan: 1, ips, mac: 'ff:ff:ff:ff:ff:ff' }),
      ...ips.slice(0, 4).map((ip, at) => `ips.[${at}]] ${ip} can't be the address of an interface`),
      "ips.[4]] '300.1.1.1' is not an IPv4 address",
      'ips.[6]] The address is in the list twice',
      "properties.mac] ff:ff:ff:ff:ff:ff can't be the address of a single interface",
    );
    for (const mac of ['01:00:5e:00:00:01', '00:00:00:00:00:00'])
      assertRefused(await post({ lan: 1, mac }), `properties.mac] ${mac} can't be`);
  });

  test('[CORE-15] an address by DHCP on a public LAN is another one after stop and start; a reserved one stays', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(datacenter);
    const server = await addServer(region, datacenter);
    const { ips } = await addBlock(1);
    const lent = await addNic(server, { lan });
    const kept = await addNic(server, { lan, ips });
    assert.match(ipsOf(lent)[0] ?? '', /^198\.1[89]\./);
    await done(region, 'POST', `${server}/stop`);
    assert.deepEqual(ipsOf(await read(region, `${server}/nics/${lent.id}`)), []);
    assert.deepEqual(ipsOf(await read(region, `${server}/nics/${kept.id}`)), ips);
    await done(region, 'POST', `${server}/start`);
    const again = ipsOf(await read(region, `${server}/nics/${lent.id}`));
    assert.equal(again.length, 1);
    assert.notDeepEqual(again, ipsOf(lent));
    assert.deepEqual(ipsOf(await read(region, `${server}/nics/${kept.id}`)), ips);
  });

  test('[CORE-15] a reboot starts a stopped server, and its NICs get an address by DHCP again', async () => {
    const datacenter = await addDatacenter(region);
    const server = await addServer(region, datacenter);
    const { id } = await addNic(server, { lan: await addLan(datacenter) });
    const ipCount = async () => ipsOf(await read(region, `${server}/nics/${id}`)).length;
    await done(region, 'POST', `${server}/stop`);
    assert.equal(await ipCount(), 0);
    await done(region, 'POST', `${server}/reboot`);
    assert.equal(await ipCount(), 1);
  });

  test('[CORE-16] a reserved address is used once, in its own location, and its block shows the user', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(datacenter);
    const server = await addServer(region, datacenter, { name: 'consumer' });
    const { path, ips } = await addBlock(2);
    const [first] = ips as [string];
    const nic = await addNic(server, { lan, ips: [first] });
    const { ipConsumers } = (await read(region, path)).properties;
    const [consumer, ...others] = ipConsumers as Record<string, unknown>[];
    assert.deepEqual(others, []);
    assert.deepEqual(
      [consumer?.ip, consumer?.nicId, consumer?.mac, consumer?.serverName, consumer?.datacenterName],
      [first, nic.id, nic.properties.mac, 'consumer', 'a datacenter'],
    );
    const again = { properties: { lan, ips: [first] } };
    assertRefused(await region.call('POST', `${server}/nics`, again), `[VDC-5-1080] The IP ${first} is still in use`);
    assertRefused(await region.call('DELETE', path), `The IP ${first} is still in use`);
    const otherBlock = await addBlock(1, 'de/fra');
    const foreign = { properties: { lan, ips: otherBlock.ips } };
    assertRefused(await region.call('POST', `${server}/nics`, foreign), /is reserved in de\/fra, but .* de\/txl/);
    const unknown = { properties: { lan, ips: ['198.18.255.7'] } };
    assertRefused(await region.call('POST', `${server}/nics`, unknown), 'is not in an IP block of this contract');
    const inside = await addLan(datacenter, { public: false });
    const second = await addNic(server, { lan: inside, ips: [ips[1]] });
    assert.deepEqual(ipsOf(second), [ips[1]], 'also on a private LAN');
    assert.equal(((await read(region, path)).properties.ipConsumers as unknown[]).length, 2);
    await done(region, 'POST', `${server}/stop`);
    await done(region, 'POST', `${server}/start`);
    assert.deepEqual(ipsOf(await read(region, `${server}/nics/${second.id}`)), [ips[1]]);
    assert.ok(((await figures(region)).reservedIpsInUse ?? 0) >= 1);
    await done(region, 'DELETE', server);
    const other = await addServer(region, datacenter);
    assert.deepEqual(ipsOf(await addNic(other, { lan, ips: [first] })), [first], 'it survives its server');
    await done(region, 'DELETE', other);
    await done(region, 'DELETE', path);
  });

  test('addresses are assigned once, also to concurrent requests', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(datacenter);
    const { ips } = await addBlock(1);
    const servers = await Promise.all(Array.from({ length: 12 }, () => addServer(region, datacenter)));
    const nics = await Promise.all(servers.flatMap((server) => [addNic(server, { lan }), addNic(server, { lan: 50 })]));
    const all = nics.flatMap(ipsOf);
    assert.equal(new Set(all).size, 24, 'each has its own');
    assert.equal(new Set(nics.map(({ properties }) => properties.mac)).size, 24);
    const { items } = await read(region, `${datacenter}/lans`);
    assert.deepEqual(
      items.map(({ id }) => id),
      [String(lan), '50'],
      'the LAN that all of them named was made once',
    );
    const answers = await Promise.all(
      servers.map((server) => region.call('POST', `${server}/nics`, { properties: { lan, ips } })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, ...Array<number>(11).fill(422)]);
  });

  test("a LAN can't be deleted while a NIC is in it, and a NIC can be moved", async () => {
    const datacenter = await addDatacenter(region);
    const [one, other] = [await addLan(datacenter, {}), await addLan(datacenter)];
    const server = await addServer(region, datacenter);
    const nic = await addNic(server, { lan: one });
    assertRefused(await region.call('DELETE', `${datacenter}/lans/${one}`), `NIC ${nic.id} is in it`);
    const moved = await done(region, 'POST', `${datacenter}/lans/${other}/nics`, { id: nic.id });
    assert.equal(moved.body.id, nic.id);
    const now = await read(region, `${server}/nics/${nic.id}`);
    assert.equal(now.properties.lan, other);
    assert.match(ipsOf(now)[0] ?? '', /^198\./);
    assert.deepEqual((await read(region, `${datacenter}/lans/${one}/nics`)).items, []);
    assert.equal((await read(region, `${datacenter}/lans/${other}/nics/${nic.id}`)).id, nic.id);
    await done(region, 'DELETE', `${datacenter}/lans/${one}`);
    await done(region, 'PATCH', `${server}/nics/${nic.id}`, { lan: 9 });
    assert.equal((await read(region, `${datacenter}/lans/9?depth=1`)).entities.nics?.items.length, 1);
  });

  test('an address of a failover group can be shared by several NICs of its LAN', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(datacenter);
    const { ips } = await addBlock(1);
    const [ip] = ips as [string];
    const [one, other] = [await addServer(region, datacenter), await addServer(region, datacenter)];
    const nic = await addNic(one, { lan, ips });
    const path = `${datacenter}/lans/${lan}`;
    const wrong = { ipFailover: [{ ip: '198.18.0.1', nicUuid: nic.id }] };
    assertRefused(await region.call('PATCH', path, wrong), 'ipFailover.[0].ip] 198.18.0.1 is not an address');
    await done(region, 'PATCH', path, { ipFailover: [{ ip, nicUuid: nic.id }] });
    assert.deepEqual((await read(region, path)).properties.ipFailover, [{ ip, nicUuid: nic.id }]);
    assert.deepEqual(ipsOf(await addNic(other, { lan, ips })), ips);
    assertRefused(await region.call('DELETE', `${one}/nics/${nic.id}`), 'is in an IP failover group');
    await done(region, 'PATCH', path, { ipFailover: [] });
    await done(region, 'DELETE', `${one}/nics/${nic.id}`);
    assert.deepEqual(ipsOf(await addNic(one, { lan, ips })), ips, 'the others have lost it');
  });

  test('a NIC has a /80 of the network of its LAN, where the LAN has one', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(datacenter, { ipv6CidrBlock: 'AUTO' });
    const network = String((await read(region, `${datacenter}/lans/${lan}`)).properties.ipv6CidrBlock);
    const server = await addServer(region, datacenter);
    const nic = await addNic(server, { lan });
    const start = network.slice(0, network.indexOf('::'));
    assert.match(String(nic.properties.ipv6CidrBlock), new RegExp(`^${start}:.*/80$`));
    assert.ok((nic.properties.ipv6Ips as string[])[0]?.startsWith(`${start}:`));
    const outside = { properties: { lan, ipv6CidrBlock: '2001:db9::/80' } };
    assertRefused(await region.call('POST', `${server}/nics`, outside), `Expected a /80 of the LAN's ${network}`);
    const block = nic.properties.ipv6CidrBlock;
    const twice = { properties: { lan, ipv6CidrBlock: block } };
    assertRefused(await region.call('POST', `${server}/nics`, twice), 'is in use by another NIC');
    const none = await addNic(server, { lan: await addLan(datacenter, {}), dhcpv6: null, ipv6CidrBlock: '' });
    assert.deepEqual([none.properties.ipv6CidrBlock, none.properties.dhcpv6], [null, null]);
  });
});
