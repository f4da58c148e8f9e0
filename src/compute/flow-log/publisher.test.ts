// How captured flows become objects: once for each interval, despite interruptions, and only where it is possible.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from '../../base/clock.ts';
import { silent } from '../../base/log.ts';
import type { Entry } from '../../core/audit/audit-log.ts';
import { Node } from '../../core/nodes/node.ts';
import { Reconcilers } from '../../core/reconciler.ts';
import type { Row } from '../../core/state/engine.ts';
import { outside, packet } from '../network/contract/samples.ts';
import { flowLog } from './flow-log.ts';
import { intervalMs } from './interval.ts';
import { isShownPaused } from './pause.ts';
import { flowLogWorld, nicOf, openWorld, type TestWorld } from './testing.ts';

const send = ({ traffic }: TestWorld, count = 3, targetPort = 80) =>
  traffic.send(1, packet(outside, '198.18.0.1', { sourcePort: 1000, targetPort }), { count, sourcePortStep: 1 });

const counts = (world: TestWorld): [string, number][] =>
  Object.entries(world.objects.records(1, 'logs')).map(([key, records]) => [key, records.length]);

const rowsLeft = async ({ store }: TestWorld): Promise<string[]> =>
  (await store.range({ contract: 0, below: 'flow-', limit: 99 })).map(({ kind }) => kind);

async function openOne(t: Parameters<typeof openWorld>[0]): Promise<TestWorld & { path: string }> {
  const a = nicOf(1, '198.18.0.1');
  const world = await openWorld(t, { nics: [a] });
  return { ...world, path: await world.addFlowLog(1, world.nicPath(a)) };
}

test('[FLOW-03] one object for each interval in which something passed, none before it has ended', async (t) => {
  const world = await openOne(t);
  const start = world.clock.time / 1000;
  await send(world);
  world.clock.time += intervalMs - 1;
  await world.publish();
  assert.deepEqual(counts(world), []);
  world.clock.time += 1;
  await send(world, 5);
  await world.publish();
  await world.publish();
  assert.deepEqual(counts(world), [[`web-${start + 600}.log.gz`, 3]]);
  world.clock.time += 30 * intervalMs; // no publisher ran for hours
  await send(world, 7);
  await world.publish();
  world.clock.time += intervalMs;
  await world.publish();
  world.clock.time += intervalMs;
  await world.publish();
  const ends = [600, 1200, 600 * 32];
  assert.deepEqual(
    counts(world),
    ends.map((seconds, at) => [`web-${start + seconds}.log.gz`, [3, 5, 7][at]]),
  );
  assert.equal(world.objects.puts.length, 3);
  assert.deepEqual(await rowsLeft(world), ['flow-capture']);
});

test('[FLOW-03] flow logs of the same name and bucket, and other writers, keep their objects', async (t) => {
  const nics = [1, 2, 3].map((at) => nicOf(1, `198.18.0.${at}`));
  const world = await openWorld(t, { nics });
  for (const one of nics) await world.addFlowLog(1, world.nicPath(one));
  const end = world.clock.time / 1000 + 600;
  await world.objects.put(1, 'logs', `web-${end + 1}.log.gz`, Buffer.from('theirs'), { contentType: 'text/plain' });
  for (const { ips } of nics) await world.traffic.send(1, packet(outside, String(ips[0])));
  world.clock.time += intervalMs;
  await world.publish();
  assert.deepEqual(
    world.objects.puts.slice(1).sort(),
    [0, 2, 3].map((more) => `web-${end + more}.log.gz`),
  );
  assert.equal(await world.objects.exists(1, 'logs', `web-${end + 4}.log.gz`), false);
});

// Fails at the first, second … call of the state or of object storage, before and after its effect.
for (const when of ['before', 'after'] as const)
  test(`[FLOW-03] interrupted ${when} any step, no interval is lost or written twice`, async (t) => {
    let isWhole = false;
    let steps = 0;
    for (; !isWhole; steps++) {
      const world = await openOne(t);
      const start = world.clock.time / 1000;
      await send(world, 120);
      world.clock.time += intervalMs;
      await send(world, 5);
      world.clock.time += intervalMs;
      isWhole = !(await interrupted(world, steps, when));
      await renameTo(world, 'renamed');
      await send(world, 1);
      world.clock.time += intervalMs;
      await world.publish();
      await world.publish();
      const found = counts(world).map(([key, records]) => [key.replace('renamed', 'web'), records]);
      const expected = [120, 5, 1].map((count, at) => [`web-${start + 600 * (at + 1)}.log.gz`, count]);
      assert.deepEqual(found, expected, `step ${steps}`);
      assert.equal(world.objects.puts.length, expected.length, `step ${steps}`);
      assert.deepEqual(await rowsLeft(world), ['flow-capture'], `step ${steps}`);
    }
    assert.ok(steps > 6, 'too few steps were interrupted');
  });

async function interrupted(world: TestWorld, step: number, when: 'before' | 'after'): Promise<boolean> {
  const { objects } = world;
  const { engine } = world.store;
  const { put } = objects;
  const { apply } = engine;
  let calls = 0;
  const breaking =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>, self: object) =>
    async (...args: Args): Promise<Result> => {
      const isIt = calls++ === step;
      if (isIt && when === 'before') throw new Error('killed');
      const result = await call.apply(self, args);
      if (isIt) throw new Error('killed');
      return result;
    };
  objects.put = breaking(put, objects);
  engine.apply = breaking(apply, engine);
  await world.publish();
  objects.put = put;
  engine.apply = apply;
  return calls > step;
}

async function renameTo({ store, path }: TestWorld & { path: string }, name: string): Promise<void> {
  const row = (await store.at(1, path)) as Row;
  const body = JSON.stringify({ ...(JSON.parse(row.body) as object), name });
  await store.must([{ op: 'update', table: 'resource', row: { ...row, body } }]);
}

test('[FLOW-01] a missing bucket pauses its flow log, is reported once, and the flow log resumes by itself', async (t) => {
  const world = await openOne(t);
  const { store, objects, clock, path } = world;
  const entries = async (): Promise<string[]> =>
    (await store.range({ contract: 1, place: 'activity', limit: 99 }, 'activity')).map(({ body }) => {
      const { resources, message } = JSON.parse(body) as Entry;
      return `${resources[0]?.type} ${path.endsWith(String(resources[0]?.id))} ${resources[0]?.action} ${message}`;
    });
  const shown = async (): Promise<unknown> =>
    flowLog.noted?.read?.((await store.at(1, path)) as Row, store, {} as never);
  await send(world, 3);
  objects.remove(1, 'logs');
  clock.time += intervalMs;
  for (let again = 0; again < 3; again++) await world.publish();
  const paused = 'flowlog true net.flowlog.pause The flow log is paused: its bucket logs does not exist';
  assert.deepEqual(await entries(), [`${paused} or is not writable.`]);
  assert.deepEqual(await shown(), { state: 'INACTIVE' });
  await send(world, 4); // traffic passes, and is captured
  clock.time += intervalMs;
  await world.publish();
  await renameTo(world, 'renamed');
  const kept = (await store.at(1, path)) as Row;
  await store.must([{ op: 'update', table: 'resource', row: { ...kept, state: 'CHANGING', hidden: '' } }]);
  objects.make(1, 'logs');
  await world.publish();
  assert.deepEqual(
    counts(world).map(([key, count]) => [key.split('-')[0], count]),
    [
      ['renamed', 3],
      ['renamed', 4],
    ],
  );
  const resumed = 'flowlog true net.flowlog.resume The flow log continues: its bucket logs is writable again.';
  assert.deepEqual((await entries()).slice(1), [resumed]);
  assert.deepEqual(await shown(), {});
});

test('a pause is shown when a change of the flow log has ended', async (t) => {
  const world = await openOne(t);
  const { store, path } = world;
  const change = async (state: string): Promise<void> => {
    const row = (await store.at(1, path)) as Row;
    await store.must([{ op: 'update', table: 'resource', row: { ...row, state } }]);
  };
  const isPaused = async (): Promise<boolean> => isShownPaused((await store.at(1, path)) as Row);
  await send(world);
  world.objects.remove(1, 'logs');
  world.clock.time += intervalMs;
  await change('CHANGING');
  await world.publish();
  assert.equal(await isPaused(), false);
  await change('AVAILABLE');
  await world.publish();
  assert.equal(await isPaused(), true);
  world.objects.make(1, 'logs');
  await world.publish();
  assert.equal(await isPaused(), false);
});

test('nodes that publish at the same time write the same objects', async (t) => {
  const world = await openOne(t);
  const second = flowLogWorld(world.store, world.objects);
  const start = world.clock.time / 1000;
  for (let interval = 0; interval < 20; interval++) {
    await send(world, 120);
    world.clock.time += intervalMs;
    second.clock.time = world.clock.time;
    if (interval % 5 === 4) await Promise.all([world.publish(), second.publish(), world.publish()]);
  }
  await world.publish();
  assert.deepEqual(
    counts(world).sort(),
    Array.from({ length: 20 }, (_, at) => [`web-${start + 600 * (at + 1)}.log.gz`, 120]),
  );
  assert.deepEqual(await rowsLeft(world), ['flow-capture']);
});

test('a node without the bytes of object storage publishes nothing', async (t) => {
  const world = await openOne(t);
  const home = { isShared: false, isHere: false, isOnOtherNode: true, follow() {} };
  world.objects.home = home;
  const node = new Node(world.store, silent);
  const reconcilers = new Reconcilers(createClock(), silent, node);
  reconcilers.add(world.publisher);
  await send(world);
  world.clock.time += intervalMs;
  await reconcilers.nudge('flow-logs');
  assert.deepEqual(counts(world), []);
  Object.assign(home, { isHere: true, isOnOtherNode: false });
  await reconcilers.nudge('flow-logs');
  assert.equal(counts(world).length, 1);
});

test('flows are discarded if the flow log and its bucket are deleted', async (t) => {
  const world = await openOne(t);
  await send(world);
  world.clock.time += intervalMs;
  await send(world);
  world.clock.time += intervalMs;
  world.objects.remove(1, 'logs');
  const { contract, place, id } = (await world.store.at(1, world.path)) as Row;
  await world.store.must([{ op: 'remove', table: 'resource', key: { contract, place, id }, loose: true }]);
  await world.publish();
  assert.deepEqual(await rowsLeft(world), []);
});

test('a failing flow log does not block the others', async (t) => {
  const nics = [1, 2].map((at) => nicOf(1, `198.18.0.${at}`));
  const world = await openWorld(t, { nics });
  for (const [at, one] of nics.entries()) await world.addFlowLog(1, world.nicPath(one), { name: `n${at}` });
  for (const { ips } of nics) await world.traffic.send(1, packet(outside, String(ips[0])));
  world.clock.time += intervalMs;
  const { put } = world.objects;
  world.objects.put = (contract, bucket, key, ...rest) =>
    key.startsWith('n0')
      ? Promise.reject(new Error('broken'))
      : put.call(world.objects, contract, bucket, key, ...rest);
  await world.publish();
  assert.deepEqual(
    counts(world).map(([key]) => key.slice(0, 2)),
    ['n1'],
  );
  world.objects.put = put;
  await world.publish();
  assert.deepEqual(
    counts(world).map(([key]) => key.slice(0, 2)),
    ['n1', 'n0'],
  );
});
