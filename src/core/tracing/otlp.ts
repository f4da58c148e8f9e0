// The JSON encoding of OTLP for traces: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
// It is written as text: with objects for each attribute, an export took a tenth of the processor time of all calls.
import type { Attributes, Span } from './span.ts';

const kinds = { internal: 1, server: 2, client: 3 };

// `epochMs`: the time at which performance.now() was 0.
export function otlpJson(spans: readonly Span[], resource: Attributes, epochMs: number): string {
  const texts = spans.map((span) => textOf(span, epochMs)).join();
  const scope = `{"scope":{"name":"cumulet"},"spans":[${texts}]}`;
  return `{"resourceSpans":[{"resource":{"attributes":[${listOf(resource)}]},"scopeSpans":[${scope}]}]}`;
}

function textOf({ trace, name, kind, startedAt, endedAt, attributes }: Span, epochMs: number): string {
  const parent = trace.parentId === undefined ? '' : `"parentSpanId":"${trace.parentId}",`;
  const state = trace.state === undefined ? '' : `"traceState":${JSON.stringify(trace.state)},`;
  const status = attributes['error.type'] === undefined ? '' : ',"status":{"code":2}';
  return (
    `{"traceId":"${trace.traceId}","spanId":"${trace.spanId}",${parent}${state}"flags":${Number(trace.flags)},` +
    `"name":${JSON.stringify(name)},"kind":${kinds[kind]},"startTimeUnixNano":"${nanoseconds(epochMs + startedAt)}",` +
    `"endTimeUnixNano":"${nanoseconds(epochMs + endedAt)}","attributes":[${listOf(attributes)}]${status}}`
  );
}

function listOf(attributes: Attributes): string {
  let list = '';
  for (const key of Object.keys(attributes)) {
    const value = attributes[key];
    if (value === undefined) continue;
    const text = typeof value === 'number' ? `"intValue":"${value}"` : `"stringValue":${JSON.stringify(value)}`;
    list += `${list === '' ? '' : ','}{"key":"${key}","value":{${text}}}`;
  }
  return list;
}

// As text, because the number is too large to be exact. Microseconds are exact.
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`;

// How many spans of an accepted export the collector has refused.
export function rejectedSpans(answer: string): number {
  try {
    const { partialSuccess } = JSON.parse(answer) as { partialSuccess?: { rejectedSpans?: number | string } };
    return Number(partialSuccess?.rejectedSpans ?? 0);
  } catch {
    return 0; // the body may be empty
  }
}
