// A fast hash of bytes. It is not collision resistant, so callers compare the bytes too.

export function hashOf(view: DataView, from: number, to: number, seed: number): number {
  let left = seed ^ (to - from);
  let right = Math.imul(seed, 0x9e3779b1) ^ 0x7feb352d;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    left = Math.imul(left ^ view.getInt32(at, true), 0x85ebca6b);
    right = Math.imul(right ^ view.getInt32(at + 4, true), 0xc2b2ae35);
    left ^= left >>> 15;
    right ^= right >>> 13;
  }
  for (; at < to; at++) {
    left = Math.imul(left ^ view.getUint8(at), 0x27d4eb2f);
    left ^= left >>> 15;
  }
  const mixed = Math.imul(left ^ (right >>> 7), 0x2c1b3c6d) ^ Math.imul(right, 0x297a2d39);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

// 52 bits, for an index of the database: exact in a double.
export function wideHashOf(view: DataView, from: number, to: number): number {
  return hashOf(view, from, to, 0x51ed270b) * 2 ** 20 + (hashOf(view, from, to, 0x68bc21eb) >>> 12);
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
