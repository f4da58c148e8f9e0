// Nodes that die, freeze or leave: the others continue their operations, and nothing is done twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../src/testing/waiting.ts';
import { assertWhole } from '../harness/invariants.ts';
import { nodesSeenBy, startNodes } from '../harness/nodes.ts';
import { core } from '../harness/people.ts';
import { type Region, waitRequest } from '../harness/region.ts';
import { watchSlowness } from '../harness/slowness.ts';
import { openRows } from '../harness/states.ts';
import { expect } from '../sweep/api.ts';

const leaseMs = 6000;
const limitMs = 10_000; // a dead node is noticed when its lease is over
const politeMs = 1000; // of a node that leaves
const datacenter = { properties: { name: 'left behind', location: 'de/txl' } };
const block = { properties: { name: 'left behind', location: 'de/txl', size: 2 } };
const stalls = [
  { kind: 'datacenter', step: 'create.provision', mode: 'stall' },
  { kind: 'ipblock', step: 'create.reserve', mode: 'stall' },
];

test('[GEN-06] another node ends the operations of a dead node and a frozen one', async (t) => {
  await using nodes = await startNodes(3);
  const [dead, still, third] = nodes.all as [Region, Region, Region];
  const names = await namesOf(nodes.all);
  await plantStalls(nodes.all);
  const made = await stalled(third, dead, `${core}/datacenters`, datacenter);
  const reserved = await stalled(third, still, `${core}/ipblocks`, block);
  assert.deepEqual((await nodesSeenBy(third)).map(({ operations }) => operations).sort(), [0, 1, 1]);
  // A removal that another node has accepted waits for the earlier operation, whichever node ends that.
  const removed = await expect(third.call('DELETE', `${core}/datacenters/${made.id}`), 202);

  const slowness = watchSlowness();
  const since = performance.now();
  process.kill(still.pid, 'SIGSTOP');
  await dead.kill();
  const ends = [made, reserved].map(async ({ location }) => {
    assert.equal((await waitRequest(third, location)).metadata.status, 'DONE');
    return performance.now() - since;
  });
  const times = await Promise.all(ends);
  t.diagnostic(`taken over and ended after ${times.map((ms) => Math.round(ms)).join(' and ')} ms`);
  const mostMs = limitMs * slowness();
  for (const ms of times) assert.ok(ms < mostMs, `taken over after ${ms} ms`);
  assert.equal((await waitRequest(third, removed.headers.location)).metadata.status, 'DONE');
  await expect(third.call('GET', `${core}/datacenters/${made.id}`), 404);
  const lags = new Map((await nodesSeenBy(third)).map(({ id, lagMs }) => [id, lagMs]));
  for (const gone of names.slice(0, 2)) assert.ok((lags.get(gone) ?? 0) > leaseMs, 'who is not heard of lags');
  const { body: figures } = await third.call<string>('GET', '/metrics');
  const figure = (name: string): number => Number(new RegExp(`^cumulet_${name} (.+)$`, 'm').exec(figures)?.[1]);
  assert.deepEqual([figure('nodes_alive'), figure('nodes_operations_taken_over_total')], [1, 2]);
  assert.ok(figure('nodes_lease_age_seconds') < 6);

  await t.test('the frozen node continues under another name, and does not repeat it', async () => {
    process.kill(still.pid, 'SIGCONT');
    await still.logged('continuing under a new id');
    const [name] = await namesOf([still]);
    assert.ok(name !== undefined && !names.includes(name));
    await expect(still.call('PUT', '/lab/faults', { faults: [] }), 200); // lets its half of the stall continue
    await still.logged('operation left to others');
    const again = await expect(still.call('POST', `${core}/datacenters`, datacenter), 202);
    assert.equal((await waitRequest(third, again.headers.location)).metadata.status, 'DONE');
    const { body } = await expect(still.call('GET', `${core}/ipblocks/${reserved.id}`), 200);
    assert.equal((body.properties.ips as string[]).length, 2);
    await using state = await openRows(third.data);
    const used = await state.ask('SELECT * FROM usage');
    assert.equal(used.filter((row) => JSON.stringify(row).includes(reserved.id)).length, 1, 'it is metered once');
  });

  await t.test('who comes back serves again', async () => {
    await dead.start();
    await expect(dead.call('GET', `${core}/ipblocks/${reserved.id}`), 200);
    await until(
      'three nodes',
      () => nodesSeenBy(dead),
      (seen) => seen.filter(({ lagMs }) => lagMs < leaseMs).length === 3,
    );
    await assertWhole(third.data);
  });
});

test('a node that is asked to stop hands over its operations, and leaves', async (t) => {
  await using nodes = await startNodes(2);
  const [leaver, stayer] = nodes.all as [Region, Region];
  await plantStalls(nodes.all);
  const made = await stalled(stayer, leaver, `${core}/datacenters`, datacenter);
  const slowness = watchSlowness();
  const since = performance.now();
  const ended = waitRequest(stayer, made.location).then(({ metadata }) => {
    assert.equal(metadata.status, 'DONE');
    return performance.now() - since;
  });
  assert.equal(await leaver.halt('SIGTERM'), 0);
  const leftMs = performance.now() - since;
  const endedMs = await ended;
  t.diagnostic(`left after ${Math.round(leftMs)} ms, ended by the other after ${Math.round(endedMs)} ms`);
  const slow = slowness();
  assert.ok(endedMs < leftMs + 1000 * slow, `handed over ${endedMs - leftMs} ms after it left`);
  assert.ok(leftMs < 5000 * slow, `left after ${leftMs} ms`);
  assert.equal((await nodesSeenBy(stayer)).length, 1, 'who left is not waited for');
  await assertWhole(stayer.data);
});

test('a leaving node sends its callers to other nodes, and drops no connection', async (t) => {
  await using nodes = await startNodes(2);
  const [leaver, stayer] = nodes.all as [Region, Region];
  const { body } = await expect(stayer.call('POST', `${core}/datacenters`, datacenter), 202);
  let calls = 0;
  const callers = Array.from({ length: 20 }, async () => {
    for (let answeredAt = performance.now(); ; answeredAt = performance.now()) {
      // not a wait: it reads
      const answer = await leaver.call('GET', `${core}/datacenters/${body.id}`).catch((error: Error) => {
        // A client that is silent for so long, as on a busy machine, can't be notified.
        if (performance.now() - answeredAt < politeMs) throw error;
      });
      if (!answer) return;
      assert.equal(answer.status, 200);
      calls += 1;
      if (answer.headers.connection === 'close') return;
    }
  });
  await until(
    '500 calls',
    () => calls,
    (count) => count > 500,
  );
  assert.equal(await leaver.halt('SIGTERM'), 0);
  await Promise.all(callers);
  t.diagnostic(`${calls} calls, all answered`);
  await expect(stayer.call('GET', `${core}/datacenters/${body.id}`), 200);
});

test('a node that is killed and restarted at once continues its own operations', async () => {
  await using nodes = await startNodes(2);
  const [one, two] = nodes.all as [Region, Region];
  await plantStalls(nodes.all);
  const made = await stalled(two, one, `${core}/datacenters`, datacenter);
  await one.kill();
  await one.start();
  const slowness = watchSlowness();
  const since = performance.now();
  assert.equal((await waitRequest(one, made.location)).metadata.status, 'DONE');
  const takenMs = performance.now() - since;
  assert.ok(takenMs < 3000 * slowness(), `${takenMs} ms: the old name is given up at the start`);
  await assertWhole(two.data);
});

async function plantStalls(all: Region[]): Promise<void> {
  await expect((all[0] as Region).call('PUT', '/lab/faults', { faults: stalls }), 200);
  for (const node of all)
    await until(
      'the node knows the planted faults',
      () => planted(node),
      (count) => count === 2,
    );
}

const planted = async (node: Region): Promise<number> =>
  (await node.call<{ faults: object[] }>('GET', '/lab/faults')).body.faults.length;

// Something that a node has begun and stalls at, as the others see it: BUSY, and the fault used up.
async function stalled(
  watcher: Region,
  node: Region,
  place: string,
  body: object,
): Promise<{ id: string; location: string }> {
  const before = await planted(watcher);
  const { headers, body: made } = await expect(node.call('POST', place, body), 202);
  await until(
    'the operation stalls',
    () => planted(watcher),
    (count) => count === before - 1,
  );
  const { body: shown } = await expect(watcher.call('GET', `${place}/${made.id}`), 200);
  assert.equal(shown.metadata.state, 'BUSY');
  return { id: made.id, location: String(headers.location) };
}

async function namesOf(all: Region[]): Promise<string[]> {
  const seen = await Promise.all(all.map(nodesSeenBy));
  return seen.map((nodes) => nodes.find(({ self }) => self)?.id ?? '');
}
