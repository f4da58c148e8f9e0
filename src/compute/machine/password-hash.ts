// Password hashes as in /etc/shadow: crypt with SHA-512 (`$6$salt$…`, 5000 rounds). The rounds take some milliseconds,
// so they run in slices that yield to the event loop.
import { createHash, hash } from 'node:crypto';
import { randomHex } from '../../base/ids.ts';

const rounds = 5000;
const roundsInSlice = 500;
const maxSaltLength = 16;
const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export async function passwordHash(password: string, salt: string = randomHex(8)): Promise<string> {
  if (!/^[./0-9A-Za-z]+$/.test(salt)) throw new Error('a salt consists of . / 0-9 A-Z a-z');
  const used = salt.slice(0, maxSaltLength);
  return `$6$${used}$${textOf(await digest(Buffer.from(password), Buffer.from(used)))}`;
}

const sha512 = (...parts: Uint8Array[]): Buffer => hash('sha512', Buffer.concat(parts), 'buffer');

async function digest(key: Buffer, salt: Buffer): Promise<Buffer> {
  const start = startOf(key, salt);
  const keyBytes = repeated(sha512(...Array<Buffer>(key.length).fill(key)), key.length);
  const salts = Array<Buffer>(16 + (start[0] ?? 0)).fill(salt);
  const saltBytes = repeated(sha512(...salts), salt.length);
  let result = start;
  for (let round = 0; round < rounds; round++) {
    if (round > 0 && round % roundsInSlice === 0) await new Promise(setImmediate);
    const isOdd = round % 2 === 1;
    const parts = [isOdd ? keyBytes : result];
    if (round % 3 !== 0) parts.push(saltBytes);
    if (round % 7 !== 0) parts.push(keyBytes);
    parts.push(isOdd ? result : keyBytes);
    result = sha512(...parts);
  }
  return result;
}

// The first digest of the rounds: password and salt, mixed with the digest of both by the bits of the password's
// length.
function startOf(key: Buffer, salt: Buffer): Buffer {
  const other = sha512(key, salt, key);
  const mixed = createHash('sha512').update(key).update(salt).update(repeated(other, key.length));
  for (let bits = key.length; bits > 0; bits >>>= 1) mixed.update(bits % 2 === 1 ? other : key);
  return mixed.digest();
}

const repeated = (bytes: Buffer, length: number): Buffer => Buffer.alloc(length, bytes);

// Three bytes give four letters, lowest bits first. The bytes of a group are a third of the digest apart, and the group
// rotates by one with each step; the last byte is alone.
function textOf(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < 21; at++) {
    const group = [at, at + 21, at + 42].map((place) => bytes[place] ?? 0);
    const [high, middle, low] = [0, 1, 2].map((turn) => group[(turn + at) % 3] ?? 0) as [number, number, number];
    text += letters((high << 16) | (middle << 8) | low, 4);
  }
  return text + letters(bytes[63] ?? 0, 2);
}

function letters(value: number, count: number): string {
  let text = '';
  for (let at = 0; at < count; at++) text += alphabet[(value >>> (6 * at)) & 63];
  return text;
}
