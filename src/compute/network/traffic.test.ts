// Traffic on a store of rows: what is read when, that no outdated data is used, and what other contracts may not see.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import { linkWrites } from '../../core/operation/reservations.ts';
import { type Row, rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { datacenter, lan, nic, outside, packet } from './contract/samples.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import type { DatacenterSpec, Nic } from './spec.ts';
import { rowsOf, storeFor, writeRows } from './testing.ts';
import { regionRanges, Traffic } from './traffic.ts';
import type { Packet } from './verdict.ts';

// Counts the reads of the store and the calls of the engine.
function watched(store: Store) {
  const network = new SimulatedNetwork({ now: () => 0, ranges: regionRanges });
  const seen = { readings: 0, applied: 0, removed: 0 };
  const { range } = store.engine;
  store.engine.range = (table, scan) => {
    if (table === 'resource' && scan.below !== undefined && !scan.after) seen.readings++;
    return range.call(store.engine, table, scan);
  };
  const { apply, remove } = network;
  network.apply = (spec, generation) => {
    seen.applied++;
    return apply.call(network, spec, generation);
  };
  network.remove = (id) => {
    seen.removed++;
    return remove.call(network, id);
  };
  return { traffic: new Traffic(store, network), network, seen };
}

const own = (parts: Partial<Nic> = {}, lanId = 2, ip = '10.0.2.1'): Nic => {
  const id = uuid();
  const bytes = id.replaceAll('-', '').slice(-8).match(/../g) ?? [];
  return { ...nic(id, lanId, ip), server: uuid(), mac: `02:01:${bytes.join(':')}`, ...parts };
};

const write = (store: Store, contract: number, parts: Partial<DatacenterSpec>, id: string = uuid()) =>
  writeRows(store, rowsOf(datacenter(id, parts), contract)).then(() => id);

async function change(store: Store, contract: number, path: string, values: object): Promise<void> {
  const row = (await store.at(contract, path)) as Row;
  const body = JSON.stringify({ ...(JSON.parse(row.body) as object), ...values });
  await store.must([{ op: 'update', table: 'resource', row: { ...row, body } }]);
}

const reasonOf = async (traffic: Traffic, contract: number, sent: Packet): Promise<string> => {
  const [shown] = await traffic.send(contract, sent);
  return `${shown?.verdict} ${shown?.reason}`;
};

const isMissing = (error: unknown): boolean => error instanceof Fault && error.kind === 'missing';

test('a datacenter of a thousand NICs is read once, and again only when its contract has changed', async (t) => {
  const store = await storeFor(t);
  const nics = Array.from({ length: 1000 }, (_, at) => own({}, 2, `10.0.${at >> 8}.${at & 255}`));
  await write(store, 1, { nics });
  const { traffic, seen } = watched(store);
  for (let at = 0; at < 200; at++)
    await traffic.send(1, packet(nics[at]?.id as string, nics[999 - at]?.ips[0] as string));
  assert.deepEqual(seen, { readings: 1, applied: 1, removed: 0 });
  await write(store, 2, {});
  await traffic.send(1, packet(nics[0]?.id as string, '10.0.0.9'));
  assert.equal(seen.readings, 1, 'changes of another contract do not matter');
  const other = await write(store, 1, {});
  await traffic.send(1, packet(nics[0]?.id as string, '10.0.0.9'));
  assert.deepEqual(seen, { readings: 2, applied: 1, removed: 0 }, 'an unchanged spec is not applied again');
  await change(store, 1, `datacenters/${other}`, { name: 'other' });
  await Promise.all(nics.slice(0, 50).map(({ id }) => traffic.send(1, packet(id, '10.0.0.9'))));
  assert.deepEqual(seen, { readings: 3, applied: 1, removed: 0 }, 'one read serves all concurrent callers');
});

// Calls back when the rows of a datacenter were read, before they are returned.
function onReading(store: Store, table: 'resource' | 'journal', then: (reading: number) => Promise<void>): void {
  const { range } = store.engine;
  let readings = 0;
  store.engine.range = async (of, scan) => {
    const rows = await range.call(store.engine, of, scan);
    if (of === table && scan.below !== undefined) await then(++readings);
    return rows;
  };
}

test('a change applies to every later packet, even if an earlier state is being read at that time', async (t) => {
  const store = await storeFor(t);
  const b = own({}, 1, '198.18.0.2');
  const id = await write(store, 1, { nics: [b] });
  const { traffic } = watched(store);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  onReading(store, 'resource', async (reading) => {
    if (reading <= 3) await change(store, 1, `datacenters/${id}`, { name: `change ${reading}` });
    if (reading !== 3) return; // the last attempt
    await change(store, 1, `datacenters/${id}/servers/${b.server}`, { vmState: 'SHUTOFF' });
    begin();
    await held;
  });
  const early = reasonOf(traffic, 1, packet(outside, '198.18.0.2'));
  await begun;
  const late = [1, 2, 3].map(() => reasonOf(traffic, 1, packet(outside, '198.18.0.2')));
  release();
  assert.deepEqual(new Set(await Promise.all(late)), new Set(['REJECTED server is not running']));
  await early;
});

test('changes during a read are never seen in part', async (t) => {
  const store = await storeFor(t);
  const [a, b] = [own(), own({}, 2, '10.0.2.2')];
  const id = await write(store, 1, { nics: [a] });
  const { traffic } = watched(store);
  onReading(store, 'journal', async (reading) => {
    if (reading > 1) return;
    const path = `datacenters/${id}/servers/${b.server}`;
    const rows = rowsOf(datacenter(id, { nics: [b] })).filter(({ kind }) => kind === 'server' || kind === 'nic');
    const journal = rowOf({ contract: 1, place: path, id: uuid(), kind: 'create', state: 'server' });
    await store.must([
      { op: 'insert', table: 'journal', row: journal },
      ...rows.map((row) => ({ op: 'insert' as const, table: 'resource' as const, row })),
    ]);
  });
  assert.equal(await reasonOf(traffic, 1, packet(a.id, '10.0.2.2')), 'REJECTED no such address');
});

test('the owner of a public address is found by it, even if several share it', async (t) => {
  const store = await storeFor(t);
  const [shared, alone] = [own({}, 1, '198.18.0.1'), own({}, 1, '198.18.0.2')];
  const lans = [lan(1, { public: true, ipFailover: [{ ip: '198.18.0.1', nicUuid: shared.id }] })];
  const id = await write(store, 1, { lans, nics: [shared, alone] });
  const used = { contract: 0, place: 'used', id: '198.18.0.1' };
  const shares = ['shares', 'ips/198.18.0.1'] as [string, string];
  await store.must([
    { op: 'remove', table: 'claim', key: used },
    ...linkWrites(1, `datacenters/${id}/servers/${shared.server}/nics/${shared.id}`, shares, 'insert'),
  ]);
  for (const { ips } of [shared, alone]) {
    const { traffic } = watched(store); // which knows nothing yet
    assert.equal(await reasonOf(traffic, 1, packet(outside, ips[0] as string)), 'ACCEPTED no firewall');
  }
});

test('an address that moved from one contract to another is found in its new contract', async (t) => {
  const store = await storeFor(t);
  const before = own({}, 1, '198.18.0.1');
  const first = await write(store, 1, { nics: [before] });
  const { traffic, seen } = watched(store);
  assert.equal(await reasonOf(traffic, 1, packet(outside, '198.18.0.1')), 'ACCEPTED no firewall');
  const path = `datacenters/${first}/servers/${before.server}/nics/${before.id}`;
  await change(store, 1, path, { ips: [] });
  await store.must(
    ['used', 'ip'].map((place) => ({
      op: 'remove',
      table: 'claim',
      key: { contract: 0, place, id: '198.18.0.1' },
    })),
  );
  const now = own({}, 1, '198.18.0.1');
  await write(store, 2, { nics: [now] });
  const [shown] = await traffic.send(2, packet(outside, '198.18.0.1'));
  assert.deepEqual(shown?.arrivedAt && 'id' in shown.arrivedAt && shown.arrivedAt.id, now.id);
  for await (const row of store.each({ contract: 1, below: 'datacenters' }))
    await store.must([{ op: 'remove', table: 'resource', key: row }]);
  await assert.rejects(traffic.send(1, packet(before.id, '198.18.0.1')), isMissing);
  assert.equal(seen.removed, 1);
});

test('a datacenter that left a cross connect is no longer reachable over it', async (t) => {
  const store = await storeFor(t);
  const lans = [lan(2, { ipv4CidrBlock: '10.0.2.0/24', pcc: 'P' })];
  const [here, there] = [own(), own({}, 2, '10.0.2.2')];
  await write(store, 1, { lans, nics: [here] });
  const other = await write(store, 1, { lans, nics: [there] });
  const { traffic } = watched(store);
  const sent = packet(here.id, '10.0.2.2');
  const [shown] = await traffic.send(1, sent);
  assert.deepEqual(
    shown?.hops.map(({ reason }) => reason),
    ['no firewall', 'cross connect', 'no firewall'],
  );
  const path = `datacenters/${other}/lans/0000000002`;
  await change(store, 1, path, { pcc: null });
  for (const [place, id] of [
    [`${path} > pcc`, 'pccs/P'],
    ['pccs/P < pcc', path],
  ] as const)
    await store.must([{ op: 'remove', table: 'link', key: { contract: 1, place, id } }]);
  assert.equal(await reasonOf(traffic, 1, sent), 'REJECTED no such address');
});

test('a NIC is found by its id, whatever its MAC, and by its own contract alone', async (t) => {
  const store = await storeFor(t);
  const [usual, chosen] = [own(), own({ mac: '02:aa:00:00:00:01' }, 2, '10.0.2.2')];
  await write(store, 1, { nics: [usual] });
  await write(store, 1, { nics: [chosen] });
  const { traffic } = watched(store);
  for (const { id, ips } of [usual, chosen])
    assert.equal(await reasonOf(traffic, 1, packet(id, ips[0] as string)), 'ACCEPTED own address');
  for (const id of [usual.id, chosen.id, uuid(), 'x', '../datacenters', '__proto__']) {
    await assert.rejects(traffic.send(2, packet(id, '10.0.2.1')), isMissing);
    await assert.rejects(watched(store).traffic.send(2, packet(id, '10.0.2.1')), isMissing);
  }
});

test("another contract's rules decide, but are not shown", async (t) => {
  const store = await storeFor(t);
  const theirs = own({ firewallActive: true }, 1, '198.18.0.2');
  const behind = own({ firewallActive: true }, 2, '10.0.2.7');
  const ours = own({}, 1, '198.18.0.1');
  await write(store, 1, { nics: [ours] });
  const id = await write(store, 2, {
    nics: [theirs, behind],
    networkLoadBalancers: [
      {
        id: 'their-nlb',
        listenerLan: 1,
        targetLan: 2,
        ips: ['198.18.0.3'],
        lbPrivateIps: ['10.0.2.240/24'],
        forwardingRules: [
          {
            id: 'their-rule',
            algorithm: 'ROUND_ROBIN',
            protocol: 'TCP',
            listenerIp: '198.18.0.3',
            listenerPort: 80,
            targets: [{ ip: '10.0.2.7', port: 8080, weight: 1, healthCheck: null }],
          },
        ],
      },
    ],
  });
  const { traffic } = watched(store);
  const passing = { direction: 'INGRESS', sourceIp: '198.18.0.1', sourcePort: 40_000, targetPort: 80 };
  const secrets = [id, theirs.id, theirs.server, behind.id, behind.server, 'their-', '10.0.2.', 'firewall default'];
  const assertHidden = (shown: unknown): void => {
    for (const secret of secrets) assert.ok(!JSON.stringify(shown).includes(secret), `${secret} is shown`);
  };
  for (const to of ['198.18.0.2', '198.18.0.3']) {
    const [shown] = await traffic.send(1, packet(ours.id, to));
    const foreign = { foreign: true, ...passing, targetIp: to, action: 'REJECT', reason: 'another contract' };
    assert.deepEqual(shown?.hops.slice(2), [foreign]);
    assert.deepEqual([shown?.verdict, shown?.rule, shown?.arrivedAt], ['REJECTED', null, null]);
    assertHidden(shown);
  }
  await change(store, 2, `datacenters/${id}/servers/${behind.server}/nics/${behind.id}`, { firewallActive: false });
  const [shown] = await traffic.send(1, packet(ours.id, '198.18.0.3'));
  assert.deepEqual(shown?.arrivedAt, { foreign: true, ip: '198.18.0.3', port: 80 });
  assert.equal(shown?.verdict, 'ACCEPTED');
  assertHidden(shown);
  const [seenByThem] = await traffic.send(2, packet(outside, '198.18.0.3'));
  assert.deepEqual(
    seenByThem?.hops.map(({ reason }) => reason),
    ['public address', 'forwarding rule', 'forwarding rule', 'same LAN', 'no firewall'],
  );
  assert.equal((await traffic.flows(rowOf({ contract: 2, place: 'datacenters', id }), 0, 100)).next, 10);
});

test('deleted datacenters are forgotten, even if no more packets are sent to them', async (t) => {
  const store = await storeFor(t);
  const { traffic, seen } = watched(store);
  const sendIn = async (contract: number): Promise<void> => {
    const one = own();
    await write(store, contract, { nics: [one] });
    await traffic.send(contract, packet(one.id, '10.0.2.1'));
  };
  for (let count = 0; count < 60; count++) await sendIn(1);
  for await (const row of store.each({ contract: 1, below: 'datacenters' }))
    await store.must([{ op: 'remove', table: 'resource', key: row }]);
  for (let count = 0; count < 40; count++) await sendIn(2);
  assert.equal(seen.removed, 60);
});
