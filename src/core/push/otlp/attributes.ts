// The attributes and values of OTLP in protobuf, which metrics and logs share.
import type { Json } from '../../../base/json.ts';
import { bytesTag, fixedTag, type ProtobufReader, varintTag } from '../protobuf/reader.ts';
import { UnreadablePush } from '../push-body.ts';
import { textOf } from '../text.ts';

export type Attributes = [key: string, value: Json][];

const deepest = 16;
export const mostAttributes = 256; // of one record; decoders collect no more

// The cursor is at the end of the attribute afterwards, whether it is kept or not.
export function keepAttribute(wire: ProtobufReader, end: number, attributes: Attributes): void {
  if (attributes.length <= mostAttributes) attributes.push(readKeyValue(wire, end, 0));
  wire.at = end;
}

function readKeyValue(wire: ProtobufReader, end: number, depth: number): [string, Json] {
  let key = '';
  let value: Json = '';
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === bytesTag(1)) key = readText(wire, end);
    else if (tag === bytesTag(2)) value = readValue(wire, wire.until(end), depth);
    else wire.skip(tag, end);
  }
  return [key, value];
}

export function readValue(wire: ProtobufReader, end: number, depth = 0): Json {
  if (depth > deepest) throw new UnreadablePush(`an attribute is nested deeper than ${deepest} levels`);
  let value: Json = '';
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag === bytesTag(1)) value = readText(wire, end);
    else if (tag === varintTag(2)) value = wire.varint(end) !== 0;
    else if (tag === varintTag(3)) value = readInteger(wire, end);
    else if (tag === fixedTag(4)) value = wire.double(end);
    else if (tag === bytesTag(5)) value = readList(wire, wire.until(end), depth + 1);
    else if (tag === bytesTag(6)) value = readMap(wire, wire.until(end), depth + 1);
    else if (tag === bytesTag(7)) {
      const until = wire.until(end);
      value = wire.bytes.toString('base64', wire.at, until);
      wire.at = until;
    } else wire.skip(tag, end);
  }
  return value;
}

// A number that a double can't hold keeps its digits as a text.
function readInteger(wire: ProtobufReader, end: number): Json {
  const from = wire.at;
  const rounded = wire.varint(end);
  if (Number.isSafeInteger(rounded)) return rounded;
  let exact = 0n;
  for (let at = wire.at - 1; at >= from; at--) exact = (exact << 7n) | BigInt((wire.bytes[at] as number) & 0x7f);
  return BigInt.asIntN(64, exact).toString();
}

function readList(wire: ProtobufReader, end: number, depth: number): Json[] {
  const list: Json[] = [];
  eachMessage(wire, end, bytesTag(1), (until) => {
    if (list.length < mostAttributes) list.push(readValue(wire, until, depth));
    wire.at = until;
  });
  return list;
}

function readMap(wire: ProtobufReader, end: number, depth: number): Json {
  const entries: [string, Json][] = [];
  eachMessage(wire, end, bytesTag(1), (until) => {
    if (entries.length < mostAttributes) entries.push(readKeyValue(wire, until, depth));
    wire.at = until;
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function readText(wire: ProtobufReader, end: number): string {
  const until = wire.until(end);
  const text = textOf(wire.bytes, wire.at, until);
  if (text === undefined) throw wire.unreadable('has a text that is not valid UTF-8');
  wire.at = until;
  return text;
}

export function eachMessage(wire: ProtobufReader, end: number, wanted: number, visit: (end: number) => void): void {
  while (wire.at < end) {
    const tag = wire.tag(end);
    if (tag !== wanted) {
      wire.skip(tag, end);
      continue;
    }
    const until = wire.until(end);
    visit(until);
    wire.at = until;
  }
}
