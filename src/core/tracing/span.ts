// Spans of OpenTelemetry: what this node does for a trace, with its duration. A span is recorded when it ends, and only
// in a sampled trace. Attributes never contain data of users: no paths, queries, names or addresses of clients.
import { childOf, currentTrace, isSampled, type Trace, withTrace } from '../../base/trace/trace-context.ts';

export type SpanKind = 'internal' | 'server' | 'client';
export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface Span {
  trace: Trace;
  name: string;
  kind: SpanKind;
  startedAt: number; // by performance.now()
  endedAt: number;
  attributes: Attributes; // a span with error.type has failed
}

// Where spans are recorded.
export interface SpanSink {
  add(span: Span): void;
}

// A span that has not ended.
export class OpenSpan {
  readonly trace: Trace; // for the work that belongs to it
  readonly #sink: SpanSink;
  readonly #span: Omit<Span, 'endedAt'>;
  #hasEnded = false;

  constructor(sink: SpanSink, span: Omit<Span, 'endedAt' | 'startedAt'>) {
    this.trace = span.trace;
    this.#sink = sink;
    this.#span = { ...span, startedAt: performance.now() };
  }

  // Only the first end counts.
  end(more: Attributes = {}): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const attributes = { ...this.#span.attributes, ...more };
    this.#sink.add({ ...this.#span, endedAt: performance.now(), attributes });
  }
}

// Below the current span. Undefined: nothing is recorded.
export function openSpan(
  sink: SpanSink | undefined,
  about: Pick<Span, 'name' | 'kind' | 'attributes'>,
): OpenSpan | undefined {
  const parent = sink && currentTrace();
  return parent && isSampled(parent) ? new OpenSpan(sink, { ...about, trace: childOf(parent) }) : undefined;
}

export async function inSpan<T>(
  sink: SpanSink | undefined,
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  const span = openSpan(sink, { name, kind: 'internal', attributes });
  if (!span) return work();
  try {
    const value = await withTrace(span.trace, work);
    span.end();
    return value;
  } catch (error) {
    span.end({ 'error.type': error instanceof Error ? error.name : 'unknown' });
    throw error;
  }
}
