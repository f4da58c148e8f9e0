// Flow logs count real packets: machines, a gateway and a load balancer in namespaces send and receive TCP, UDP and
// ICMP, and a packet socket at the interface counts the same packets and bytes. Rejected packets that never leave are
// counted by their sender. The tables are read and the firewall is replaced again and again in the middle of it.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import {
  balancer,
  datacenter,
  type FirewallRule,
  type InterfaceFlows,
  indexTopology,
  lan,
  nic,
  planOf,
  rule,
  target,
} from '../../../src/testing/black-box/network.ts';
import { limits } from '../../../src/testing/limits.ts';
import { Capture, type Captured } from '../../harness/network/capture.ts';
import { ranges } from '../../harness/network/landscape.ts';
import { Namespaces, networkTools, type Tools } from '../../harness/network/namespaces.ts';
import { client, listen } from '../../harness/network/talk.ts';
import { Wire } from '../../harness/network/wire.ts';

const tools = await networkTools();

const front = '198.18.0.100'; // of the load balancer
const openPort = { TCP: 80, UDP: 53 };
const open = ['IPv4', 'IPv6'].flatMap((ipVersion) =>
  (['INGRESS', 'EGRESS'] as const).flatMap((type) => [
    rule(`${type} tcp ${ipVersion}`, { type, ipVersion: ipVersion as 'IPv4', portRangeStart: 80, portRangeEnd: 80 }),
    rule(`${type} udp ${ipVersion}`, {
      type,
      ipVersion: ipVersion as 'IPv4',
      protocol: 'UDP',
      portRangeStart: 53,
      portRangeEnd: 53,
    }),
    rule(`${type} icmp ${ipVersion}`, {
      ...{ type, ipVersion: ipVersion as 'IPv4', protocol: ipVersion === 'IPv4' ? 'ICMP' : 'ICMPv6' },
      icmpType: ipVersion === 'IPv4' ? 8 : 128,
    }),
  ]),
);

const landscape = (firewallRules: readonly FirewallRule[]) =>
  datacenter('dc', {
    lans: [lan(1, { public: true }), lan(2, { ipv4CidrBlock: '10.7.0.0/24', ipv6CidrBlock: '2001:db8:0:2::/64' })],
    nics: [
      {
        ...nic('a', 2, '10.7.0.11', { ipv6Ips: ['2001:db8:0:2::11'], pciSlot: 6 }),
        ...{ firewallActive: true, firewallType: 'BIDIRECTIONAL', firewallRules },
      },
      nic('b', 2, '10.7.0.12', { ipv6Ips: ['2001:db8:0:2::12'], pciSlot: 6 }),
    ],
    natGateways: [
      {
        ...{ id: 'gateway', publicIps: ['198.18.0.9'], lans: [{ id: 2, gatewayIps: ['10.7.0.1/24'] }] },
        rules: (['TCP', 'UDP', 'ICMP'] as const).map((protocol) => ({
          ...{ id: protocol, protocol, sourceSubnet: '10.7.0.0/24', publicIp: '198.18.0.9', targetSubnet: null },
          targetPortRange: protocol === 'ICMP' ? null : { start: openPort[protocol], end: openPort[protocol] },
        })),
      },
    ],
    networkLoadBalancers: [
      balancer({
        ...{ id: 'front', ips: [front], lbPrivateIps: ['10.7.0.5/24'] },
        forwardingRules: [
          {
            ...{ id: 'forward', algorithm: 'ROUND_ROBIN', protocol: 'TCP', listenerIp: front, listenerPort: 80 },
            targets: [{ ...target('10.7.0.12', { check: false }), port: 80 }],
          },
        ],
      }),
    ],
  });

async function openHost(t: TestContext, flowSetSize?: number) {
  const datacenters = [landscape(open)];
  const host = new Namespaces(tools as Tools, datacenters, flowSetSize);
  t.after(() => host.close());
  const wire = new Wire(host);
  await wire.open();
  const machines = ['server-a', 'server-b'];
  for (const server of machines) await host.start(server);
  const apply = async (
    rules: readonly FirewallRule[] = open,
    logged = new Set(['a', 'gateway', 'front']),
  ): Promise<void> => {
    const index = indexTopology({ ranges, datacenters: [landscape(rules)] });
    await host.apply(planOf(index, { ranges, uplink: { device: 'eth0', isMasked: false }, machines, logged }));
    assert.deepEqual(host.warnings, []);
  };
  await apply();
  return { host, apply };
}

// Sums of all readings.
function totals(recorded: readonly InterfaceFlows[], id: string, action?: string): Captured[] {
  const sums = new Map<string, Captured>();
  for (const one of recorded.filter((each) => each.id === id))
    for (const { direction, packets, bytes, ...more } of one.flows) {
      if (action !== undefined && more.action !== action) continue;
      const flow = `${more.sourceIp} ${more.sourcePort} ${more.targetIp} ${more.targetPort} ${more.protocol}`;
      const sum = sums.get(`${direction} ${flow}`) ?? { direction, flow, packets: 0, bytes: 0 };
      sums.set(`${direction} ${flow}`, { ...sum, packets: sum.packets + packets, bytes: sum.bytes + bytes });
    }
  return [...sums.values()];
}

const ordered = (flows: readonly Captured[]): string[] =>
  flows.map(({ direction, flow, packets, bytes }) => `${direction} ${flow}: ${packets} ${bytes}`).sort();

const of = (direction: string, flows: readonly Captured[]): Captured[] =>
  flows.filter((one) => one.direction === direction);
const to = (flow: string): string => flow.split(' ').slice(2, 4).join(' ');
const isClosed = ({ flow }: Captured): boolean => /^\S+ (54|81)$/.test(to(flow));
const each = 60; // datagrams and echo requests per target

suite('flows of real packets', { skip: tools.skip ?? false }, () => {
  test('a NIC counts what its firewall accepts and rejects, in both directions', {
    timeout: limits.test,
  }, async (t) => {
    const { host, apply } = await openHost(t);
    for (const name of ['server-a', 'server-b']) await listen(host, name, [80, 81, 53, 54]);
    const capture = await Capture.start(host, 'server-a', 'ens6');
    let isSending = true;
    const disturb = async (): Promise<void> => {
      for (let round = 0; isSending; round++) {
        await host.flows.read();
        await apply(open.map((one) => ({ ...one, id: `${one.id} ${round}` })));
      }
      t.diagnostic(`${host.recorded.length} readings`);
    };
    const disturbing = disturb();
    const [fromA] = await Promise.all([
      host.inside('server-a', client(['10.7.0.12', '2001:db8:0:2::12'], each)),
      host.inside('server-b', client(['10.7.0.11', '2001:db8:0:2::11'], each)),
    ]);
    isSending = false;
    await disturbing;
    const captured = await capture.stop();
    await host.flows.read();
    const all = totals(host.recorded, 'a');
    const [accepted, rejected] = ['ACCEPT', 'REJECT'].map((action) => totals(host.recorded, 'a', action)) as [
      Captured[],
      Captured[],
    ];
    assert.deepEqual(ordered(of('INGRESS', all)), ordered(of('INGRESS', captured)));
    assert.deepEqual(ordered(of('EGRESS', accepted)), ordered(of('EGRESS', captured)));
    // A packet that its own firewall rejects is not sent: its sender has counted it, except for those of TCP.
    const isTcp = ({ flow }: Captured): boolean => flow.endsWith(' 6');
    const refused = JSON.parse(fromA) as Record<string, [packets: number, bytes: number]>;
    assert.deepEqual(
      ordered(of('EGRESS', rejected).filter((one) => !isTcp(one))),
      Object.entries(refused)
        .map(([flow, [packets, bytes]]) => `EGRESS ${flow}: ${packets} ${bytes}`)
        .sort(),
    );
    assert.deepEqual(
      of('EGRESS', rejected)
        .filter(isTcp)
        .map(({ flow }) => to(flow))
        .sort(),
      ['10.7.0.12 81', '2001:db8:0:2::12 81'],
    );
    const hasPorts = ({ flow }: Captured): boolean => / (6|17)$/.test(flow);
    assert.deepEqual(
      ordered(of('INGRESS', rejected).filter(hasPorts)),
      ordered(of('INGRESS', captured).filter((one) => hasPorts(one) && isClosed(one))),
    );
    assert.deepEqual(ordered(of('INGRESS', rejected).filter((one) => !hasPorts(one))), [
      `INGRESS 10.7.0.12 0 10.7.0.11 0 1: ${each} ${each * 40}`,
      `INGRESS 2001:db8:0:2::12 0 2001:db8:0:2::11 0 58: ${each} ${each * 60}`,
    ]);
    t.diagnostic(`${captured.length} flows, ${captured.reduce((sum, { packets }) => sum + packets, 0)} packets`);
  });

  test('a NAT gateway counts at its public and its LAN addresses, and what it rejects', {
    timeout: limits.test,
  }, async (t) => {
    const { host } = await openHost(t);
    await listen(host, 'internet', [80, 81, 53, 54]);
    const [uplink, inLan] = [
      await Capture.start(host, 'nat-dc', 'uplink'),
      await Capture.start(host, 'nat-dc', 'lan2'),
    ];
    let isSending = true;
    const reading = (async () => {
      while (isSending) await host.flows.read();
    })();
    await Promise.all([
      host.inside('server-b', client(['203.0.113.7', '10.7.0.1'], each)),
      host.inside('internet', client(['198.18.0.9'], each)),
    ]);
    isSending = false;
    await reading;
    const [outside, inside] = [await uplink.stop(), await inLan.stop()];
    await host.flows.read();
    const all = totals(host.recorded, 'gateway');
    const [accepted, rejected] = ['ACCEPT', 'REJECT'].map((action) => totals(host.recorded, 'gateway', action)) as [
      Captured[],
      Captured[],
    ];
    const isOwn = ({ flow }: Captured): boolean => flow.includes('10.7.0.1 ');
    const own = inside.filter(isOwn);
    assert.deepEqual(ordered(of('INGRESS', all)), ordered(of('INGRESS', [...outside, ...own])));
    assert.deepEqual(ordered(of('EGRESS', accepted)), ordered(of('EGRESS', [...outside, ...own])));
    assert.deepEqual(
      ordered(of('EGRESS', rejected)),
      ordered(inside.filter((one) => !isOwn(one) && isClosed(one)).map((one) => ({ ...one, direction: 'EGRESS' }))),
    );
    const isUnwanted = ({ flow }: Captured): boolean => /^203\.0\.113\.7 \d+ 198\.18\.0\.9 (53|54|80|81) /.test(flow);
    assert.deepEqual(ordered(of('INGRESS', rejected).filter((one) => !isOwn(one))), [
      `INGRESS 203.0.113.7 0 198.18.0.9 0 1: ${2 * each} ${2 * each * 40}`,
      ...ordered(of('INGRESS', outside).filter(isUnwanted)),
    ]);
    t.diagnostic(`${outside.length + own.length} flows accepted or rejected at the gateway`);
  });

  test('a load balancer counts the packets of clients and of targets, and what it rejects', {
    timeout: limits.test,
  }, async (t) => {
    const { host, apply } = await openHost(t);
    await listen(host, 'server-b', [80, 81, 53, 54]);
    const captures = [
      await Capture.start(host, 'lb-front', 'listener'),
      await Capture.start(host, 'lb-front', 'target'),
    ];
    let isSending = true;
    const reading = (async () => {
      while (isSending) await host.flows.read();
    })();
    await Promise.all([
      host.inside('internet', client([front], each)),
      host.inside('server-b', client(['10.7.0.5'], each)),
    ]);
    isSending = false;
    await reading;
    const captured = (await Promise.all(captures.map((capture) => capture.stop()))).flat();
    await apply(open, new Set()); // reads for the last time
    const all = totals(host.recorded, 'front');
    const [accepted, rejected] = ['ACCEPT', 'REJECT'].map((action) => totals(host.recorded, 'front', action)) as [
      Captured[],
      Captured[],
    ];
    const isOpen = ({ flow }: Captured): boolean => /^\S+ \d+ 198\.18\.0\.100 80 6$|^10\.7\.0\.12 80 /.test(flow);
    assert.deepEqual(ordered(of('INGRESS', all)), ordered(of('INGRESS', captured)));
    assert.deepEqual(ordered(of('EGRESS', accepted)), ordered(of('EGRESS', captured)));
    assert.deepEqual(ordered(rejected), ordered(of('INGRESS', captured).filter((one) => !isOpen(one))));
    const ends = accepted.map(({ direction, flow }) => `${direction} ${flow.replace(/ [3-6]\d{4} /, ' * ')}`);
    assert.deepEqual(ends.sort(), [
      `EGRESS 10.7.0.5 * 10.7.0.12 80 6`,
      `EGRESS 198.18.0.100 80 203.0.113.7 * 6`,
      `INGRESS 10.7.0.12 80 10.7.0.5 * 6`,
      `INGRESS 203.0.113.7 * 198.18.0.100 80 6`,
    ]);
    t.diagnostic(`${captured.length} flows, ${captured.reduce((sum, { packets }) => sum + packets, 0)} packets`);
  });

  test('packets beyond the size of a set are reported as skipped, until the next reading', async (t) => {
    const size = 20;
    const { host } = await openHost(t, size);
    await host.inside(
      'server-b',
      `python3 -c 'import socket
for port in range(1000, 1100):
    for _ in range(2): socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("10.7.0.11", port))'`,
    );
    await host.flows.read();
    const flood = host.recorded.splice(0).find(({ id }) => id === 'a');
    assert.equal(flood?.isComplete, false);
    await host.inside(
      'server-b',
      `python3 -c 'import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("10.7.0.11", 53))'`,
    );
    await host.flows.read();
    const after = host.recorded.find(({ id }) => id === 'a');
    const seen = after?.flows.filter(({ direction }) => direction === 'INGRESS');
    assert.deepEqual(
      [after?.isComplete, seen?.map(({ targetPort, packets }) => [targetPort, packets])],
      [true, [[53, 1]]],
    );
    assert.equal(flood.flows.length, size);
    assert.deepEqual(new Set(flood.flows.map(({ action }) => action)), new Set(['REJECT']));
  });

  test('an interface that joins or leaves loses no counts of the others', async (t) => {
    const { host, apply } = await openHost(t);
    const send = (): Promise<string> =>
      host.inside(
        'server-b',
        `python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.7.0.12", 5000))
for _ in range(5): s.sendto(b"x", ("10.7.0.11", 53))'`,
      );
    const interfaces = [['a'], ['a', 'b'], ['b'], []];
    for (const ids of interfaces) {
      await apply(open, new Set(ids));
      await send();
    }
    await host.flows.read();
    const datagrams = (id: string): Captured[] => totals(host.recorded, id).filter(({ flow }) => flow.endsWith(' 17'));
    assert.deepEqual(ordered(datagrams('a')), [`INGRESS 10.7.0.12 5000 10.7.0.11 53 17: 10 290`]);
    assert.deepEqual(ordered(datagrams('b')), [`EGRESS 10.7.0.12 5000 10.7.0.11 53 17: 10 290`]);
    assert.doesNotMatch(await host.inside('server-a', 'nft list tables'), /flows/);
  });
});
