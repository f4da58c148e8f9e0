// Decodes log records of OTLP, in protobuf and in JSON. The body is the line; the severity, the trace and the
// attributes are its metadata. The attribute `tag` of the record, its scope or its resource selects the stream.
import type { Json, Values } from '../../base/json.ts';
import { objectAt, parseBody, textAt, wrong } from '../../core/push/json-values.ts';
import { type Attributes, eachMessage, keepAttribute, readText, readValue } from '../../core/push/otlp/attributes.ts';
import { attributesAt, objects, valueAt } from '../../core/push/otlp/attributes-json.ts';
import { bytesTag, fixedTag, ProtobufReader, varintTag } from '../../core/push/protobuf/reader.ts';
import { LineCollector, labelName, labelValue } from './line-collector.ts';
import type { DecodedPush, LogPush } from './push.ts';
import { streamFor } from './stream-choice.ts';

interface LogRecord {
  timeNs: bigint;
  observedNs: bigint;
  severity: number;
  severityText: string;
  body: Json;
  attributes: Attributes;
  traceId: string;
  spanId: string;
  eventName: string;
}

interface Scope {
  name: string;
  version: string;
  attributes: Attributes;
}

export function readOtlpLogs(bytes: Buffer, push: LogPush): DecodedPush {
  const wire = new ProtobufReader(bytes);
  const lines = new LineCollector(push);
  eachMessage(wire, bytes.length, bytesTag(1), (end) => {
    const from = wire.at;
    const resource: Attributes = [];
    eachMessage(wire, end, bytesTag(1), (until) => readAttributes(wire, until, resource, 1));
    wire.at = from;
    eachMessage(wire, end, bytesTag(2), (until) => readScope(wire, until, resource, push, lines));
  });
  return lines.decoded();
}

const readAttributes = (wire: ProtobufReader, end: number, into: Attributes, field: number): void =>
  eachMessage(wire, end, bytesTag(field), (until) => keepAttribute(wire, until, into));

function readScope(wire: ProtobufReader, end: number, resource: Attributes, push: LogPush, lines: LineCollector): void {
  const from = wire.at;
  const scope: Scope = { name: '', version: '', attributes: [] };
  eachMessage(wire, end, bytesTag(1), (until) => {
    while (wire.at < until) {
      const tag = wire.tag(until);
      if (tag === bytesTag(1)) scope.name = readText(wire, until);
      else if (tag === bytesTag(2)) scope.version = readText(wire, until);
      else if (tag === bytesTag(3)) keepAttribute(wire, wire.until(until), scope.attributes);
      else wire.skip(tag, until);
    }
  });
  wire.at = from;
  const shared = sharedBy(resource, scope);
  eachMessage(wire, end, bytesTag(2), (until) => add(readRecord(wire, until), scope, shared, push, lines));
}

function readRecord(wire: ProtobufReader, end: number): LogRecord {
  const record = newRecord();
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === fixedTag(1)) record.timeNs = wire.fixed64(end);
    else if (tag === fixedTag(11)) record.observedNs = wire.fixed64(end);
    else if (tag === varintTag(2)) record.severity = wire.varint(end);
    else if (tag === bytesTag(3)) record.severityText = readText(wire, end);
    else if (tag === bytesTag(5)) record.body = readValue(wire, wire.until(end));
    else if (tag === bytesTag(6)) keepAttribute(wire, wire.until(end), record.attributes);
    else if (tag === bytesTag(9)) record.traceId = hexAt(wire, end);
    else if (tag === bytesTag(10)) record.spanId = hexAt(wire, end);
    else if (tag === bytesTag(12)) record.eventName = readText(wire, end);
    else wire.skip(tag, end);
  }
  return record;
}

function hexAt(wire: ProtobufReader, end: number): string {
  const until = wire.until(end);
  const hex = wire.bytes.toString('hex', wire.at, until);
  wire.at = until;
  return hex;
}

const newRecord = (): LogRecord => ({
  timeNs: 0n,
  observedNs: 0n,
  severity: 0,
  severityText: '',
  body: '',
  attributes: [],
  traceId: '',
  spanId: '',
  eventName: '',
});

export function readOtlpLogsJson(bytes: Buffer, push: LogPush): DecodedPush {
  const lines = new LineCollector(push);
  for (const [resourceLogs, path] of objects(parseBody(bytes).resourceLogs, 'resourceLogs')) {
    const resource = attributesIn(resourceLogs.resource, `${path}.resource`);
    for (const [scoped, scopePath] of objects(resourceLogs.scopeLogs, `${path}.scopeLogs`)) {
      const shown = scoped.scope === undefined ? {} : objectAt(scoped.scope, `${scopePath}.scope`);
      const scope: Scope = {
        name: textAt(shown.name, `${scopePath}.scope.name`),
        version: textAt(shown.version, `${scopePath}.scope.version`),
        attributes: attributesAt(shown.attributes, `${scopePath}.scope.attributes`),
      };
      const shared = sharedBy(resource, scope);
      for (const [record, at] of objects(scoped.logRecords, `${scopePath}.logRecords`))
        add(recordAt(record, at), scope, shared, push, lines);
    }
  }
  return lines.decoded();
}

const attributesIn = (value: Json | undefined, path: string): Attributes =>
  value === undefined ? [] : attributesAt(objectAt(value, path).attributes, `${path}.attributes`);

const recordAt = (record: Values, path: string): LogRecord => ({
  timeNs: timeAt(record.timeUnixNano, `${path}.timeUnixNano`),
  observedNs: timeAt(record.observedTimeUnixNano, `${path}.observedTimeUnixNano`),
  severity: typeof record.severityNumber === 'number' ? record.severityNumber : 0,
  severityText: textAt(record.severityText, `${path}.severityText`),
  body: valueAt(record.body, `${path}.body`),
  attributes: attributesAt(record.attributes, `${path}.attributes`),
  traceId: textAt(record.traceId, `${path}.traceId`).toLowerCase(),
  spanId: textAt(record.spanId, `${path}.spanId`).toLowerCase(),
  eventName: textAt(record.eventName, `${path}.eventName`),
});

// A text keeps the digits that a number would lose.
function timeAt(value: Json | undefined, path: string): bigint {
  if (value === undefined || value === null) return 0n;
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  if (typeof value === 'number' && value >= 0 && value < 2 ** 63) return BigInt(Math.round(value));
  return wrong(path, 'nanoseconds', value);
}

// The attributes of all records of a scope as texts, computed once for possibly many records.
function sharedBy(resource: Attributes, { attributes }: Scope): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const [key, value] of [...resource, ...attributes]) all.set(key, valueText(value));
  return new Map([...all].filter(([key, text]) => text !== '' || key === 'tag'));
}

function add(
  record: LogRecord,
  scope: Scope,
  shared: ReadonlyMap<string, string>,
  push: LogPush,
  lines: LineCollector,
): void {
  const all = new Map(shared);
  for (const [key, value] of record.attributes) all.set(key, valueText(value));
  const stream = streamFor(push, all.get('tag'));
  all.delete('tag');
  const labels: Record<string, string> = {};
  const service = labelValue(all.get('service.name') ?? '');
  if (service !== '') labels.service_name = service;
  const metadata: Record<string, string> = {};
  for (const [key, text] of all) {
    if (text === '' || key === 'service.name') continue;
    const name = labelName(key);
    if (stream.labels.includes(name)) labels[name] = labelValue(text);
    else metadata[name] = text;
  }
  for (const [name, text] of [
    ['severity_text', record.severityText],
    ['severity_number', record.severity === 0 ? '' : String(record.severity)],
    ['trace_id', record.traceId],
    ['span_id', record.spanId],
    ['event_name', record.eventName],
    ['scope_name', scope.name],
    ['scope_version', scope.version],
  ] as const)
    if (text !== '') metadata[name] = text;
  const time = record.timeNs || record.observedNs;
  lines.add(stream, lines.column(stream, labels), time === 0n ? undefined : time, valueText(record.body), metadata);
}

const valueText = (value: Json): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
