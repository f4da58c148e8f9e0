// Decodes JSON records of one stream: an object, a list of objects, or an object on each line. The stored line is the
// text of its record.
import { Fault } from '../../base/fault.ts';
import { checkJsonLimits, isObject, type Json } from '../../base/json.ts';
import { pushLimits } from '../../core/push/json-values.ts';
import { UnreadablePush } from '../../core/push/push-body.ts';
import { fieldLabels, LineCollector } from './line-collector.ts';
import { type DecodedPush, type LogPush, type TargetStream, UnknownTag } from './push.ts';

export function readRecords(bytes: Buffer, push: LogPush): DecodedPush {
  const stream = push.streams.find(({ tag }) => tag === push.tag);
  if (!stream) throw new UnknownTag(push.tag);
  const lines = new LineCollector(push);
  const text = bytes.toString('utf8').trim();
  if (text === '') throw new UnreadablePush('the body is empty: expected JSON records');
  const isOnLines = isObject(parsed(text.slice(0, Math.max(text.indexOf('\n'), 0))));
  const whole = isOnLines ? undefined : parsed(text);
  if (whole === undefined) {
    let number = 0;
    for (const line of linesIn(text)) addLine(line.trim(), ++number, stream, push, lines);
  } else if (Array.isArray(whole)) for (const record of whole) add(record, undefined, stream, push, lines);
  else add(whole, text, stream, push, lines);
  return lines.decoded();
}

function* linesIn(text: string): Generator<string> {
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from);
    yield text.slice(from, end < 0 ? text.length : end);
    if (end < 0) return;
    from = end + 1;
  }
}

function addLine(text: string, number: number, stream: TargetStream, push: LogPush, lines: LineCollector): void {
  if (text === '') return;
  const record = parsed(text);
  if (record === undefined) throw new UnreadablePush(`line ${number} is not valid JSON: expected JSON records`);
  add(record, text, stream, push, lines);
}

// `text`: the text as sent, with all digits.
function add(record: Json, text: string | undefined, stream: TargetStream, push: LogPush, lines: LineCollector): void {
  if (!isObject(record)) throw new UnreadablePush('a record is not a JSON object');
  const line = text === undefined || text.includes('\n') ? JSON.stringify(record) : text;
  const time = timeOf(record, stream, push, lines);
  lines.add(stream, lines.column(stream, fieldLabels(stream, record)), time, line);
}

function checkLimits(text: string): void {
  try {
    checkJsonLimits(text, pushLimits);
  } catch (error) {
    if (error instanceof Fault) throw new UnreadablePush(error.message, true);
    throw error;
  }
}

// Undefined: it is not JSON.
function parsed(text: string): Json | undefined {
  checkLimits(text);
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const timeFields = ['date', '@timestamp', 'timestamp', 'time'];

// Returns the time field of a record if it is plausible, because such fields may have another meaning; otherwise the
// time of receipt.
function timeOf(
  record: Record<string, Json>,
  { oldestNs }: TargetStream,
  push: LogPush,
  lines: LineCollector,
): bigint | undefined {
  for (const name of timeFields) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    const time =
      typeof value === 'number' ? ofNumber(value, lines) : typeof value === 'string' ? ofText(value, lines) : undefined;
    if (time !== undefined && time >= oldestNs && time <= push.newestNs) return time;
  }
  return undefined;
}

// Interprets a number as seconds, milliseconds, microseconds or nanoseconds, by its size.
function ofNumber(value: number, lines: LineCollector): bigint | undefined {
  if (!(value > 0) || value > 1e19) return undefined;
  if (value < 1e11) return Number.isInteger(value) ? lines.second(value) : BigInt(Math.round(value * 1e6)) * 1000n;
  if (value < 1e14) return BigInt(Math.round(value * 1e3)) * 1000n;
  return value < 1e17 ? BigInt(Math.round(value)) * 1000n : BigInt(Math.round(value));
}

const isoTime = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d*)?(Z|[+-]\d\d:?\d\d)?$/;

function ofText(text: string, lines: LineCollector): bigint | undefined {
  const [, whole, digits = '', zone = 'Z'] = isoTime.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const ms = Date.parse(`${whole.replace(' ', 'T')}${zone}`);
  if (Number.isNaN(ms)) return undefined;
  return digits === '' ? lines.second(ms / 1000) : BigInt(ms) * 1_000_000n + BigInt(digits.padEnd(9, '0'));
}
