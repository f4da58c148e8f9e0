// NAT gateways and their rules, black box: whose addresses they have, and what they translate to.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, assertRefused, done, read } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region, startRegion, waitRequest } from '../../harness/region.ts';

suite('NAT gateways', { concurrency: true }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const addLan = async (datacenter: string, isPublic = false): Promise<number> =>
    Number((await createDone(region, `${datacenter}/lans`, { properties: { public: isPublic } })).id);
  const addBlock = async (size: number, location = 'de/txl'): Promise<string[]> =>
    (await createDone(region, `${core}/ipblocks`, { properties: { location, size } })).properties.ips as string[];

  async function addGateway(more: object = {}, size = 2) {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(datacenter);
    const ips = await addBlock(size);
    const place = `${datacenter}/natgateways`;
    const properties = { name: 'out', publicIps: ips.slice(0, 1), lans: [{ id: lan }], ...more };
    const made = await createDone(region, place, { properties });
    return { datacenter, lan, ips, place, made, path: `${place}/${made.id}` };
  }
  type Gates = { id: number; gatewayIps: string[] }[];

  test("[CORE-20] a gateway has reserved addresses outside and one in each LAN, and the LANs can't be deleted", async () => {
    const { datacenter, lan, ips, place, made, path } = await addGateway();
    assert.equal(made.type, 'natgateway');
    assert.deepEqual(made.properties.publicIps, ips.slice(0, 1));
    const range = String((await read(region, `${datacenter}/lans/${lan}`)).properties.ipv4CidrBlock).split('.0.0/')[0];
    const [gate] = made.properties.lans as Gates;
    assert.equal(gate?.id, lan);
    assert.match(String(gate?.gatewayIps), new RegExp(`^${range}\\.\\d+\\.\\d+/24$`));
    assertRefused(
      await region.call('DELETE', `${datacenter}/lans/${lan}`),
      `LAN ${lan} can't be deleted: NAT gateway ${made.id} is in it`,
    );
    const server = await addServer(region, datacenter);
    const nic = { properties: { lan, ips: [String(gate?.gatewayIps).split('/')[0]] } };
    assertRefused(await region.call('POST', `${server}/nics`, nic), 'is already in use in this LAN');
    const again = { name: 'again', publicIps: made.properties.publicIps };
    assertRefused(await region.call('POST', place, { properties: again }), `The IP ${ips[0]} is still in use`);
    const { items } = await read(region, `${place}?depth=1`);
    assert.deepEqual(
      items.map(({ id }) => id),
      [made.id],
    );
    await done(region, 'DELETE', path);
    await done(region, 'POST', `${server}/nics`, nic);
    await createDone(region, place, { properties: again });
  });

  test('[CORE-20] invalid values of a gateway are refused, all problems of the body together', async () => {
    const datacenter = await addDatacenter(region);
    const [inner, outer] = [await addLan(datacenter), await addLan(datacenter, true)];
    const [ip] = await addBlock(1);
    const post = (properties: object) => region.call('POST', `${datacenter}/natgateways`, { properties });
    assertRefused(
      await post({
        publicIps: ['10.0.0.1', '10.0.0.1'],
        lans: [
          { gatewayIps: ['198.18.0.1'] },
          { id: inner },
          { id: inner, gatewayIps: ['10.0.0.1/40', '10.0.0.2', '10.0.0.2/24'] },
        ],
      }),
      'properties.name] Attribute is required',
      'properties.publicIps.[0]] 10.0.0.1 is a private address',
      'properties.publicIps.[1]] The address 10.0.0.1 is in the list twice',
      'properties.lans.[0].id] Attribute is required',
      'properties.lans.[0].gatewayIps.[0]] 198.18.0.1 is not a private address',
      `properties.lans.[2]] The LAN ${inner} is in the list twice`,
      "properties.lans.[2].gatewayIps.[0]] Attribute value '10.0.0.1/40' not allowed",
      'properties.lans.[2].gatewayIps.[2]] The address 10.0.0.2 is in the list twice',
    );
    assertRefused(await post({ name: 'x' }), 'properties.publicIps] Attribute is required');
    assertRefused(await post({ name: 'x', publicIps: [] }), 'properties.publicIps] Expected at least 1 elements');
    assertRefused(
      await post({ name: 'x', publicIps: ['198.19.255.8'] }),
      'properties.publicIps.[0]] 198.19.255.8 is not in an IP block of this contract',
    );
    const [far] = await addBlock(1, 'gb/lhr');
    assertRefused(await post({ name: 'x', publicIps: [far] }), `${far} is reserved in gb/lhr`);
    assertRefused(
      await post({ name: 'x', publicIps: [ip], lans: [{ id: 9 }] }),
      'properties.lans.[0].id] LAN 9 does not exist in this datacenter',
    );
    assertRefused(
      await post({ name: 'x', publicIps: [ip], lans: [{ id: inner }, { id: outer }] }),
      `properties.lans.[1].id] LAN ${outer} is public. A NAT gateway needs private LANs`,
    );
  });

  test('[CORE-20] LANs and addresses of a gateway change, and its previous addresses are free again', async () => {
    const { datacenter, lan, ips, path, made } = await addGateway();
    const next = await addLan(datacenter);
    const chosen = (made.properties.lans as Gates)[0]?.gatewayIps;
    await done(region, 'PATCH', path, { lans: [{ id: next, gatewayIps: ['10.11.2.5'] }, { id: lan }] });
    assert.deepEqual((await read(region, path)).properties.lans, [
      { id: next, gatewayIps: ['10.11.2.5/24'] },
      { id: lan, gatewayIps: chosen },
    ]);
    await done(region, 'PATCH', path, { lans: [{ id: next, gatewayIps: ['10.11.2.6/32'] }], publicIps: ips });
    await done(region, 'DELETE', `${datacenter}/lans/${lan}`);
    const server = await addServer(region, datacenter);
    await done(region, 'POST', `${server}/nics`, { properties: { lan: next, ips: ['10.11.2.5'] } });
    await done(region, 'PUT', path, { properties: { name: 'put', publicIps: [ips[1]], lans: [{ id: next }] } });
    const { publicIps, lans } = (await read(region, path)).properties;
    assert.deepEqual(publicIps, [ips[1]]);
    assert.match(String((lans as Gates)[0]?.gatewayIps), /^10\.\d+\.\d+\.\d+\/24$/);
    const other = { name: 'other', publicIps: [ips[0]] };
    await createDone(region, `${datacenter}/natgateways`, { properties: other });
    assertRefused(await region.call('PATCH', path, { publicIps: ips }), `The IP ${ips[0]} is still in use`);
    await done(region, 'PATCH', path, { lans: [], name: 'bare' });
    await done(region, 'PATCH', path, { name: 'barer' });
    assert.deepEqual((await read(region, path)).properties, { name: 'barer', publicIps: [ips[1]], lans: [] });
  });

  test('[CORE-20] rules translate to addresses of their gateway, and ports are of TCP and UDP', async () => {
    const { ips, path } = await addGateway();
    const [publicIp, spare] = ips as [string, string];
    const place = `${path}/rules`;
    const rule = { name: 'all', sourceSubnet: '10.0.1.0/24', publicIp };
    const post = (more: object) => region.call('POST', place, { properties: { ...rule, ...more } });
    assertRefused(
      await region.call('POST', place, {
        properties: { type: 'DNAT', protocol: 'GRE', sourceSubnet: '10.0.1', targetSubnet: 'x' },
      }),
      'properties.name] Attribute is required',
      '109 [(root).properties.type]',
      '109 [(root).properties.protocol]',
      "properties.sourceSubnet] Attribute value '10.0.1' not allowed",
      'properties.publicIp] Attribute is required',
      "properties.targetSubnet] Attribute value 'x' not allowed",
    );
    for (const protocol of ['ICMP', 'ALL'])
      assertRefused(
        await post({ protocol, targetPortRange: { start: 1, end: 2 } }),
        `properties.targetPortRange] Protocol ${protocol} has no ports: only TCP and UDP have them`,
      );
    assertRefused(
      await post({ protocol: 'TCP', targetPortRange: { start: 20, end: 10 } }),
      'properties.targetPortRange] The end of the range, 10, is below its start, 20',
    );
    assertRefused(
      await post({ protocol: 'UDP', targetPortRange: { start: 0, end: 65_536 } }),
      'properties.targetPortRange.start] Attribute value 0 is below the minimum of 1',
      'properties.targetPortRange.end] Attribute value 65536 is above the maximum of 65535',
    );
    assertRefused(
      await post({ publicIp: spare }),
      `properties.publicIp] ${spare} is not an address of the gateway. It has ${publicIp}`,
    );
    const made = await createDone(region, place, { properties: rule });
    assert.equal(made.type, 'natgateway-rule');
    const bare = { type: 'SNAT', protocol: 'ALL', targetSubnet: null, targetPortRange: null };
    assert.deepEqual(made.properties, { ...rule, ...bare });
    const at = `${place}/${made.id}`;
    const narrow = { protocol: 'tcp', targetSubnet: '172.16.0.0/24', targetPortRange: { start: 500, end: 1000 } };
    await done(region, 'PATCH', at, narrow);
    assert.deepEqual((await read(region, at)).properties, { ...rule, ...bare, ...narrow, protocol: 'TCP' });
    await done(region, 'PATCH', at, { targetSubnet: '172.16.0.7' }); // one address
    assert.equal((await read(region, at)).properties.targetSubnet, '172.16.0.7');
    await done(region, 'PATCH', at, { protocol: 'ICMP', targetSubnet: '' });
    assert.deepEqual((await read(region, at)).properties, { ...rule, ...bare, protocol: 'ICMP' });
    assertRefused(
      await region.call('PATCH', path, { publicIps: [spare] }),
      `[(root).publicIps] Rule ${made.id} translates to ${publicIp}`,
    );
    assertRefused(await region.call('PATCH', at, { publicIp: spare }), 'is not an address of the gateway');
    await done(region, 'PATCH', path, { publicIps: [spare, publicIp] });
    await done(region, 'PATCH', at, { publicIp: spare });
    await done(region, 'PATCH', path, { publicIps: [spare] });
    const list = await read(region, `${place}?depth=1`);
    assert.deepEqual([list.items.length, list.limit, list._links], [1, undefined, undefined]);
    await done(region, 'DELETE', at);
    assert.deepEqual((await read(region, place)).items, []);
  });

  test('[CORE-20, CORE-25] a gateway is created together with its rules, completely or not at all', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(datacenter);
    const [publicIp] = await addBlock(1);
    const place = `${datacenter}/natgateways`;
    const rule = { name: 'all', sourceSubnet: '10.0.1.0/24', publicIp };
    const post = (...items: object[]) =>
      region.call('POST', place, {
        properties: { name: 'out', publicIps: [publicIp], lans: [{ id: lan }] },
        entities: { rules: { items: items.map((properties) => ({ properties })) } },
      });
    assertRefused(
      await post(rule, { ...rule, publicIp: '198.18.0.1' }),
      '[(root).entities.rules.items.[1].properties.publicIp] 198.18.0.1 is not an address of the gateway',
    );
    const made = await post(rule, { ...rule, name: 'more' });
    assert.equal(made.status, 202, JSON.stringify(made.body));
    assert.equal((await waitRequest(region, made.headers.location)).metadata.status, 'DONE');
    const shown = await read(region, `${place}/${made.body.id}?depth=2`);
    assert.deepEqual(
      shown.entities.rules?.items.map(({ properties }) => properties.name),
      ['all', 'more'],
    );
    const rules = `${place}/${made.body.id}/rules/${shown.entities.rules?.items[0]?.id}`;
    await done(region, 'DELETE', `${place}/${made.body.id}`);
    assert.equal((await region.call('GET', rules)).status, 404);
    assert.equal((await post(rule)).status, 202);
  });
});
