// The contract suite of network engines: applying specs, evaluating packets and reporting flows. A test that an engine
// can't support is skipped with a reason in `except`.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault, type FaultKind } from '../../../base/fault.ts';
import type { NetworkEngine } from '../engine.ts';
import { balancersContract } from './balancers.ts';
import { balancer, type Case, datacenter, lan, nic, outside, packet, path, rule } from './samples.ts';
import { verdictsContract } from './verdicts.ts';

export interface ContractOptions {
  open: (settings: { flowsKept: number }) => Promise<NetworkEngine>; // for the ranges of the samples
  time: number; // what its clock shows
  except?: Record<string, string>; // title: the reason
}

export function networkContract(name: string, options: ContractOptions): void {
  const test: Case = (title, run) => {
    it(title, { skip: options.except?.[title] ?? false }, async () => {
      const network = await options.open({ flowsKept: 10 });
      try {
        await run(network);
      } finally {
        await network.close();
      }
    });
  };
  describe(`${name}: landscapes`, () => landscapes(test));
  describe(`${name}: verdicts`, () => verdictsContract(test));
  describe(`${name}: balancers`, () => balancersContract(test));
  describe(`${name}: flows`, () => flows(test, options.time));
}

const pair = (id: string, parts = {}) =>
  datacenter(id, { nics: [nic('a', 2, '10.0.2.1'), nic('b', 2, '10.0.2.2', parts)] });

const throwsFault = (sent: Promise<unknown>, kind: FaultKind): Promise<void> =>
  assert.rejects(sent, (error) => error instanceof Fault && error.kind === kind);

function landscapes(test: Case): void {
  test('a newer generation replaces the previous one, an older or equal one changes nothing', async (network) => {
    const closed = pair('D', { firewallActive: true });
    await network.apply(pair('D'), 5);
    await network.apply(closed, 5);
    await network.apply(closed, 4);
    assert.equal((await network.send(packet('a', '10.0.2.2'))).accepted, true);
    await network.apply(closed, 6);
    assert.equal((await network.send(packet('a', '10.0.2.2'))).accepted, false);
    await network.apply(datacenter('D', { nics: [nic('b', 2, '10.0.2.2')] }), 7);
    await throwsFault(network.send(packet('a', '10.0.2.2')), 'missing');
  });

  test('a removed datacenter no longer exists, and the others remain', async (network) => {
    await network.apply(pair('D'), 9);
    await network.apply(datacenter('E', { nics: [nic('e', 1, '198.18.0.1')] }), 1);
    await network.remove('D');
    await network.remove('unknown');
    await throwsFault(network.send(packet('a', '10.0.2.2')), 'missing');
    assert.equal((await network.send(packet(outside, '198.18.0.1'))).accepted, true);
    await network.apply(pair('D'), 1);
    assert.equal((await network.send(packet('a', '10.0.2.2'))).accepted, true);
  });

  test('an invalid address and a missing NIC are faults', async (network) => {
    await network.apply(pair('D'), 1);
    await throwsFault(network.send(packet('x', '10.0.2.2')), 'missing');
    await throwsFault(network.send(packet('a', '10.0.2')), 'refused');
    await throwsFault(network.send(packet({ ip: 'nobody' }, '10.0.2.2')), 'refused');
  });

  test('LANs of one cross connect are one segment, as long as both exist', async (network) => {
    const joined = (id: string, pcc: string | null, each: string, ip: string) =>
      datacenter(id, { lans: [lan(7, { ipv4CidrBlock: '10.7.0.0/24', pcc })], nics: [nic(each, 7, ip)] });
    await network.apply(joined('D', 'pcc', 'd', '10.7.0.1'), 1);
    await network.apply(joined('E', 'pcc', 'e', '10.7.0.2'), 1);
    assert.deepEqual(path(await network.send(packet('d', '10.7.0.2'))), [
      'nic d EGRESS ACCEPT: no firewall',
      'lan 7 EGRESS ACCEPT: cross connect',
      'nic e INGRESS ACCEPT: no firewall',
      'at e',
    ]);
    await network.apply(joined('E', null, 'e', '10.7.0.2'), 2);
    assert.equal((await network.send(packet('d', '10.7.0.2'))).accepted, false);
  });
}

function flows(test: Case, time: number): void {
  const guarded = { firewallActive: true, firewallRules: [rule('web', { portRangeStart: 80, portRangeEnd: 80 })] };

  test("each interface on a packet's path reports it", async (network) => {
    await network.apply(pair('D', guarded), 1);
    await network.send(packet('a', '10.0.2.2', { packets: 3, bytes: 900 }));
    await network.send(packet('a', '10.0.2.2', { targetPort: 81 }));
    const common = { time, sourceIp: '10.0.2.1', sourcePort: 40000, targetIp: '10.0.2.2', protocol: 6, kind: 'nic' };
    const first = { ...common, targetPort: 80, packets: 3, bytes: 900, action: 'ACCEPT' };
    const second = { ...common, targetPort: 81, packets: 1, bytes: 60 };
    assert.deepEqual(await network.flows('D', 0, 100), {
      flows: [
        { ...first, position: 0, id: 'a', direction: 'EGRESS' },
        { ...first, position: 1, id: 'b', direction: 'INGRESS' },
        { ...second, position: 2, id: 'a', direction: 'EGRESS', action: 'ACCEPT' },
        { ...second, position: 3, id: 'b', direction: 'INGRESS', action: 'REJECT' },
      ],
      next: 4,
      skipped: 0,
    });
  });

  test('a trace returns the verdict of the next packet, and records no flow and takes no turn', async (network) => {
    const nics = [nic('a', 2, '10.0.2.1'), nic('b', 2, '10.0.2.2')];
    await network.apply(datacenter('D', { nics, networkLoadBalancers: [balancer()] }), 1);
    const sent = packet(outside, '198.18.0.100');
    const ends: string[][] = [];
    for (let count = 0; count < 4; count++) {
      const { next } = await network.flows('D', 0, 100);
      const traced = await network.trace(sent);
      assert.deepEqual(await network.trace(sent), traced);
      assert.equal((await network.flows('D', 0, 100)).next, next);
      assert.deepEqual(await network.send(sent), traced);
      ends.push(path(traced).slice(-1));
    }
    assert.deepEqual([...new Set(ends.flat())].sort(), ['at a', 'at b']);
  });

  test('flows are read from a position on, page by page', async (network) => {
    await network.apply(pair('D'), 1);
    assert.deepEqual(await network.flows('D', 0, 5), { flows: [], next: 0, skipped: 0 });
    for (let count = 0; count < 3; count++) await network.send(packet('a', '10.0.2.2'));
    const positions = [];
    let next = 0;
    for (let page = await network.flows('D', 0, 4); page.flows.length > 0; page = await network.flows('D', next, 4)) {
      positions.push(page.flows.map(({ position }) => position));
      next = page.next;
    }
    assert.deepEqual(positions, [
      [0, 1, 2, 3],
      [4, 5],
    ]);
    assert.deepEqual(await network.flows('D', 6, 4), { flows: [], next: 6, skipped: 0 });
  });

  test('only the newest are kept, and lost ones are counted', async (network) => {
    await network.apply(pair('D'), 1);
    for (let count = 0; count < 8; count++) await network.send(packet('a', '10.0.2.2'));
    const { flows, next, skipped } = await network.flows('D', 1, 4);
    assert.deepEqual([flows.map(({ position }) => position), next, skipped], [[6, 7, 8, 9], 10, 5]);
    assert.equal((await network.flows('D', 10, 100)).skipped, 0);
    assert.equal((await network.flows('D', 10, 100)).flows.length, 6);
  });

  test('a flow belongs to the datacenter of its interface, and is deleted with it', async (network) => {
    await network.apply(datacenter('D', { nics: [nic('d', 1, '198.18.0.1')] }), 1);
    await network.apply(datacenter('E', { nics: [nic('e', 1, '198.18.0.2')] }), 1);
    await network.send(packet('d', '198.18.0.2'));
    assert.deepEqual(
      (await network.flows('D', 0, 9)).flows.map(({ id }) => id),
      ['d'],
    );
    assert.deepEqual(
      (await network.flows('E', 0, 9)).flows.map(({ id }) => id),
      ['e'],
    );
    await network.remove('E');
    assert.deepEqual((await network.flows('E', 0, 9)).flows, []);
  });

  test('balancers report both of their sides; unsent packets are not reported', async (network) => {
    const servers = [{ id: 'server-a', vmState: 'RUNNING', securityGroups: [] }];
    const nics = [nic('a', 2, '10.0.2.1'), nic('b', 2, '10.0.2.2')]; // the server of b does not exist
    await network.apply(datacenter('D', { nics, servers, networkLoadBalancers: [balancer()] }), 1);
    await network.send(packet(outside, '198.18.0.100'));
    await network.send(packet('b', '10.0.2.1'));
    await network.send(packet('a', '10.0.2.2'));
    const { flows } = await network.flows('D', 0, 9);
    assert.deepEqual(
      flows.map(({ kind, direction, sourceIp, targetIp, targetPort }) => [
        kind,
        direction,
        sourceIp,
        targetIp,
        targetPort,
      ]),
      [
        ['networkloadbalancer', 'INGRESS', '203.0.113.7', '198.18.0.100', 80],
        ['networkloadbalancer', 'EGRESS', '10.0.2.240', '10.0.2.1', 8080],
        ['nic', 'INGRESS', '10.0.2.240', '10.0.2.1', 8080],
        ['nic', 'EGRESS', '10.0.2.1', '10.0.2.2', 80],
      ],
    );
  });
}
