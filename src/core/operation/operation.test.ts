// Operations on a made-up resource with several steps: order, memory between steps, undo, holdings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import { pathOf, type Resource, resource, step } from '../resource.ts';
import { integer, text } from '../schema.ts';
import type { Row } from '../state/engine.ts';
import { openWorkbench, unwindsFromEveryStep, type Workbench } from '../testing.ts';
import { decide, draftOf, removalOf } from './draft.ts';
import { accept } from './operation.ts';
import { findRequest } from './request.ts';

interface Tools {
  events: string[];
  blocks: Set<string>;
}

const machine: Resource<Tools> = resource<Tools>({
  name: 'machine',
  rights: { create: 'none' },
  plural: 'machines',
  properties: { name: text({ required: true }), cores: integer({ default: 1, min: 1 }) },
  lifecycle: {
    create: [
      step<Tools>(
        'allocate',
        async ({ path, memo, context }) => {
          memo.block = `block of ${path}`;
          context.tools.blocks.add(String(memo.block));
          context.tools.events.push('allocate');
        },
        async ({ path, context }) => {
          context.tools.blocks.delete(`block of ${path}`);
          context.tools.events.push('free');
        },
      ),
      step<Tools>('boot', async ({ memo, context }) => {
        context.tools.events.push(`boot from ${String(memo.block).slice(0, 8)}`);
      }),
      step<Tools>('announce'),
    ],
    change: [step<Tools>('resize')],
    remove: [
      step<Tools>('release', async ({ path, context }) => {
        context.tools.blocks.delete(`block of ${path}`);
      }),
    ],
  },
  decide(draft) {
    if (draft.way === 'remove') return;
    draft.reservations.claims = [`name ${draft.values.name}`];
    draft.reservations.counts = { cores: Number(draft.values.cores) };
    draft.reservations.links = [['rack', 'racks/1']];
  },
});

const tools = (): Tools => ({ events: [], blocks: new Set() });

test('steps run in order and remember what earlier ones found', async () => {
  const own = tools();
  await using bench = await openWorkbench([machine], () => own);
  const ended = await bench.perform('create', machine as Resource, { name: 'a' });
  assert.equal(ended.status, 'DONE');
  assert.deepEqual(own.events, ['allocate', 'boot from block of']);
});

test('[CORE-23] a creation broken at any step leaves nothing, and can be repeated', async () => {
  const own = tools();
  await using bench = await openWorkbench([machine], () => own);
  const clean = (): void => assert.equal(own.blocks.size, 0);
  await unwindsFromEveryStep(bench, machine as Resource, { name: 'a', cores: 4 }, { clean });
});

test('[CORE-23] a change that fails keeps the old holdings; one that holds has the new ones only', async () => {
  await using bench = await openWorkbench([machine], tools);
  const { path } = await bench.perform('create', machine as Resource, { name: 'a', cores: 4 });
  const before = await bench.left();
  await bench.faults.plant([
    { kind: 'machine', step: 'change.resize', mode: 'fail', times: 1, when: 'before', message: 'no' },
  ]);
  const failed = await bench.perform('change', machine as Resource, { name: 'b', cores: 8 }, path);
  assert.equal(failed.status, 'FAILED');
  assert.deepEqual(await bench.left(), before);
  const done = await bench.perform('change', machine as Resource, { name: 'b', cores: 2 }, path);
  assert.equal(done.status, 'DONE');
  const left = await bench.left();
  assert.ok(left.includes('counter cores 2'));
  assert.ok(
    left.some((line) => line.startsWith('claim name/b ')) && !left.some((line) => line.startsWith('claim name/a ')),
  );
  await bench.perform('remove', machine as Resource, null, path);
  assert.deepEqual(await bench.left(), []);
});

test('a step that fails by a bug, not by a fault, does not show the error to clients', async () => {
  const buggy = resource({
    name: 'buggy',
    rights: { create: 'none' },
    plural: 'buggies',
    properties: {},
    lifecycle: {
      create: [
        step('oops', async () => {
          throw new TypeError('secret internals');
        }),
      ],
    },
  });
  await using bench = await openWorkbench([buggy], () => undefined);
  const ended = await bench.perform('create', buggy, {});
  assert.equal(ended.status, 'FAILED');
  assert.ok(!ended.message.includes('secret'));
  assert.deepEqual(await bench.left(), []);
});

const shelf = resource({
  name: 'shelf',
  rights: { create: 'none' },
  plural: 'shelves',
  properties: { name: text({ required: true }) },
  lifecycle: { create: [step('build')], remove: [step('break')] },
});

test('[CORE-23] a creation in a parent that is broken at any step leaves only the parent', async () => {
  const book = resource({
    name: 'book',
    parents: [shelf],
    rights: { create: 'none' },
    plural: 'books',
    properties: { name: text({ required: true }) },
    lifecycle: { create: [step('print')], remove: [step('recycle')] },
    decide({ way, reservations, parents, values }) {
      if (way === 'create') reservations.claims = [`${pathOf(parents[0] as Row)} ${values.name}`];
    },
  });
  await using bench = await openWorkbench([shelf, book], () => undefined);
  const { path: parent } = await bench.perform('create', shelf, { name: 'a' });
  await unwindsFromEveryStep(bench, book, { name: 'b' }, { parent });
});

async function acceptCreation(bench: Workbench) {
  const { store, model, caller, runner, now } = bench;
  const requestInfo = bench.requestInfo();
  const accepted = await store.change(async () => {
    const input = { resource: shelf, way: 'create' as const, caller, parents: [], before: undefined };
    const draft = draftOf(model, { ...input, sent: { properties: { name: 'a' } }, at: '(root)' });
    await decide(model, draft);
    const value = accept(model, draft, requestInfo, () => undefined, now(), '', runner.isInstant);
    return { writes: value.writes, value };
  });
  return { accepted, request: requestInfo.id, path: pathOf(accepted.shown[0] as Row) };
}

const stateOf = async (bench: Workbench, request: string) => (await findRequest(bench.store, 1, request))?.state;

test('[CORE-02] a creation without work is BUSY until the time in its journal row', async () => {
  await using bench = await openWorkbench([shelf], () => undefined, 20);
  const { store, runner, waiters } = bench;
  const { accepted, request, path } = await acceptCreation(bench);
  assert.ok(accepted.isPending && accepted.journal);
  assert.equal(await stateOf(bench, request), 'BUSY');
  assert.equal(await store.creating(1, path), true);
  const [epoch, ends, ended] = [await store.epochOf(1), store.completionsOf(1), waiters.wait(request, 10_000)];
  runner.start(accepted);
  assert.equal(runner.running, 1);
  await ended;
  assert.equal(await stateOf(bench, request), 'DONE');
  assert.equal(await store.creating(1, path), false);
  assert.deepEqual(await store.range({ below: '', limit: 10 }, 'journal'), []);
  assert.deepEqual([runner.running, store.completionsOf(1)], [0, ends + 1]);
  assert.notEqual(await store.epochOf(1), epoch); // answers that were drawn while it was BUSY are invalid
});

test('a creation that has neither work nor time to take ends with its acceptance', async () => {
  await using bench = await openWorkbench([shelf], () => undefined, 0);
  const { accepted, request } = await acceptCreation(bench);
  assert.ok(accepted.isPending && !accepted.journal);
  assert.equal(await stateOf(bench, request), 'DONE');
});

test('those that are due together do not wait for one that is stalled', async () => {
  await using bench = await openWorkbench([shelf], () => undefined, 300);
  const { runner, waiters, faults } = bench;
  const [first, second] = [await acceptCreation(bench), await acceptCreation(bench)];
  const ended = waiters.wait(second.request, 10_000);
  const released = waiters.wait(first.request, 10_000);
  for (const { accepted } of [first, second]) runner.start(accepted);
  await faults.plant([
    { kind: 'shelf', step: 'create.commit', mode: 'stall', times: 1, when: 'before', message: '', contract: 1 },
  ]);
  await ended;
  assert.deepEqual([await stateOf(bench, first.request), await stateOf(bench, second.request)], ['BUSY', 'DONE']);
  await faults.plant([]);
  await released;
  assert.equal(await stateOf(bench, first.request), 'DONE');
});

test('a conflict that a step meets is its failure, and is undone', async () => {
  const undone: string[] = [];
  const clash = step(
    'clash',
    () => Promise.reject(new Fault('conflict', 'It is there already')),
    async ({ path }) => void undone.push(path),
  );
  const widget = resource({
    name: 'widget',
    plural: 'widgets',
    rights: { create: 'none' },
    properties: {},
    lifecycle: { create: [clash] },
  });
  await using bench = await openWorkbench([widget], () => undefined);
  const { status, message, path } = await bench.perform('create', widget, {});
  assert.deepEqual([status, message, undone], ['FAILED', 'It is there already', [path]]);
  assert.deepEqual(await bench.left(), []);
});

test('a removal that is accepted during an operation runs after it', async () => {
  await using bench = await openWorkbench([shelf], () => undefined, 20);
  const { store, runner, waiters, model, now, caller } = bench;
  const { accepted, request, path } = await acceptCreation(bench);
  const order: string[] = [];
  const made = waiters.wait(request, 10_000).then(() => order.push('made'));
  runner.start(accepted);
  const requestInfo = bench.requestInfo();
  const removal = await store.change(async () => {
    const before = (await store.at(1, path)) as Row;
    const value = accept(model, removalOf(shelf, caller, [], before), requestInfo, () => undefined, now(), '');
    return { writes: value.writes, value };
  });
  const gone = waiters.wait(requestInfo.id, 10_000).then(() => order.push('gone'));
  runner.start(removal);
  await Promise.all([made, gone]);
  assert.deepEqual(order, ['made', 'gone']);
  assert.equal(await store.at(1, path), undefined);
  assert.deepEqual(await bench.left(), []);
});
