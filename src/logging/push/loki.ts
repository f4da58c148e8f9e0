// The push API of Loki, in protobuf and in JSON: streams with labels, and their lines with times and metadata.
import type { Json } from '../../base/json.ts';
import { listAt, objectAt, parseBody, textAt, wrong } from '../../core/push/json-values.ts';
import { eachMessage, mostAttributes, readText } from '../../core/push/otlp/attributes.ts';
import { bytesTag, ProtobufReader, varintTag } from '../../core/push/protobuf/reader.ts';
import { UnreadablePush } from '../../core/push/push-body.ts';
import type { Labels } from '../engine/engine.ts';
import { LineCollector, labelName } from './line-collector.ts';
import type { DecodedPush, LogPush } from './push.ts';
import { sentLabels, streamFor } from './stream-choice.ts';

type Pairs = [name: string, value: string][];

export function readLoki(bytes: Buffer, push: LogPush): DecodedPush {
  const wire = new ProtobufReader(bytes);
  const lines = new LineCollector(push);
  eachMessage(wire, bytes.length, bytesTag(1), (end) => {
    const from = wire.at;
    let labels = '';
    eachField(wire, end, bytesTag(1), () => {
      labels = readText(wire, end);
    });
    const add = adder(parseLabels(labels), push, lines);
    wire.at = from;
    eachMessage(wire, end, bytesTag(2), (until) => add(...readEntry(wire, until)));
  });
  return lines.decoded();
}

function readEntry(wire: ProtobufReader, end: number): [time: bigint, line: string, metadata: Pairs] {
  let time = 0n;
  let line = '';
  const metadata: Pairs = [];
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === bytesTag(1)) time = readTime(wire, wire.until(end));
    else if (tag === bytesTag(2)) line = readText(wire, end);
    else if (tag === bytesTag(3)) keepPair(wire, wire.until(end), metadata);
    else wire.skip(tag, end);
  }
  return [time, line, metadata];
}

function readTime(wire: ProtobufReader, end: number): bigint {
  let [seconds, nanos] = [0, 0];
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === varintTag(1)) seconds = wire.varint(end);
    else if (tag === varintTag(2)) nanos = wire.varint(end);
    else wire.skip(tag, end);
  }
  return BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
}

function keepPair(wire: ProtobufReader, end: number, pairs: Pairs): void {
  if (pairs.length >= mostAttributes) throw new UnreadablePush(`a line has more than ${mostAttributes} metadata`, true);
  pairs.push(readPair(wire, end));
}

function readPair(wire: ProtobufReader, end: number): Pairs[number] {
  let [name, value] = ['', ''];
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === bytesTag(1)) name = readText(wire, end);
    else if (tag === bytesTag(2)) value = readText(wire, end);
    else wire.skip(tag, end);
  }
  return [name, value];
}

// The cursor is at the value of the field, which `read` consumes.
function eachField(wire: ProtobufReader, end: number, wanted: number, read: () => void): void {
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === wanted) read();
    else wire.skip(tag, end);
  }
}

export function readLokiJson(bytes: Buffer, push: LogPush): DecodedPush {
  const lines = new LineCollector(push);
  for (const [nth, each] of listAt(parseBody(bytes).streams, 'streams').entries()) {
    const path = `streams[${nth}]`;
    const { stream, values } = objectAt(each, path);
    const add = adder(pairsAt(stream, `${path}.stream`), push, lines);
    for (const [at, value] of listAt(values, `${path}.values`).entries()) {
      const place = `${path}.values[${at}]`;
      const [time, line, metadata] = listAt(value, place);
      add(timeAt(time, place), textAt(line, place), metadata === undefined ? [] : pairsAt(metadata, place));
    }
  }
  return lines.decoded();
}

const pairsAt = (value: Json | undefined, path: string): Pairs =>
  Object.entries(objectAt(value, path)).map(([name, one]) => [name, textAt(one, `${path}.${name}`)]);

function timeAt(value: Json | undefined, path: string): bigint {
  const text = typeof value === 'string' && /^\d{1,19}$/.test(value) ? value : undefined;
  return text === undefined ? wrong(path, 'nanoseconds as a text', value) : BigInt(text);
}

function adder(pairs: Pairs, push: LogPush, lines: LineCollector) {
  const target = streamFor(push, pairs.find(([name]) => name === 'tag')?.[1]);
  const column = lines.column(target, sentLabels(pairs));
  return (time: bigint, line: string, metadata: Pairs): void =>
    lines.add(target, column, time === 0n ? undefined : time, line, metadataOf(metadata));
}

function metadataOf(pairs: Pairs): Labels | undefined {
  const nonEmpty = pairs.filter(([, value]) => value !== '');
  return nonEmpty.length > 0
    ? Object.fromEntries(nonEmpty.map(([name, value]) => [labelName(name), value]))
    : undefined;
}

const mostLabelText = 128 * 1024;
const pair = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*("(?:[^"\\]|\\.)*"|`[^`]*`)\s*(,|$)/y;

// {name="value", …} in the syntax of Prometheus.
function parseLabels(text: string): Pairs {
  if (text.length > mostLabelText) throw new UnreadablePush(`labels are longer than ${mostLabelText} characters`, true);
  const inner = /^\s*\{(.*)\}\s*$/s.exec(text)?.[1]?.trim();
  if (inner === undefined) throw new UnreadablePush(`invalid labels: ${text.slice(0, 80)}`);
  const pairs: Pairs = [];
  pair.lastIndex = 0;
  while (pair.lastIndex < inner.length) {
    const [, name, quoted] = pair.exec(inner) ?? [];
    if (name === undefined || quoted === undefined) throw new UnreadablePush(`invalid labels: ${text.slice(0, 80)}`);
    pairs.push([name, unquoted(quoted)]);
  }
  return pairs;
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };

function unquoted(quoted: string): string {
  const inner = quoted.slice(1, -1);
  if (quoted.startsWith('`')) return inner;
  return inner.replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))/gi, (_, x, u, long, one: string) => {
    const digits = (x ?? u ?? long) as string | undefined;
    if (digits === undefined) return escapes[one] ?? one;
    const code = Number.parseInt(digits, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}
