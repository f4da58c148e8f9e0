// The parts of records about absence: the bitmap of types, and hashed names.
import { hash } from 'node:crypto';
import { nameBytes } from '../records/domain-name.ts';

// RFC 4034, 4.1.2: windows of 256 types, each as long as its last type needs.
export function typeBitmap(types: readonly number[]): Buffer {
  const windows = new Map<number, Buffer>();
  for (const type of [...new Set(types)].sort((a, b) => a - b)) {
    const bits = windows.get(type >> 8) ?? Buffer.alloc(32);
    windows.set(type >> 8, bits);
    const at = (type & 0xff) >> 3;
    bits[at] = (bits[at] as number) | (0x80 >> (type & 7));
  }
  const parts = [...windows].map(([window, bits]) => {
    const length = bits.findLastIndex((byte) => byte !== 0) + 1;
    return Buffer.concat([Buffer.from([window, length]), bits.subarray(0, length)]);
  });
  return Buffer.concat(parts);
}

// In the form of names: base32 with the extended hex alphabet.
export function nsec3Hash(name: string, salt: Uint8Array, iterations: number): string {
  let digest = hash('sha1', Buffer.concat([nameBytes(name), salt]), 'buffer');
  const input = Buffer.concat([digest, salt]);
  for (let round = 0; round < iterations; round++) {
    input.set(digest);
    digest = hash('sha1', input, 'buffer');
  }
  return encodeBase32(digest);
}

const alphabet = '0123456789abcdefghijklmnopqrstuv';

function encodeBase32(bytes: Buffer): string {
  let [text, bits, value] = ['', 0, 0];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; ) {
      bits -= 5;
      text += alphabet[(value >> bits) & 31];
    }
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text;
}

export function decodeBase32(text: string): Buffer {
  const bytes: number[] = [];
  let [bits, value] = [0, 0];
  for (const char of text) {
    value = ((value << 5) | alphabet.indexOf(char)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}
