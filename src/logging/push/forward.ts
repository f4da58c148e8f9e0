// Decodes one message of the forward protocol, in any of its modes: [tag, time, record], [tag, entries], or [tag,
// bytes] with concatenated entries, possibly compressed. An option with the name of the chunk may follow.
import { decompress } from '../../core/push/decompress.ts';
import { type PushCoding, UnreadablePush } from '../../core/push/push-body.ts';
import type { Labels } from '../engine/engine.ts';
import { mostLineBytes } from '../engine/packed-job.ts';
import { checkLineCount, fieldLabels, LineCollector, labelName, labelValue } from './line-collector.ts';
import { framesIn, listContent, listLength, UnreadableFrame } from './message-frame.ts';
import { EventTime, newDecoder, recordText } from './message-pack.ts';
import { type DecodedPush, type LogPush, type TargetStream, UnknownTag } from './push.ts';

interface Option {
  chunk?: string;
  compressed?: unknown;
}

// Each value takes at least one character of the line.
const mostRecordValues = mostLineBytes;

export function readForward(push: LogPush, mostBytes: number): DecodedPush {
  const bytes = Buffer.from(push.body.buffer, push.body.byteOffset, push.body.length);
  const parts = partsOf(bytes);
  const [first, second] = parts;
  if (!first || !second) throw new UnreadablePush('the message is not valid in the forward protocol');
  const tag = textAt(decoded(first));
  const packed = packedAt(second);
  checkLineCount(listLength(second) ?? 0);
  const list = packed ? undefined : listContent(second);
  const isForward = list !== undefined && (list.length === 0 || listLength(list) !== undefined);
  const option = optionAt(decoded(parts[packed || isForward ? 2 : 3]));
  const stream = push.streams.find((one) => one.tag === tag);
  if (!stream) throw new UnknownTag(tag);
  const lines = new LineCollector(push);
  if (packed) addEntries(unpacked(packed, option, mostBytes), stream, lines);
  else if (isForward) addEntries(list, stream, lines);
  else addEntry([decoded(second), decoded(parts[2])], stream, lines);
  return lines.decoded(option.chunk);
}

const mostParts = 4;

// Returns the values of the message; none if it is not a list of the announced length.
function partsOf(bytes: Uint8Array): Uint8Array[] {
  const count = listLength(bytes) ?? 0;
  if (count < 2 || count > mostParts) return [];
  const parts: Uint8Array[] = [];
  for (const part of readable(framesIn(listContent(bytes) ?? bytes))) if (parts.push(part) > count) return [];
  return parts.length === count ? parts : [];
}

function decoded(bytes: Uint8Array | undefined): unknown {
  if (!bytes) return undefined;
  const [value] = readable(framesIn(bytes, mostRecordValues));
  return value && decodedBy(newDecoder(value.length), value);
}

function decodedBy(decoder: Pick<ReturnType<typeof newDecoder>, 'decode'>, value: Uint8Array): unknown {
  try {
    return decoder.decode(value);
  } catch (error) {
    throw new UnreadablePush(`a value of the message can't be read: ${(error as Error).message}`);
  }
}

function* readable(frames: Iterable<Uint8Array>): Generator<Uint8Array> {
  try {
    yield* frames;
  } catch (error) {
    if (!(error instanceof UnreadableFrame)) throw error;
    throw new UnreadablePush(error.message, error.why === 'too deep' || error.why === 'too many values');
  }
}

// Returns the entries as bytes, which old agents send as a text.
function packedAt(bytes: Uint8Array): Uint8Array | undefined {
  const first = bytes[0] ?? 0;
  const isText = (first >= 0xa0 && first < 0xc0) || (first >= 0xd9 && first <= 0xdb);
  const isBytes = first >= 0xc4 && first <= 0xc6;
  if (!isText && !isBytes) return undefined;
  return newDecoder(bytes.length, true).decode(bytes) as Uint8Array;
}

const codings: Record<string, PushCoding> = { gzip: 'gzip', zstd: 'zstd' };

function unpacked(packed: Uint8Array, { compressed }: Option, mostBytes: number): Uint8Array {
  if (compressed === undefined || compressed === 'text') return packed;
  const coding = typeof compressed === 'string' ? codings[compressed] : undefined;
  if (!coding) throw new UnreadablePush('the entries have an unknown compression');
  return decompress(packed, coding, mostBytes);
}

function addEntries(bytes: Uint8Array, stream: TargetStream, lines: LineCollector): void {
  const decoder = newDecoder(bytes.length);
  for (const entry of readable(framesIn(bytes, mostRecordValues))) addEntry(decodedBy(decoder, entry), stream, lines);
}

// [time, record], or with metadata [[time, metadata], record].
function addEntry(entry: unknown, stream: TargetStream, lines: LineCollector): void {
  if (!Array.isArray(entry) || entry.length < 2)
    throw new UnreadablePush('an entry is not a list of a time and a record');
  const [head, record] = entry as [unknown, unknown];
  const [time, metadata] = Array.isArray(head) ? head : [head, undefined];
  if (isGroupMark(time)) return;
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    throw new UnreadablePush('a record is not a map');
  const labels = fieldLabels(stream, record as Record<string, unknown>);
  lines.add(stream, lines.column(stream, labels), timeOf(time, lines), recordText(record), metadataOf(metadata));
}

// Fluent Bit marks the start and end of groups by entries with invalid times.
const isGroupMark = (time: unknown): boolean => (typeof time === 'number' || typeof time === 'bigint') && time < 0;

function timeOf(time: unknown, lines: LineCollector): bigint | undefined {
  if (time instanceof EventTime) return time.ns;
  if (typeof time === 'bigint') return lines.second(Number(time));
  if (typeof time !== 'number' || time === 0 || !Number.isFinite(time)) return undefined;
  if (Number.isInteger(time)) return lines.second(time);
  return BigInt(Math.round(time * 1e6)) * 1000n;
}

function metadataOf(metadata: unknown): Labels | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const pairs = Object.entries(metadata).map(([name, value]) => [labelName(name), labelValue(value)] as const);
  const nonEmpty = pairs.filter(([, value]) => value !== '');
  return nonEmpty.length > 0 ? Object.fromEntries(nonEmpty) : undefined;
}

function textAt(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  throw new UnreadablePush('the tag is not a text');
}

function optionAt(value: unknown): Option {
  if (typeof value !== 'object' || value === null) return {};
  const { chunk, compressed } = value as Record<string, unknown>;
  return {
    ...(chunk !== undefined && { chunk: textAt(chunk) }),
    ...(compressed !== undefined && compressed !== null && { compressed }),
  };
}
