// The spans of operations: below the call that was accepted, with a span for each step that has work.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import { currentTrace, newTrace, type Trace, withTrace } from '../../base/trace/trace-context.ts';
import { type Resource, resource, step } from '../resource.ts';
import { openWorkbench } from '../testing.ts';
import type { Span } from '../tracing/span.ts';

const machineThat = (boots: () => Promise<void>): Resource =>
  resource({
    name: 'machine',
    plural: 'machines',
    rights: { create: 'none' },
    properties: {},
    lifecycle: {
      create: [step('allocate', undefined, async () => undefined), step('boot', boots), step('announce')],
    },
  });

// By their names, each with the name of its parent.
function treeOf(spans: readonly Span[], call: Trace): string[] {
  const nameOf = (id: string | undefined): string | undefined =>
    id === call.spanId ? 'call' : spans.find(({ trace }) => trace.spanId === id)?.name;
  const failed = ({ attributes }: Span): string => (attributes['error.type'] === undefined ? '' : ' failed');
  return spans.map((span) => `${nameOf(span.trace.parentId)} > ${span.name}${failed(span)}`);
}

test('an operation and its steps have spans below the call, and engines are called in the trace of the step', async () => {
  const spans: Span[] = [];
  const seen: (string | undefined)[] = [];
  const machine = machineThat(async () => void seen.push(currentTrace()?.spanId));
  await using bench = await openWorkbench([machine], () => undefined, 0, { add: (span) => spans.push(span) });
  const call = newTrace();
  assert.equal((await withTrace(call, () => bench.perform('create', machine, {}))).status, 'DONE');
  assert.deepEqual(treeOf(spans, call), ['machine create > machine create.boot', 'call > machine create']);
  assert.deepEqual(seen, [spans[0]?.trace.spanId]);

  await withTrace({ ...newTrace(), flags: '00' }, () => bench.perform('create', machine, {}));
  await bench.perform('create', machine, {});
  assert.equal(spans.length, 2, 'neither without a trace nor in one that is not sampled');
});

test('a step that fails and what undoes it have spans; the operation has failed', async () => {
  const spans: Span[] = [];
  const machine = machineThat(() => Promise.reject(new Fault('conflict', 'The rack named secret is full.')));
  await using bench = await openWorkbench([machine], () => undefined, 0, { add: (span) => spans.push(span) });
  const call = newTrace();
  assert.equal((await withTrace(call, () => bench.perform('create', machine, {}))).status, 'FAILED');
  assert.deepEqual(treeOf(spans, call), [
    'machine create > machine create.boot failed',
    'machine create > machine create.allocate.undo',
    'call > machine create failed',
  ]);
  assert.doesNotMatch(JSON.stringify(spans), /secret/);
});

test('an operation that only waits has a span of that time', async () => {
  const spans: Span[] = [];
  const shelf = resource({
    name: 'shelf',
    plural: 'shelves',
    rights: { create: 'none' },
    properties: {},
    lifecycle: { create: [step('put')] },
  });
  await using bench = await openWorkbench([shelf], () => undefined, 30, { add: (span) => spans.push(span) });
  const call = newTrace();
  await withTrace(call, () => bench.perform('create', shelf, {}));
  assert.deepEqual(treeOf(spans, call), ['call > shelf create']);
  const [{ startedAt, endedAt }] = spans as [Span];
  assert.ok(endedAt - startedAt >= 30);
});
