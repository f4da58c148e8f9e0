// The lab's part for machines, on a real store: loads are stored below the server and deleted with it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { type Row, rowOf } from '../../core/state/engine.ts';
import { openSqlite } from '../../core/state/sqlite/engine.ts';
import { Store } from '../../core/store.ts';
import { machineLab } from './lab.ts';
import { idleLoad, loadFrom } from './load.ts';
import { loadsOf, setLoad } from './load-rows.ts';
import { MachineMeter } from './meter.ts';
import { SimulatedMachines } from './simulated-machines.ts';

const begin = 1_800_000_000_000;

async function storeFor(t: TestContext): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'machine-lab-'));
  const engine = await openSqlite({ folder, now: () => begin, checkpoint: false });
  t.after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return new Store(engine);
}

const serverRow = (contract: number, hidden: Values = {}): Row =>
  rowOf({
    contract,
    place: 'datacenters/D/servers',
    id: 'S',
    kind: 'server',
    state: 'AVAILABLE',
    hidden: JSON.stringify(hidden),
  });

async function addServer(store: Store, contract: number, hidden?: Values): Promise<Row> {
  const row = serverRow(contract, hidden);
  await store.must([{ op: 'insert', table: 'resource', row }]);
  return row;
}

const isMissing = (error: unknown): boolean => error instanceof Fault && error.kind === 'missing';
const cpu = (cpuPercent: number) => loadFrom({ cpuPercent });

test('loads are stored for each server, and the same load again writes nothing', async (t) => {
  const store = await storeFor(t);
  const [one, other] = [await addServer(store, 1), await addServer(store, 2)];
  assert.deepEqual(await loadsOf(store, one), []);
  await setLoad(store, one, cpu(10), begin);
  await setLoad(store, one, cpu(20), begin + 1000);
  const kept = await loadsOf(new Store(store.engine), one);
  assert.deepEqual(
    kept.map(({ at, cpuPercent }) => [at, cpuPercent]),
    [
      [begin, 10],
      [begin + 1000, 20],
    ],
  );
  const row = await store.get(1, 'datacenters/D/servers/S/load', 'load');
  await setLoad(store, one, cpu(20), begin + 2000);
  assert.equal((await store.get(1, 'datacenters/D/servers/S/load', 'load'))?.version, row?.version);
  assert.equal(row?.version, 2);
  assert.deepEqual(await loadsOf(store, other), []);
});

test('loads that are set concurrently are all kept', async (t) => {
  const store = await storeFor(t);
  const server = await addServer(store, 1);
  await Promise.all([10, 20, 30, 40].map((percent, at) => setLoad(store, server, cpu(percent), begin + at)));
  const loads = await loadsOf(store, server);
  assert.ok(loads.length >= 1 && loads.length <= 4);
  const times = loads.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted());
});

test('a server that is being deleted refuses a load', async (t) => {
  const store = await storeFor(t);
  const server = await addServer(store, 1);
  await store.must([{ op: 'update', table: 'resource', row: { ...server, state: 'DELETING' } }]);
  await assert.rejects(setLoad(store, server, cpu(10), begin), isMissing);
  await store.must([{ op: 'remove', table: 'resource', key: server }]);
  await assert.rejects(setLoad(store, server, cpu(10), begin), isMissing);
  assert.deepEqual(await loadsOf(store, server), []);
});

test('a machine is shown with its power, console, load and usage in the last minute', async (t) => {
  const store = await storeFor(t);
  let now = begin;
  const machines = new SimulatedMachines(() => now);
  const machine = machines.start(machines.create({ id: 'S', hostname: 'web-1', cores: 2, ram: 2048 }));
  const server = await addServer(store, 1, { machine });
  const handleOf = ({ hidden }: Row) => (JSON.parse(hidden) as { machine?: Values }).machine;
  const lab = machineLab(store, machines, new MachineMeter(store, machines, handleOf), handleOf);
  now += 30_000;
  const sent = { cpuPercent: 90, networkInBytesPerSecond: null };
  assert.deepEqual(await lab.setLoad(server, sent, now), { ...idleLoad, cpuPercent: 90 });
  assert.deepEqual(await lab.load(server, now - 1), idleLoad);
  assert.deepEqual(await lab.load(server, now), { ...idleLoad, cpuPercent: 90 });
  now += 30_000;
  const { console: text, usage, load, ...rest } = await lab.look(server, now);
  assert.deepEqual(rest, { id: 'S', vmState: 'RUNNING', since: '2027-01-15T08:00:00.000Z', boots: 1 });
  assert.match(String(text), /firmware: no bootable device\n$/);
  assert.deepEqual(load, { ...idleLoad, cpuPercent: 90 });
  assert.deepEqual(usage, {
    from: '2027-01-15T08:00:00.000Z',
    to: '2027-01-15T08:01:00.000Z',
    runningMs: 60_000,
    cpuPercent: 45.25,
    networkInBytes: 12_000,
    networkOutBytes: 6000,
    networkInPackets: 120,
    networkOutPackets: 60,
  });
  const bare = await addServer(store, 2);
  await assert.rejects(lab.look(bare, now), isMissing);
});

test('a server is found by its id, in any datacenter of its contract', async (t) => {
  const store = await storeFor(t);
  const ids = ['0190a1b2-0000-7000-8000-000000000001', '0190a1b2-0000-7000-8000-000000000002'];
  for (const id of ids) {
    const datacenter = rowOf({ contract: 1, place: 'datacenters', id });
    const inside = rowOf({ contract: 1, place: `datacenters/${id}/servers`, id });
    for (const row of [datacenter, inside]) await store.must([{ op: 'insert', table: 'resource', row }]);
  }
  const machines = new SimulatedMachines(() => begin);
  const meter = new MachineMeter(store, machines, () => undefined);
  const { find } = machineLab(store, machines, meter, () => undefined);
  for (const id of ids) assert.equal((await find(1, id))?.place, `datacenters/${id}/servers`);
  for (const [contract, id] of [
    [2, ids[0]],
    [1, '0190a1b2-0000-7000-8000-000000000003'],
    [1, '../datacenters'],
  ] as const)
    assert.equal(await find(contract, String(id)), undefined);
});
