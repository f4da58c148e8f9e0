// The reply to an OTLP exporter, in the encoding of its request: empty on success, a partial success, or the reason of
// the failure.
import { always, binarySchema, textSchema, wholeSchema } from '../docs/openapi.ts';
import type { Reply, Route } from '../http/exchange.ts';

export interface OtlpOutcome {
  rejected: number;
  reasons: readonly string[];
  fault?: { kind: keyof typeof faultStatus; message: string }; // nothing was kept
}

export const faultStatus = { unreadable: 400, oversized: 413, limit: 400 } as const;
// Never 429: none of these can succeed when it is retried unchanged.
const codes = { unreadable: 3, oversized: 3, limit: 8 } as const; // of google.rpc: INVALID_ARGUMENT, RESOURCE_EXHAUSTED

const protobuf = { 'application/x-protobuf': binarySchema };

// The media types of an OTLP route in the OpenAPI document. `list`: the JSON name of the list that it sends.
export const otlpForms = (list: 'resourceMetrics' | 'resourceLogs'): Partial<Route> => ({
  bodyTypes: {
    'application/json': {
      type: 'object',
      properties: { [list]: { type: 'array', items: { type: 'object' } } },
      examples: [{ [list]: [] }],
    },
    ...protobuf,
  },
  replySchema: always({}, { partialSuccess: { type: 'object' } }),
  otherReplies: protobuf,
  failsAlso: {
    statuses: [400, 413, 415],
    types: {
      'application/json': always({ code: wholeSchema, message: textSchema }),
      'text/plain': textSchema,
      ...protobuf,
    },
  },
});

// `what`: the name of the count of what was rejected, in JSON.
export function otlpReply(
  format: 'otlp' | 'otlp-json',
  { rejected, reasons, fault }: OtlpOutcome,
  what: 'rejectedDataPoints' | 'rejectedLogRecords',
): Reply {
  const status = fault ? faultStatus[fault.kind] : 200;
  const message = fault?.message ?? reasons.join('; ');
  if (format === 'otlp-json') {
    const body = fault
      ? { code: codes[fault.kind], message }
      : rejected > 0
        ? { partialSuccess: { [what]: String(rejected), errorMessage: message } }
        : {};
    return { status, body: JSON.stringify(body) };
  }
  const text = Buffer.from(message);
  const said = Buffer.concat([Buffer.of(0x12), varint(text.length), text]); // field 2 of both messages
  const body = fault
    ? Buffer.concat([Buffer.of(0x08, codes[fault.kind]), said])
    : rejected > 0
      ? embedded(Buffer.concat([Buffer.of(0x08), varint(rejected), said]))
      : Buffer.alloc(0);
  return { status, type: 'application/x-protobuf', body };
}

const embedded = (message: Buffer): Buffer => Buffer.concat([Buffer.of(0x0a), varint(message.length), message]);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.of(...bytes, rest);
}
