// DER (X.690): enough to write a certificate and to find something in one. Values are plain bytes, a structure
// is the concatenation of its parts. Invariant: lengths and integers are minimal, else signatures don't verify.

export interface Element {
  tag: number;
  content: Buffer;
  raw: Buffer; // with tag and length, as it stood in the input
}

export function encode(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag), lengthOf(content.length), content]);
}

export function decode(der: Uint8Array): Element[] {
  const bytes = Buffer.from(der.buffer, der.byteOffset, der.byteLength);
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at);
    elements.push(element);
    at += element.raw.length;
  }
  return elements;
}

export const sequence = (...parts: Uint8Array[]): Buffer => encode(0x30, ...parts);
export const set = (...parts: Uint8Array[]): Buffer => encode(0x31, ...parts);
export const octets = (...parts: Uint8Array[]): Buffer => encode(0x04, ...parts);
export const utf8 = (text: string): Buffer => encode(0x0c, Buffer.from(text, 'utf8'));
export const truth = (value: boolean): Buffer => encode(0x01, Uint8Array.of(value ? 0xff : 0));

// A context tag: what it means is up to the structure around it.
export const tagged = (number: number, ...parts: Uint8Array[]): Buffer => encode(0xa0 | number, ...parts);
export const taggedPlain = (number: number, content: Uint8Array): Buffer => encode(0x80 | number, content);

// Bytes, most significant first, never negative.
export function integer(value: Uint8Array): Buffer {
  const first = value.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Uint8Array.of(0) : value.subarray(first);
  return encode(0x02, (digits[0] ?? 0) & 0x80 ? Uint8Array.of(0) : new Uint8Array(), digits);
}

export const bits = (value: Uint8Array): Buffer => encode(0x03, Uint8Array.of(0), value);

// A list of flags: bit 0 is the leftmost one, and DER cuts the zeros at the end.
export function flags(...set: number[]): Buffer {
  const last = Math.max(-1, ...set);
  const value = new Uint8Array(Math.floor(last / 8) + 1);
  for (const bit of set) value[bit >> 3] = (value[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return encode(0x03, Uint8Array.of(value.length * 8 - 1 - last), value);
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return encode(0x06, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

// X.509 wants two digits of the year up to 2049 and four from 2050 on.
export function time(ms: number): Buffer {
  const digits = `${new Date(ms).toISOString().replace(/\.\d+Z$|\D/g, '')}Z`;
  return digits >= '2050' ? encode(0x18, Buffer.from(digits)) : encode(0x17, Buffer.from(digits.slice(2)));
}

function elementAt(bytes: Buffer, at: number): Element {
  const short = bytes[at + 1];
  const more = short !== undefined && short > 0x80 ? short & 0x7f : 0;
  const start = at + 2 + more;
  if (short === undefined || short === 0x80 || more > 4 || start > bytes.length)
    throw new RangeError('DER is cut short');
  const end = start + (more ? bytes.readUIntBE(at + 2, more) : short);
  if (end > bytes.length) throw new RangeError('DER is cut short');
  return { tag: bytes[at] ?? 0, content: bytes.subarray(start, end), raw: bytes.subarray(at, end) };
}

function lengthOf(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Uint8Array.of(0x80 | bytes.length, ...bytes);
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 0x80);
  return bytes;
}
