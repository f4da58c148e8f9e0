// Firewall rules of NICs, black box: their valid values, and that they read back as sent.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, assertRefused, done, read } from '../../harness/landscape.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../../harness/region.ts';

const unset = {
  name: null,
  sourceMac: null,
  ipVersion: null,
  sourceIp: null,
  targetIp: null,
  icmpCode: null,
  icmpType: null,
  portRangeStart: null,
  portRangeEnd: null,
  type: null,
};

suite('firewall rules', { concurrency: true }, () => {
  let region: Region;
  let datacenter: string;
  let rules: string;
  before(async () => {
    region = await startRegion();
    datacenter = await addDatacenter(region);
    const server = await addServer(region, datacenter);
    const nic = await createDone(region, `${server}/nics`, { properties: { lan: 1, firewallActive: true } });
    rules = `${server}/nics/${nic.id}/firewallrules`;
  });
  after(() => region.stop());

  const post = (properties: object) => region.call('POST', rules, { properties });
  const add = async (properties: object): Promise<string> =>
    `${rules}/${(await createDone(region, rules, { properties })).id}`;

  test('[CORE-19] a rule reads back as sent, and unsent values are null', async () => {
    const made = await post({ protocol: 'TCP' });
    assert.equal(made.status, 202);
    assert.equal(made.body.type, 'firewall-rule');
    await waitRequest(region, made.headers.location);
    const shown = await read(region, `${rules}/${made.body.id}`);
    assert.equal(shown.metadata.state, 'AVAILABLE');
    assert.deepEqual(shown.properties, { ...unset, protocol: 'TCP' });
    const all = {
      name: 'ssh',
      protocol: 'TCP',
      sourceMac: '00:0A:95:9d:68:16',
      ipVersion: 'IPv4',
      sourceIp: '22.231.113.0/24',
      targetIp: '22.231.113.66',
      icmpCode: null,
      icmpType: null,
      portRangeStart: 22,
      portRangeEnd: 22,
      type: 'EGRESS',
    };
    assert.deepEqual((await read(region, await add(all))).properties, all);
    const ping = { protocol: 'ICMP', icmpType: 0, icmpCode: 254 };
    assert.deepEqual((await read(region, await add(ping))).properties, { ...unset, ...ping });
    for (const protocol of ['UDP', 'ICMPv6', 'GRE', 'VRRP', 'ESP', 'AH', 'ANY'])
      assert.equal((await read(region, await add({ protocol }))).properties.protocol, protocol);
    assert.equal((await read(region, await add({ protocol: 'icmpv6' }))).properties.protocol, 'ICMPv6');
  });

  test('[CORE-19] all problems of a rule are reported together, each with its place', async () => {
    assertRefused(
      await post({
        protocol: 'IGMP',
        sourceMac: '00:0a:95',
        ipVersion: 'IPv5',
        icmpType: 255,
        portRangeStart: 0,
        type: 'BIDIRECTIONAL',
      }),
      "109 [(root).properties.protocol] Attribute value 'IGMP' not allowed",
      'properties.sourceMac] Attribute value',
      '109 [(root).properties.ipVersion]',
      'properties.icmpType] Attribute value 255 is above the maximum of 254',
      'properties.portRangeStart] Attribute value 0 is below the minimum of 1',
      "properties.type] Attribute value 'BIDIRECTIONAL' not allowed. Expected one of [INGRESS, EGRESS]",
    );
    assertRefused(await post({ name: 'none' }), 'properties.protocol] Attribute is required');
    assertRefused(
      await post({ protocol: 'UDP', icmpType: 8, icmpCode: 0, portRangeStart: 9, portRangeEnd: 8 }),
      'properties.icmpType] Attribute is only allowed for ICMP and ICMPv6, but the protocol is UDP',
      'properties.icmpCode] Attribute is only allowed for ICMP and ICMPv6',
      'properties.portRangeEnd] The end of the range, 8, is below its start, 9',
    );
    assertRefused(
      await post({ protocol: 'ICMP', portRangeStart: 1, portRangeEnd: 2 }),
      'properties.portRangeStart] Attribute is only allowed for TCP and UDP, but the protocol is ICMP',
      'properties.portRangeEnd] Attribute is only allowed for TCP and UDP',
    );
    assertRefused(
      await post({ protocol: 'TCP', portRangeStart: 1 }),
      'properties.portRangeEnd] Attribute is required together with portRangeStart',
    );
    assertRefused(
      await post({ protocol: 'TCP', portRangeEnd: 1 }),
      'properties.portRangeStart] Attribute is required together with portRangeEnd',
    );
  });

  test('[CORE-19] addresses are valid, of one version, and of the named one', async () => {
    assertRefused(
      await post({ protocol: 'TCP', sourceIp: '300.1.1.1', targetIp: '10.0.0.0/33' }),
      "properties.sourceIp] '300.1.1.1' is neither an IP address nor a range",
      "properties.targetIp] '10.0.0.0/33' is neither",
    );
    assertRefused(
      await post({ protocol: 'TCP', ipVersion: 'IPv6', sourceIp: '10.0.0.1', targetIp: '10.0.0.0/8' }),
      "properties.sourceIp] '10.0.0.1' is IPv4, but expected IPv6, as in ipVersion",
      "properties.targetIp] '10.0.0.0/8' is IPv4, but expected IPv6, as in ipVersion",
    );
    assertRefused(
      await post({ protocol: 'TCP', sourceIp: '10.0.0.1', targetIp: '2001:db8::1' }),
      "properties.targetIp] '2001:db8::1' is IPv6, but expected IPv4, as in sourceIp",
    );
    assertRefused(
      await post({ protocol: 'ICMPv6', sourceIp: '10.0.0.1' }),
      "properties.sourceIp] '10.0.0.1' is IPv4, but expected IPv6, as in ICMPv6",
    );
    assertRefused(
      await post({ protocol: 'ICMP', ipVersion: 'IPv6', targetIp: '2001:db8::1' }),
      'properties.ipVersion] ICMP requires IPv4',
      "properties.targetIp] '2001:db8::1' is IPv6, but expected IPv4, as in ICMP",
    );
    await add({ protocol: 'ICMPv6', ipVersion: 'IPv6', sourceIp: '2001:db8::1' });
    const wide = { protocol: 'TCP', sourceIp: '2001:db8::/32', targetIp: '2001:db8::1' };
    assert.deepEqual((await read(region, await add(wide))).properties, { ...unset, ...wide });
  });

  test('[CORE-19] null resets, a PUT keeps omitted values, and another protocol is refused', async () => {
    const path = await add({ name: 'a', protocol: 'ICMP', sourceIp: '10.0.0.1', icmpType: 8, icmpCode: 0 });
    await done(region, 'PATCH', path, { sourceIp: null, icmpCode: null, sourceMac: '02:01:00:00:00:01' });
    const patched = { ...unset, name: 'a', protocol: 'ICMP', icmpType: 8, sourceMac: '02:01:00:00:00:01' };
    assert.deepEqual((await read(region, path)).properties, patched);
    await done(region, 'PUT', path, { properties: { name: 'b', icmpType: null, type: 'EGRESS' } });
    const put = { ...patched, name: 'b', icmpType: null, type: 'EGRESS' };
    assert.deepEqual((await read(region, path)).properties, put);
    assertRefused(
      await region.call('PATCH', path, { protocol: 'TCP' }),
      '[(root).protocol] Attribute can not be changed',
    );
    assertRefused(
      await region.call('PATCH', path, { portRangeStart: 5 }),
      '[(root).portRangeStart] Attribute is only allowed for TCP',
    );
    await done(region, 'PATCH', path, { protocol: 'ICMP', name: null });
    assert.deepEqual((await read(region, path)).properties, { ...put, name: null });
    await done(region, 'DELETE', path);
    assert.equal((await region.call('GET', path)).status, 404);
  });

  test('[CORE-25] rules come with the NIC of a server that is created, and are deleted with it', async () => {
    const sent = [
      { protocol: 'TCP', name: 'ssh', portRangeStart: 22, portRangeEnd: 22, type: 'INGRESS' },
      { protocol: 'ICMP', icmpType: 8 },
    ];
    const items = sent.map((properties) => ({ properties }));
    const nics = { items: [{ properties: { lan: 1 }, entities: { firewallrules: { items } } }] };
    const server = await addServer(region, datacenter, {}, { nics });
    const { entities } = await read(region, `${server}?depth=4`);
    const nic = entities.nics?.items[0] as ResourceBody;
    const shown = nic.entities.firewallrules?.items ?? [];
    assert.deepEqual(
      shown.map(({ properties }) => properties),
      sent.map((properties) => ({ ...unset, ...properties })),
    );
    assert.deepEqual(Object.keys(nic.entities), ['firewallrules', 'flowlogs', 'securitygroups']);
    const listed = await read(region, `${server}/nics/${nic.id}/firewallrules?depth=1`);
    assert.deepEqual(listed.items, shown);
    assertRefused(
      await region.call('POST', `${datacenter}/servers`, {
        properties: { name: 'wrong', cores: 1, ram: 1024 },
        entities: {
          nics: {
            items: [
              { properties: { lan: 1 }, entities: { firewallrules: { items: [{ properties: { portRangeEnd: 1 } }] } } },
            ],
          },
        },
      }),
      '[(root).entities.nics.items.[0].entities.firewallrules.items.[0].properties.protocol] Attribute is required',
      '[(root).entities.nics.items.[0].entities.firewallrules.items.[0].properties.portRangeStart]',
    );
    await done(region, 'DELETE', `${server}/nics/${nic.id}`);
    assert.equal((await region.call('GET', `${server}/nics/${nic.id}/firewallrules/${shown[0]?.id}`)).status, 404);
  });
});
