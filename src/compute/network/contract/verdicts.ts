// The network contract: LANs, firewalls and gateways, with one example for each sentence of docs/network.md that a user
// would notice.
import assert from 'node:assert/strict';
import type { DatacenterSpec } from '../spec.ts';
import type { Packet } from '../verdict.ts';
import { type Case, datacenter, lan, lastIn, nic, outside, packet, path, pathIn, rule, web } from './samples.ts';

export function verdictsContract(test: Case): void {
  wires(test);
  firewalls(test);
  gateways(test);
}

type Parts = Partial<DatacenterSpec>;

function wires(test: Case): void {
  const nics = Object.values(web);

  test('neighbours reach each other, and a missing address is not reached', async (network) => {
    assert.deepEqual(await pathIn(network, { nics }, packet('a', '10.0.2.2')), [
      'nic a EGRESS ACCEPT: no firewall',
      'lan 2 EGRESS ACCEPT: same LAN',
      'nic b INGRESS ACCEPT: no firewall',
      'at b',
    ]);
    assert.equal(await lastIn(network, { nics }, packet('a', '10.0.2.9')), 'lan 2 EGRESS REJECT: no such address');
    assert.equal(await lastIn(network, { nics }, packet('a', '10.9.9.9')), 'lan 2 EGRESS REJECT: no route');
    assert.deepEqual(await pathIn(network, { nics }, packet('a', '10.0.2.1')), [
      'nic a INGRESS ACCEPT: own address',
      'at a',
    ]);
  });

  test('public LANs reach the internet and are reached from it, private ones are not', async (network) => {
    assert.deepEqual((await pathIn(network, { nics }, packet('p', '203.0.113.7'))).slice(1), [
      'internet EGRESS ACCEPT: internet',
      'outside',
    ]);
    assert.equal(await lastIn(network, { nics }, packet(outside, '198.18.0.1')), 'at p');
    assert.equal(await lastIn(network, { nics }, packet('a', '203.0.113.7')), 'lan 2 EGRESS REJECT: no route');
    const private6 = { nics: [nic('a', 2, '2001:db8:0:2::1')] };
    const from6 = { ip: '2a00::1' };
    assert.equal(
      await lastIn(network, private6, packet(from6, '2001:db8:0:2::1')),
      'internet INGRESS REJECT: no such address',
    );
    const inside = packet({ ip: '198.18.0.9' }, '198.18.0.1');
    assert.equal(await lastIn(network, { nics }, inside), 'internet INGRESS REJECT: not an outside address');
  });

  test('a server that does not run neither sends nor receives', async (network) => {
    const servers = [{ id: 'server-a', vmState: 'RUNNING', securityGroups: [] }];
    const asleep = { nics, servers: [...servers, { id: 'server-b', vmState: 'SUSPENDED', securityGroups: [] }] };
    assert.equal(await lastIn(network, asleep, packet('b', '10.0.2.1')), 'nic b EGRESS REJECT: server is not running');
    assert.equal(await lastIn(network, asleep, packet('a', '10.0.2.2')), 'nic b INGRESS REJECT: server is not running');
  });

  test('an address of a failover group belongs to the NIC that it names', async (network) => {
    const shared = ['198.18.0.50'];
    const both = [nic('a', 1, '198.18.0.1', { ips: shared }), nic('b', 1, '198.18.0.2', { ips: shared })];
    for (const nicUuid of ['a', 'b']) {
      const lans = [lan(1, { public: true, ipFailover: [{ ip: '198.18.0.50', nicUuid }] })];
      assert.equal(await lastIn(network, { lans, nics: both }, packet(outside, '198.18.0.50')), `at ${nicUuid}`);
    }
  });

  test('a NIC sends from its own addresses only', async (network) => {
    const sent = { ...packet('a', '10.0.2.2'), from: { nicId: 'a', ip: '10.0.2.77' } };
    assert.equal(await lastIn(network, { nics }, sent), 'nic a EGRESS REJECT: no source address');
    assert.equal(await lastIn(network, { nics }, packet('a', '2a00::1')), 'nic a EGRESS REJECT: no source address');
  });
}

function firewalls(test: Case): void {
  const sent = packet('a', '10.0.2.2');
  const guarded = (...firewallRules: ReturnType<typeof rule>[]): Parts => ({
    nics: [web.a, { ...web.b, firewallActive: true, firewallRules }],
  });
  const accepted = (id: string): string => `nic b INGRESS ACCEPT: nic b ${id}`;
  const denied = 'nic b INGRESS REJECT: firewall default deny';

  test('an active firewall denies what no rule allows, and names the rule that does', async (network) => {
    assert.equal(await lastIn(network, guarded(), sent), denied);
    const two = guarded(rule('r1', { protocol: 'UDP' }), rule('r2'), rule('r3'));
    assert.equal((await pathIn(network, two, sent)).at(-2), accepted('r2'));
  });

  test('a rule applies only if all its fields match', async (network) => {
    const asks: [object, boolean][] = [
      [{ protocol: 'ANY' }, true],
      [{ portRangeStart: 80, portRangeEnd: 80 }, true],
      [{ portRangeStart: 81, portRangeEnd: 90 }, false],
      [{ sourceIp: '10.0.2.0/30' }, true],
      [{ sourceIp: '10.0.2.2' }, false],
      [{ targetIp: '10.0.2.2' }, true],
      [{ sourceMac: '02:01:00:00:00:61' }, true],
      [{ sourceMac: '02:01:00:00:00:62' }, false],
      [{ type: 'EGRESS' }, false],
      [{ type: null }, true],
      [{ ipVersion: 'IPv6' }, false],
    ];
    for (const [parts, passes] of asks) {
      const before = (await pathIn(network, guarded(rule('r', parts)), sent)).at(passes ? -2 : -1);
      assert.equal(before, passes ? accepted('r') : denied, JSON.stringify(parts));
    }
    const ping: Partial<Packet> = { protocol: 'ICMP', icmpType: 8, icmpCode: 0 };
    const icmp = guarded(rule('r', { protocol: 'ICMP', icmpType: 8 }));
    assert.equal(await lastIn(network, icmp, packet('a', '10.0.2.2', ping)), 'at b');
    assert.equal(await lastIn(network, icmp, packet('a', '10.0.2.2', { ...ping, icmpType: 0 })), denied);
  });

  test('a rule without a version is for IPv4, unless its addresses are IPv6', async (network) => {
    const nics6 = (parts: object): Parts => ({
      nics: [
        nic('a', 2, '2001:db8::1'),
        nic('b', 2, '2001:db8::2', { firewallActive: true, firewallRules: [rule('r', parts)] }),
      ],
    });
    const sent6 = packet('a', '2001:db8:0::2');
    assert.equal(await lastIn(network, nics6({}), sent6), denied);
    assert.equal(await lastIn(network, nics6({ sourceIp: '2001:db8::/32' }), sent6), 'at b');
    assert.equal(await lastIn(network, nics6({ ipVersion: 'IPv6' }), sent6), 'at b');
  });

  test('the type of a firewall determines which directions it filters', async (network) => {
    const typed = (firewallType: 'INGRESS' | 'EGRESS' | 'BIDIRECTIONAL'): Parts => ({
      nics: [{ ...web.a, firewallActive: true, firewallType }, web.b],
    });
    assert.equal((await pathIn(network, typed('INGRESS'), sent))[0], 'nic a EGRESS ACCEPT: direction not filtered');
    assert.equal(await lastIn(network, typed('EGRESS'), sent), 'nic a EGRESS REJECT: firewall default deny');
    assert.equal(await lastIn(network, typed('BIDIRECTIONAL'), sent), 'nic a EGRESS REJECT: firewall default deny');
  });

  test('security groups of NIC and server filter both ways and add to the rules of the NIC', async (network) => {
    const securityGroups = [
      { id: 'in', rules: [rule('allow-in')] },
      { id: 'out', rules: [rule('allow-out', { type: 'EGRESS' as const })] },
    ];
    const grouped = (a: string[], b: string[], firewallActive = false): Parts => ({
      nics: [web.a, { ...web.b, firewallActive, firewallRules: [rule('own', { protocol: 'UDP' })] }],
      servers: [
        { id: 'server-a', vmState: 'RUNNING', securityGroups: a },
        { id: 'server-b', vmState: 'RUNNING', securityGroups: b },
      ],
      securityGroups,
    });
    const deny = 'security group default deny';
    assert.equal(await lastIn(network, grouped(['in'], []), sent), `nic a EGRESS REJECT: ${deny}`);
    assert.equal(await lastIn(network, grouped(['in', 'out'], ['out']), sent), `nic b INGRESS REJECT: ${deny}`);
    assert.deepEqual((await pathIn(network, grouped(['in', 'out'], ['in'], true), sent)).slice(0, 3), [
      'nic a EGRESS ACCEPT: securitygroup out allow-out',
      'lan 2 EGRESS ACCEPT: same LAN',
      'nic b INGRESS ACCEPT: securitygroup in allow-in',
    ]);
    const udp = packet('a', '10.0.2.2', { protocol: 'UDP' });
    assert.equal((await pathIn(network, grouped([], ['in'], true), udp)).at(-2), accepted('own'));
    assert.equal(await lastIn(network, grouped([], ['in'], false), udp), `nic b INGRESS REJECT: ${deny}`);
  });
}

function gateways(test: Case): void {
  const snat = { protocol: 'ALL' as const, sourceSubnet: '10.0.2.0/24', targetSubnet: null, targetPortRange: null };
  const gateway = {
    id: 'gate',
    publicIps: ['198.18.0.9'],
    lans: [{ id: 2, gatewayIps: ['10.0.2.254/24'] }],
    rules: [
      {
        ...snat,
        id: 'https',
        protocol: 'TCP' as const,
        publicIp: '198.18.0.9',
        targetPortRange: { start: 443, end: 443 },
      },
      { ...snat, id: 'test-net', publicIp: '198.18.0.9', targetSubnet: '203.0.113.0/24' },
    ],
  };
  const parts: Parts = { nics: Object.values(web), natGateways: [gateway] };

  test('a NAT gateway lets packets out by its first matching rule, with its public address', async (network) => {
    await network.apply(datacenter('D', parts), 1);
    const verdict = await network.send(packet('a', '203.0.113.7'));
    assert.deepEqual(path(verdict).slice(1), [
      'natgateway gate EGRESS ACCEPT: natgateway gate test-net',
      'internet EGRESS ACCEPT: internet',
      'outside',
    ]);
    assert.deepEqual(
      verdict.hops.map(({ sourceIp }) => sourceIp),
      ['10.0.2.1', '198.18.0.9', '198.18.0.9'],
    );
    const https = await network.send(packet('a', '198.18.0.1', { targetPort: 443 }));
    assert.deepEqual(path(https).slice(1, 3), [
      'natgateway gate EGRESS ACCEPT: natgateway gate https',
      'internet EGRESS ACCEPT: public address',
    ]);
    assert.equal(path(https).at(-1), 'at p');
  });

  test('packets without a matching rule stay inside, and nothing comes in through it', async (network) => {
    assert.equal(await lastIn(network, parts, packet('a', '8.8.8.8')), 'natgateway gate EGRESS REJECT: no SNAT rule');
    assert.equal(
      await lastIn(network, parts, packet(outside, '198.18.0.9')),
      'natgateway gate INGRESS REJECT: no inbound',
    );
  });
}
