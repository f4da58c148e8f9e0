// Password hashes: scrypt with a salt each. At most two run at a time, so that log-ins can't use up the machine.
import { scrypt, timingSafeEqual } from 'node:crypto';
import { randomHex } from '../../base/ids.ts';

const cost = { N: 16_384, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const maxAtOnce = 2;

export const passwordLengths = { min: 5, max: 255 };

let running = 0;
const waiting: (() => void)[] = [];

async function derive(password: string, salt: string): Promise<Buffer> {
  if (running >= maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await new Promise((resolve, reject) => {
      scrypt(password.normalize('NFKC'), salt, 32, cost, (error, key) => (error ? reject(error) : resolve(key)));
    });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomHex(16);
  return `scrypt$${cost.N}$${salt}$${(await derive(password, salt)).toString('hex')}`;
}

// Takes the same time whether the account exists or not.
export async function checkPassword(password: string, kept: string | undefined): Promise<boolean> {
  const [, , salt = '00', hash = ''] = (kept ?? '').split('$');
  const derived = await derive(password, salt);
  const expected = Buffer.from(hash, 'hex');
  return expected.length === derived.length && timingSafeEqual(expected, derived);
}
