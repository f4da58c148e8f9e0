// MessagePack as used by the forward protocol: an extension for times, bytes that contain texts, and 64-bit integers.
import { Decoder, ExtensionCodec } from '@msgpack/msgpack';

// Seconds and nanoseconds since 1970.
export class EventTime {
  readonly ns: bigint;

  constructor(ns: bigint) {
    this.ns = ns;
  }

  toJSON(): string {
    return this.ns.toString();
  }
}

const codec = new ExtensionCodec();
codec.register({
  type: 0,
  encode: () => null,
  decode(data) {
    if (data.length !== 8) return null;
    const view = new DataView(data.buffer, data.byteOffset, 8);
    return new EventTime(BigInt(view.getUint32(0)) * 1_000_000_000n + BigInt(view.getUint32(4)));
  },
});

// A decoder has state, so decoding several messages concurrently needs several.
export const newDecoder = (mostBytes: number, rawStrings = false): Decoder<undefined> =>
  new Decoder({
    extensionCodec: codec,
    useBigInt64: true,
    rawStrings,
    maxStrLength: mostBytes,
    maxBinLength: mostBytes,
    maxExtLength: mostBytes,
    maxArrayLength: mostBytes,
    maxMapLength: mostBytes,
    mapKeyConverter: nameOf,
  });

// The library refuses __proto__, and with it the whole message.
function nameOf(key: unknown): string {
  const name = key instanceof Uint8Array ? textOf(key) : String(key);
  return name === '__proto__' ? '_proto_' : name;
}

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

const exactJson = JSON as unknown as { rawJSON(text: string): object }; // newer than its types

const deepest = 32;

// Returns a record as JSON text. Bytes become texts, and large integers keep all digits.
export function recordText(record: object): string {
  return JSON.stringify(plain(record, 0));
}

// Changes the value in place.
function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return exactJson.rawJSON(value.toString());
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return textOf(value);
  if (depth > deepest) return '…';
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (isSpecial(value[at])) value[at] = plain(value[at], depth + 1);
    return value;
  }
  if (value instanceof EventTime || value instanceof Date) return value;
  const fields = value as Record<string, unknown>;
  for (const name in fields) if (isSpecial(fields[name])) fields[name] = plain(fields[name], depth + 1);
  return fields;
}

const isSpecial = (value: unknown): boolean =>
  typeof value === 'bigint' || (typeof value === 'object' && value !== null);
