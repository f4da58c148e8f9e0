// Remote write in wire form, written independently of the project's code so that the two can't share a mistake: the
// protobuf of version 1, and Snappy's block format. Other pushes use its messages too.
export type SentPoint = readonly [timeMs: number, value: number | 'stale'];

export interface Sent {
  labels: readonly (readonly [name: string, value: string])[]; // in the order in which they are sent
  points: readonly SentPoint[];
}

export const remoteWrite1 = {
  'Content-Type': 'application/x-protobuf',
  'Content-Encoding': 'snappy',
  'X-Prometheus-Remote-Write-Version': '0.1.0',
};

export const body1 = (series: readonly Sent[]): Buffer<ArrayBuffer> => snappy(writeRequest(series));

// The stale marker, bit by bit: it would not survive as a number.
const staleBytes = Buffer.from('020000000000f07f', 'hex');

export class Message {
  readonly #parts: Uint8Array[] = [];

  varint(field: number, value: number | bigint): this {
    this.#parts.push(varintOf(field << 3), varintOf(value));
    return this;
  }

  double(field: number, bytes: Uint8Array): this {
    this.#parts.push(varintOf((field << 3) | 1), bytes);
    return this;
  }

  bytes(field: number, value: Uint8Array | string | Message): this {
    const bytes = value instanceof Message ? value.whole() : typeof value === 'string' ? Buffer.from(value) : value;
    this.#parts.push(varintOf((field << 3) | 2), varintOf(bytes.length), bytes);
    return this;
  }

  whole(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

function varintOf(value: number | bigint): Uint8Array {
  let left = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  while (left > 127n) {
    bytes.push(Number(left & 127n) | 128);
    left >>= 7n;
  }
  bytes.push(Number(left));
  return Uint8Array.from(bytes);
}

function doubleOf(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

const sample = ([timeMs, value]: SentPoint): Message =>
  new Message().double(1, value === 'stale' ? staleBytes : doubleOf(value)).varint(2, timeMs);

export function writeRequest(series: readonly Sent[]): Buffer {
  const request = new Message();
  for (const { labels, points } of series) {
    const one = new Message();
    for (const [name, value] of labels) one.bytes(1, new Message().bytes(1, name).bytes(2, value));
    for (const point of points) one.bytes(2, sample(point));
    request.bytes(1, one);
  }
  return request.whole();
}

const pieceBytes = 65_536;
const table = new Int32Array(16_384);

// Greedy, with a table of the places where four bytes were seen last, as the usual encoders do.
export function snappy(raw: Uint8Array): Buffer<ArrayBuffer> {
  const out = Buffer.allocUnsafe(32 + raw.length + Math.ceil(raw.length / 6));
  const length = varintOf(raw.length);
  out.set(length);
  let at = length.length;
  const view = new DataView(raw.buffer, raw.byteOffset, raw.length);
  for (let from = 0; from < raw.length; from += pieceBytes)
    at = piece(raw, view, from, Math.min(raw.length, from + pieceBytes), out, at);
  return out.subarray(0, at);
}

function piece(raw: Uint8Array, view: DataView, from: number, to: number, out: Buffer, start: number): number {
  table.fill(-1);
  let written = start;
  let literal = from;
  let at = from;
  while (at + 4 <= to) {
    const word = view.getUint32(at, true);
    const slot = Math.imul(word, 0x1e35a7bd) >>> 18;
    const earlier = table[slot] ?? -1;
    table[slot] = at;
    if (earlier < 0 || view.getUint32(earlier, true) !== word) {
      at += 1 + ((at - literal) >> 5);
      continue;
    }
    let length = 4;
    while (at + length < to && raw[earlier + length] === raw[at + length]) length++;
    written = literalTo(raw, literal, at, out, written);
    written = copyTo(at - earlier, length, out, written);
    at += length;
    literal = at;
  }
  return literalTo(raw, literal, to, out, written);
}

function literalTo(raw: Uint8Array, from: number, to: number, out: Buffer, at: number): number {
  const less = to - from - 1;
  if (less < 0) return at;
  let next = at;
  if (less < 60) out[next++] = less << 2;
  else if (less < 256) {
    out[next++] = 60 << 2;
    out[next++] = less;
  } else {
    out[next++] = 61 << 2;
    out[next++] = less & 255;
    out[next++] = less >> 8;
  }
  out.set(raw.subarray(from, to), next);
  return next + to - from;
}

function copyTo(offset: number, length: number, out: Buffer, at: number): number {
  let next = at;
  let left = length;
  while (left > 0) {
    const now = Math.min(left, 64);
    if (now >= 4 && now <= 11 && offset < 2048) {
      out[next++] = 1 | ((now - 4) << 2) | ((offset >> 8) << 5);
      out[next++] = offset & 255;
    } else {
      out[next++] = 2 | ((now - 1) << 2);
      out[next++] = offset & 255;
      out[next++] = offset >> 8;
    }
    left -= now;
  }
  return next;
}
