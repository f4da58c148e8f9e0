// W3C Trace Context: the traceparent and tracestate of a call are validated, logged, and passed on with a span id of
// this node. A call without a valid traceparent has no trace, unless the region exports traces and starts one. The
// trace follows the call through asynchronous code.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { pooledHex } from '../ids.ts';
import { traceStateOf } from './trace-state.ts';

export interface Trace {
  traceId: string;
  parentId: string | undefined; // the span id of the caller; absent: the trace begins here
  spanId: string; // of this call, which is the parent of the calls that it makes
  flags: string;
  state: string | undefined;
  isOver?: boolean; // work that outlives its call, such as a timer, doesn't belong to it
}

const current = new AsyncLocalStorage<Trace | undefined>();
const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampled = 0b01;
const knownFlags = 0b11; // sampled, random trace id
const sampledFlags = '01';

// Undefined: absent or malformed, which the standard ignores. A tracestate without a traceparent is ignored too.
export function traceIn({ traceparent, tracestate }: IncomingHttpHeaders): Trace | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId = '', parentId = '', flags = '', more] = form.exec(traceparent) ?? [];
  const isKnown = version === '00' ? more === undefined : version !== undefined && version !== 'ff';
  if (!isKnown || /^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  const kept = (Number.parseInt(flags, 16) & knownFlags).toString(16).padStart(2, '0');
  const state = tracestate === undefined ? undefined : traceStateOf([tracestate].flat().join(','));
  return { traceId, parentId, spanId: newSpanId(), flags: kept, state };
}

export const newTrace = (): Trace => ({
  traceId: newId(32),
  parentId: undefined,
  spanId: newSpanId(),
  flags: sampledFlags,
  state: undefined,
});

// For a part of the work of a span.
export const childOf = (trace: Trace): Trace => ({
  ...trace,
  parentId: trace.spanId,
  spanId: newSpanId(),
  isOver: false,
});

// Whether the caller wants spans to be recorded.
export const isSampled = ({ flags }: Trace): boolean => (Number.parseInt(flags, 16) & sampled) !== 0;

// Runs the work with the trace, which is over when the work is. Without a trace it only runs it.
export async function withTrace<T>(trace: Trace | undefined, work: () => Promise<T> | T): Promise<T> {
  if (!trace) return work();
  try {
    return await current.run(trace, work);
  } finally {
    trace.isOver = true;
  }
}

export function currentTrace(): Trace | undefined {
  const trace = current.getStore();
  return trace?.isOver ? undefined : trace;
}

// Of a call to another node or to an outside engine.
export function traceHeaders(trace = currentTrace()): Record<string, string> {
  if (!trace) return {};
  const { traceId, spanId, flags, state } = trace;
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state !== undefined && { tracestate: state }) };
}

// Of a line in the log.
export function traceFields(): { trace_id?: string; span_id?: string; parent_id?: string | undefined } {
  const trace = currentTrace();
  return trace ? { trace_id: trace.traceId, span_id: trace.spanId, parent_id: trace.parentId } : {};
}

const newSpanId = (): string => newId(16);

// All zeros are not valid.
function newId(digits: number): string {
  const id = pooledHex(digits);
  return /^0+$/.test(id) ? newId(digits) : id;
}
