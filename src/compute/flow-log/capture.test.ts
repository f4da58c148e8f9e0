// The captured flows, from the packet to the record: by interface, direction and action, in both IP versions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuid } from '../../base/ids.ts';
import type { Row } from '../../core/state/engine.ts';
import {
  applicationBalancer,
  balancer,
  datacenter,
  httpRule,
  outside,
  packet,
  rule,
} from '../network/contract/samples.ts';
import type { DatacenterSpec } from '../network/spec.ts';
import { rowsOf, writeRows } from '../network/testing.ts';
import { captureOf, capturePlace } from './capture-rows.ts';
import { intervalMs } from './interval.ts';
import { type FlowLogWorld, flowLogWorld, nicOf, openWorld } from './testing.ts';

const sum = (records: readonly string[]): number =>
  records.reduce((total, record) => total + Number(record.split(' ')[6]), 0);

test('[FLOW-03] a record has 14 fields in their order, in IPv4 and IPv6', async (t) => {
  const a = nicOf(1, '198.18.0.1', { ipv6Ips: ['2001:db8::1'] });
  const world = await openWorld(t, { nics: [a] });
  const { clock, traffic, objects } = world;
  await world.addFlowLog(1, world.nicPath(a), { name: 'webserver01', bucket: 'logs/flowlogs' });
  const start = clock.time / 1000;
  clock.time += 5_400;
  await traffic.send(1, packet(outside, '198.18.0.1', { packets: 3, bytes: 300 }));
  clock.time += 60_000;
  await traffic.send(1, packet(outside, '198.18.0.1', { packets: 2, bytes: 200 }), { count: 2 });
  await traffic.send(1, packet(a.id, '2001:4860::8', { protocol: 'UDP', sourcePort: 5353, targetPort: 53 }));
  await traffic.send(1, { from: { nicId: a.id }, to: '203.0.113.9', protocol: 'ICMP', icmpType: 8, icmpCode: 0 });
  clock.time = start * 1000 + intervalMs;
  await world.publish();
  const front = ['2', '1', a.id];
  assert.deepEqual(objects.records(1, 'logs'), {
    [`flowlogs/webserver01-${start + 600}.log.gz`]: [
      [
        ...front,
        '203.0.113.7',
        '198.18.0.1',
        '40000',
        '80',
        '6',
        '7',
        '700',
        `${start + 5}`,
        `${start + 65}`,
        'ACCEPT',
        'OK',
      ],
      [
        ...front,
        '2001:db8::1',
        '2001:4860::8',
        '5353',
        '53',
        '17',
        '1',
        '60',
        `${start + 65}`,
        `${start + 65}`,
        'ACCEPT',
        'OK',
      ],
      [
        ...front,
        '198.18.0.1',
        '203.0.113.9',
        '0',
        '0',
        '1',
        '1',
        '60',
        `${start + 65}`,
        `${start + 65}`,
        'ACCEPT',
        'OK',
      ],
    ],
  });
});

test('[FLOW-01] [FLOW-04] captured flows match direction and action of the flow log', async (t) => {
  const cases: [values: { action: string; direction: string }, captured: string[]][] = [
    [
      { action: 'ALL', direction: 'BIDIRECTIONAL' },
      ['in 22 REJECT', 'in 80 ACCEPT', 'out 443 ACCEPT', 'out 25 REJECT'],
    ],
    [{ action: 'ACCEPTED', direction: 'BIDIRECTIONAL' }, ['in 80 ACCEPT', 'out 443 ACCEPT']],
    [{ action: 'REJECTED', direction: 'BIDIRECTIONAL' }, ['in 22 REJECT', 'out 25 REJECT']],
    [{ action: 'ALL', direction: 'INGRESS' }, ['in 22 REJECT', 'in 80 ACCEPT']],
    [{ action: 'ALL', direction: 'EGRESS' }, ['out 443 ACCEPT', 'out 25 REJECT']],
    [{ action: 'REJECTED', direction: 'EGRESS' }, ['out 25 REJECT']],
  ];
  const firewallRules = [
    rule('in', { portRangeStart: 80, portRangeEnd: 80 }),
    rule('out', { type: 'EGRESS', portRangeStart: 443, portRangeEnd: 443 }),
  ];
  const nics = cases.map((_, at) =>
    nicOf(1, `198.18.0.${at + 1}`, { firewallActive: true, firewallType: 'BIDIRECTIONAL', firewallRules: [] }),
  );
  for (const [at, one] of nics.entries())
    one.firewallRules = firewallRules.map((each) => ({ ...each, id: `${each.id}${at}` }));
  const world = await openWorld(t, { nics });
  for (const [at, [values]] of cases.entries())
    await world.addFlowLog(1, world.nicPath(nics[at] as (typeof nics)[0]), { ...values, name: `case${at}` });
  for (const { id, ips } of nics) {
    for (const targetPort of [22, 80]) await world.traffic.send(1, packet(outside, String(ips[0]), { targetPort }));
    for (const targetPort of [443, 25]) await world.traffic.send(1, packet(id, '203.0.113.9', { targetPort }));
  }
  const records = (await world.published()).map((line) => line.split(' '));
  for (const [at, [values, captured]] of cases.entries()) {
    const own = records.filter(([id]) => id === nics[at]?.id);
    assert.deepEqual(
      own.map((fields) => `${fields[1] === '203.0.113.7' ? 'in' : 'out'} ${fields[4]} ${fields[10]}`),
      captured,
      JSON.stringify(values),
    );
  }
});

test('[FLOW-01] NAT gateways and balancers capture their traffic, with their own addresses', async (t) => {
  const [a, b] = [nicOf(2, '10.0.2.1'), nicOf(2, '10.0.2.2')];
  const natGateway = {
    id: uuid(),
    publicIps: ['198.18.0.50'],
    lans: [{ id: 2, gatewayIps: ['10.0.2.254/24'] }],
    rules: [
      {
        id: uuid(),
        protocol: 'TCP',
        sourceSubnet: '10.0.2.1/32',
        publicIp: '198.18.0.50',
        targetSubnet: null,
        targetPortRange: null,
      },
    ],
  } as unknown as DatacenterSpec['natGateways'][0];
  const [nlb, alb] = [uuid(), uuid()];
  const listen = { ...applicationBalancer([httpRule('all', { type: 'STATIC', targetGroup: null, statusCode: 200 })]) };
  const own = { ips: ['198.18.0.101'] };
  const [rules] = listen.forwardingRules;
  const world = await openWorld(t, {
    nics: [a, b],
    natGateways: [natGateway],
    networkLoadBalancers: [balancer({ id: nlb })],
    applicationLoadBalancers: [
      {
        ...listen,
        ...own,
        id: alb,
        forwardingRules: [{ ...rules, listenerIp: '198.18.0.101' } as typeof rules & object],
      },
    ],
  });
  for (const [plural, id] of [
    ['natgateways', natGateway.id],
    ['networkloadbalancers', nlb],
    ['applicationloadbalancers', alb],
  ])
    await world.addFlowLog(1, `${world.datacenter}/${plural}/${id}`, { name: `${plural}` });
  const { traffic } = world;
  await traffic.send(1, packet(a.id, '203.0.113.9', { targetPort: 443 }));
  await traffic.send(1, packet(b.id, '203.0.113.9', { targetPort: 443 }));
  await traffic.send(1, packet(outside, '198.18.0.50', { targetPort: 22 }));
  await traffic.send(1, packet(outside, '198.18.0.100'));
  await traffic.send(1, packet(outside, '198.18.0.100', { targetPort: 81 }));
  const http = { method: 'GET', host: 'x', path: '/', query: '', headers: {}, cookies: {} };
  await traffic.send(1, packet(outside, '198.18.0.101', { http }));
  const shown = (await world.published()).map((line) => {
    const [id, source, target, , port, , , , , , action] = line.split(' ');
    return `${id} ${source} > ${target}:${port} ${action}`;
  });
  assert.deepEqual(
    shown.sort(),
    [
      `${natGateway.id} 10.0.2.2 > 203.0.113.9:443 REJECT`,
      `${natGateway.id} 198.18.0.50 > 203.0.113.9:443 ACCEPT`,
      `${natGateway.id} 203.0.113.7 > 198.18.0.50:22 REJECT`,
      `${nlb} 10.0.2.240 > 10.0.2.1:8080 ACCEPT`,
      `${nlb} 203.0.113.7 > 198.18.0.100:80 ACCEPT`,
      `${nlb} 203.0.113.7 > 198.18.0.100:81 REJECT`,
      `${alb} 203.0.113.7 > 198.18.0.101:80 ACCEPT`,
    ].sort(),
  );
});

test('[GEN-07] flows between contracts: each flow log has its own side, in its own bucket', async (t) => {
  const [ours, theirs] = [nicOf(1, '198.18.0.1'), nicOf(1, '198.18.0.2')];
  const world = await openWorld(t, { nics: [ours] });
  const other = uuid();
  await writeRows(world.store, rowsOf(datacenter(other, { nics: [theirs] }), 2));
  await world.addFlowLog(1, world.nicPath(ours));
  await world.addFlowLog(2, `datacenters/${other}/servers/${theirs.server}/nics/${theirs.id}`);
  await world.traffic.send(1, packet(ours.id, '198.18.0.2'));
  await world.published();
  for (const [contract, { id }] of [
    [1, ours],
    [2, theirs],
  ] as const) {
    const records = Object.values(world.objects.records(contract, 'logs')).flat();
    assert.deepEqual(
      records.map((fields) => fields.slice(0, 5)),
      [['2', String(contract), id, '198.18.0.1', '198.18.0.2']],
    );
  }
});

test('[FLOW-04] SKIPDATA is written if, and only if, flows beyond the bound were skipped', async (t) => {
  const a = nicOf(1, '198.18.0.1');
  const world = await openWorld(t, { nics: [a] }, { bounds: { perInterval: 250, waiting: 600, inMemory: 10_000 } });
  await world.addFlowLog(1, world.nicPath(a));
  const send = (count: number, sourcePort = 1000) =>
    world.traffic.send(1, packet(outside, '198.18.0.1', { sourcePort }), { count, sourcePortStep: 1 });
  await send(250);
  await send(250); // the same flows
  const exact = await world.published();
  assert.deepEqual([exact.length, sum(exact), exact.every((line) => line.endsWith(' OK'))], [250, 500, true]);
  const start = world.clock.time / 1000;
  await send(251);
  await send(2, 5000);
  await send(250); // known flows are still counted
  const beyond = await world.published();
  assert.deepEqual([beyond.length, sum(beyond.slice(0, -1))], [251, 500]);
  assert.equal(beyond.at(-1), `${a.id} - - - - - - - ${start} ${start + 599} - SKIPDATA`);
  assert.equal((await send(1)).length, 1);
  assert.deepEqual((await world.published()).length, 1, 'the next interval is complete again');
});

test('[FLOW-04] the backlog for a bucket is bounded too, and an interval with missing flows has SKIPDATA', async (t) => {
  const a = nicOf(1, '198.18.0.1');
  const world = await openWorld(t, { nics: [a] }, { bounds: { perInterval: 250, waiting: 600, inMemory: 10_000 } });
  await world.addFlowLog(1, world.nicPath(a));
  world.objects.remove(1, 'logs');
  for (let interval = 0; interval < 4; interval++) {
    await world.traffic.send(1, packet(outside, '198.18.0.1', { sourcePort: 1000 }), { count: 200, sourcePortStep: 1 });
    world.clock.time += intervalMs;
    await world.publish();
  }
  world.objects.make(1, 'logs');
  await world.publish();
  const objects = Object.values(world.objects.records(1, 'logs'));
  assert.deepEqual(
    objects.map((records) => records.map((fields) => fields.at(-1)).filter((status) => status === 'OK').length),
    [200, 200, 200, 0],
  );
  assert.deepEqual(
    objects[3]?.map((fields) => fields.at(-1)),
    ['SKIPDATA'],
  );
});

test('several processes that capture one interface write one object, each flow once', async (t) => {
  const a = nicOf(1, '198.18.0.1');
  const world = await openWorld(t, { nics: [a] });
  const second = flowLogWorld(world.store, world.objects);
  await world.addFlowLog(1, world.nicPath(a));
  const sent = packet(outside, '198.18.0.1', { sourcePort: 1000, packets: 2 });
  const all = [world, second].flatMap(({ traffic }) =>
    Array.from({ length: 20 }, () => traffic.send(1, sent, { count: 150, sourcePortStep: 1 })),
  );
  await Promise.all(all);
  const records = await world.published();
  assert.deepEqual([records.length, sum(records)], [150, 2 * 20 * 150 * 2]);
  assert.equal(world.objects.puts.length, 1);
});

test('flows that arrive after their interval was closed are in the next one', async (t) => {
  const a = nicOf(1, '198.18.0.1');
  const world = await openWorld(t, { nics: [a] });
  const late = flowLogWorld(world.store, world.objects); // a node whose clock is behind
  await world.addFlowLog(1, world.nicPath(a));
  const send = ({ traffic }: FlowLogWorld, targetPort: number) =>
    traffic.send(1, packet(outside, '198.18.0.1', { targetPort }));
  await send(world, 1);
  await send(late, 2);
  const start = world.clock.time / 1000;
  assert.equal((await world.published()).length, 2);
  await send(late, 3);
  const [record = '', ...more] = await world.published();
  assert.deepEqual(more, []);
  assert.deepEqual(record.split(' ').slice(4, 10), ['3', '6', '1', '60', `${start + 600}`, `${start + 600}`]);
});

test('flows are on disk before the response to the traffic, or the response is an error', async (t) => {
  const a = nicOf(1, '198.18.0.1');
  const world = await openWorld(t, { nics: [a] });
  await world.addFlowLog(1, world.nicPath(a));
  const send = () => world.traffic.send(1, packet(outside, '198.18.0.1'), { count: 10 });
  await send();
  const { apply } = world.store.engine;
  world.store.engine.apply = () => Promise.reject(new Error('disk full'));
  await assert.rejects(send(), /disk full/);
  world.store.engine.apply = apply;
  await send();
  assert.deepEqual(sum(await world.published()), 20);
});

test('a flow log that is no longer captured leaves no rows behind', async (t) => {
  const a = nicOf(1, '198.18.0.1');
  const world = await openWorld(t, { nics: [a] });
  const path = await world.addFlowLog(1, world.nicPath(a));
  await world.traffic.send(1, packet(outside, '198.18.0.1'));
  const cut = path.lastIndexOf('/');
  const key = { contract: 1, place: path.slice(0, cut), id: path.slice(cut + 1) };
  const [capture] = await world.store.children(0, capturePlace);
  assert.equal(captureOf(capture as Row).path, path);
  await world.store.must([{ op: 'remove', table: 'resource', key, loose: true }]);
  assert.equal((await world.published()).length, 1, 'its last interval is published');
  assert.deepEqual(await world.store.range({ contract: 0, below: 'flow-', limit: 9 }), []);
  assert.equal((await world.traffic.send(1, packet(outside, '198.18.0.1'))).length, 1);
  assert.deepEqual(await world.published(), []);
});
