// The one home of randomness. Ids are UUIDv7 and strictly increasing within a process, even if the clock
// stops or goes back: key order is creation order, and sequential keys make durable writes five times
// faster than random ones.
import { randomBytes } from 'node:crypto';

const poolBytes = 4096;
let pool = ''; // random bytes in hexadecimal
let used = 0;
let lastMs = 0;
let front = ''; // the millisecond and the upper part of the counter, which ids have in common
let counter = 0;

// 12 + 6 bits of counter behind the millisecond; when they run out, the next millisecond is borrowed.
const mostCounter = 0x3ffff;

export function uuid(nowMs: number = Date.now()): string {
  if (nowMs > lastMs) begin(nowMs, Number.parseInt(random(2), 16) & 0x3f);
  else if (++counter > mostCounter) begin(lastMs + 1, 0);
  else if ((counter & 0x3f) === 0) front = frontOf(lastMs, counter);
  const fourth = `${lowest[counter & 0x3f]}${random(2)}-`;
  return `${front}${fourth}${random(12)}`;
}

const lowest = Array.from({ length: 0x40 }, (_, count) => (0x80 | count).toString(16));

function begin(ms: number, count: number): void {
  lastMs = ms;
  counter = count;
  front = frontOf(ms, count);
}

function frontOf(ms: number, count: number): string {
  const digits = ms.toString(16).padStart(12, '0');
  const third = (0x7000 | (count >>> 6)).toString(16);
  return `${digits.slice(0, 8)}-${digits.slice(8)}-${third}-`;
}

function random(digits: number): string {
  if (used + digits > pool.length) {
    pool = randomBytes(poolBytes).toString('hex');
    used = 0;
  }
  used += digits;
  return pool.slice(used - digits, used);
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const isUuid = (text: string): boolean => uuidForm.test(text);

// For ids of traces and spans, which are public and frequent.
export const pooledHex = random;
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');
export const randomText = (bytes: number): string => randomBytes(bytes).toString('base64url');
