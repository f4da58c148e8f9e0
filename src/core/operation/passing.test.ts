// Operations that only take their time: under way for all who ask, and in no journal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Draft, pathOf, type Resource, resource, step } from '../resource.ts';
import { text } from '../schema.ts';
import type { Row } from '../state/engine.ts';
import { openWorkbench, type Workbench } from '../testing.ts';
import { decide, draftOf, removalOf } from './draft.ts';
import { accept } from './operation.ts';
import { asOfNow, findRequest, requestPlace } from './request.ts';

const shelf = resource({
  name: 'shelf',
  plural: 'shelves',
  properties: { name: text({ required: true }) },
  create: [step('build')],
  remove: [step('break')],
});
const worked = resource({
  name: 'worked',
  plural: 'workeds',
  properties: { name: text({ required: true }) },
  create: [step('work', async () => {})],
});

// Accepted and not yet started.
async function creation(bench: Workbench, one: Resource, more: Partial<Draft> = {}) {
  const { store, model, caller, runner, now } = bench;
  const asked = bench.asked();
  const accepted = await store.change(async () => {
    const wish = { resource: one, way: 'create' as const, caller, parents: [], before: undefined };
    const draft = draftOf(model, { ...wish, sent: { properties: { name: 'a' } }, at: '(root)' });
    await decide(model, Object.assign(draft, more));
    const value = accept(model, draft, asked, () => undefined, now(), '', runner.endsIn);
    return { writes: value.writes, passing: value.passing, value, refuse: () => new Error('taken') as never };
  });
  return { accepted, request: asked.id, row: accepted.shown[0] as Row };
}

const journal = (bench: Workbench) => bench.store.range({ below: '', limit: 10 }, 'journal');
const stateOf = async (bench: Workbench, id: string) => (await findRequest(bench.store, 1, id))?.state;

test('[CORE-02] a creation without work is BUSY for its time, with its request as all that is kept of it', async () => {
  await using bench = await openWorkbench([shelf], () => undefined, 20);
  const { store, runner, waiters } = bench;
  const { accepted, request, row } = await creation(bench, shelf);
  assert.ok(accepted.isUnderWay && !accepted.journal);
  assert.equal(await stateOf(bench, request), 'BUSY');
  assert.equal(await store.creating(1, pathOf(row)), true);
  assert.deepEqual(await journal(bench), []);
  const kept = (await store.get(1, requestPlace, request, 'request')) as Row;
  const [epoch, ends, ended] = [store.epochOf(1), store.endsOf(1), waiters.wait(request, 30_000)];
  runner.start(accepted);
  assert.equal(runner.running, 1);
  assert.equal((await asOfNow(store, kept)).state, 'BUSY');
  await ended;
  assert.equal(await stateOf(bench, request), 'DONE');
  assert.equal(await store.creating(1, pathOf(row)), false);
  assert.deepEqual([runner.running, store.endsOf(1)], [0, ends + 1]);
  assert.notEqual(store.epochOf(1), epoch); // what was drawn of it while it was BUSY is old
});

test('what has work, takes longer than a restart, stands elsewhere or has a fault planted for it has a journal', async () => {
  {
    await using bench = await openWorkbench([worked], () => undefined, 20);
    assert.ok((await creation(bench, worked)).accepted.journal);
  }
  {
    await using bench = await openWorkbench([shelf], () => undefined, 100);
    assert.ok((await creation(bench, shelf)).accepted.journal);
    assert.equal((await journal(bench)).length, 1);
  }
  await using bench = await openWorkbench([shelf], () => undefined, 20);
  assert.ok((await creation(bench, shelf, { stands: 'elsewhere/x' })).accepted.journal);
  await bench.faults.plant([
    { kind: 'shelf', step: 'create.build', mode: 'fail', times: 1, when: 'before', message: 'no' },
  ]);
  const { accepted, request } = await creation(bench, shelf);
  const ended = bench.waiters.wait(request, 30_000);
  bench.runner.start(accepted);
  await ended;
  assert.equal(await stateOf(bench, request), 'FAILED');
});

test('a removal that is accepted meanwhile comes after it', async () => {
  await using bench = await openWorkbench([shelf], () => undefined, 20);
  const { store, runner, waiters, model, now, caller } = bench;
  const { accepted, request, row } = await creation(bench, shelf);
  const order: string[] = [];
  const made = waiters.wait(request, 30_000).then(() => order.push('made'));
  runner.start(accepted);
  const asked = bench.asked();
  const removal = await store.change(async () => {
    const before = (await store.at(1, pathOf(row))) as Row;
    const value = accept(model, removalOf(shelf, caller, [], before), asked, () => undefined, now(), '', runner.endsIn);
    return { writes: value.writes, passing: value.passing, value };
  });
  const gone = waiters.wait(asked.id, 30_000).then(() => order.push('gone'));
  runner.start(removal);
  await Promise.all([made, gone]);
  assert.deepEqual(order, ['made', 'gone']);
  assert.equal(await store.at(1, pathOf(row)), undefined);
  assert.deepEqual(await bench.left(), []);
});

test('what was refused is not under way', async () => {
  await using bench = await openWorkbench([shelf], () => undefined, 20);
  const { row, accepted } = await creation(bench, shelf);
  const ended = bench.waiters.wait(accepted.passing?.id ?? '', 30_000);
  bench.runner.start(accepted);
  await ended;
  await assert.rejects(creation(bench, shelf, { id: row.id }), /taken/);
  assert.equal(await bench.store.creating(1, pathOf(row)), false);
});
