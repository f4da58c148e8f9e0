// The headers of W3C Trace Context: valid ones are passed on, malformed ones are ignored.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  childOf,
  currentTrace,
  isSampled,
  newTrace,
  traceFields,
  traceHeaders,
  traceIn,
  withTrace,
} from './trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${parentId}-01`;

suite('W3C Trace Context', () => {
  test('a valid traceparent is passed on with a new span id', async () => {
    const trace = traceIn({ traceparent, tracestate: 'congo=t61rcWkgMzE, rojo@acme=00f067aa0ba902b7' });
    assert.match(trace?.spanId ?? '', /^[0-9a-f]{16}$/);
    assert.notEqual(trace?.spanId, parentId);
    await withTrace(trace, () => {
      assert.deepEqual(traceHeaders(), {
        traceparent: `00-${traceId}-${trace?.spanId}-01`,
        tracestate: 'congo=t61rcWkgMzE,rojo@acme=00f067aa0ba902b7',
      });
      assert.deepEqual(traceFields(), { trace_id: traceId, span_id: trace?.spanId, parent_id: parentId });
    });
    assert.deepEqual(traceHeaders(trace)?.traceparent?.slice(0, 35), traceparent.slice(0, 35));
  });

  test('a malformed traceparent is ignored, with its tracestate', () => {
    const malformed = [
      '',
      traceparent.toUpperCase(),
      `ff${traceparent.slice(2)}`,
      `${traceparent}-more`,
      `${traceparent}, ${traceparent}`,
      `00-${'0'.repeat(32)}-${parentId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `00-${traceId}-${parentId}-1`,
      `01-${traceId}-${parentId}-01.more`,
    ];
    for (const one of malformed) assert.equal(traceIn({ traceparent: one, tracestate: 'a=b' }), undefined, one);
    assert.equal(traceIn({ tracestate: 'a=b' }), undefined);
  });

  test('a later version is read like the known one, and unknown flags are dropped', () => {
    for (const later of [`cc-${traceId}-${parentId}-ff`, `cc-${traceId}-${parentId}-ff-what-the-future-has`])
      assert.match(traceHeaders(traceIn({ traceparent: later })).traceparent ?? '', /^00-.*-03$/);
  });

  test('a tracestate that breaks a rule is ignored, and the traceparent stays', () => {
    const many = Array.from({ length: 33 }, (_, at) => `k${at}=v`).join();
    for (const tracestate of ['a', 'A=b', 'a=b=c', 'a=b,a=c', 'a=\u00e9', 'a@1=b', '', many]) {
      const trace = traceIn({ traceparent, tracestate });
      assert.equal(trace?.traceId, traceId);
      assert.equal(trace?.state, undefined, tracestate);
    }
    assert.equal(traceIn({ traceparent, tracestate: 'a=b,, c=d\t' })?.state, 'a=b,c=d');
  });

  test('a new trace is sampled, and its children have its id and flags', () => {
    const trace = newTrace();
    assert.match(traceHeaders(trace).traceparent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    const child = childOf(trace);
    assert.deepEqual([child.traceId, child.parentId, child.flags], [trace.traceId, trace.spanId, '01']);
    assert.notEqual(child.spanId, trace.spanId);
    const flags = ['00', '01', '02', '03'];
    assert.deepEqual(
      flags.map((one) => isSampled({ ...trace, flags: one })),
      [false, true, false, true],
    );
  });

  test('work that outlives its call does not belong to its trace', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let late: Promise<unknown> | undefined;
    await withTrace(traceIn({ traceparent }), async () => {
      late = promise.then(() => currentTrace());
      await Promise.resolve();
      assert.ok(currentTrace());
    });
    resolve();
    assert.equal(await late, undefined);
  });
});
