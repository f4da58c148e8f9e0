// The lock of a portable backup: a key made from a passphrase by scrypt, which seals the state's secrets in the file
// instead of the region's key. The file's header has all that is needed to make the key again, but for the passphrase.
import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { Fault } from '../../../base/fault.ts';
import { randomHex } from '../../../base/ids.ts';
import { isObject, type Json } from '../../../base/json.ts';
import { createSeal, type Seal } from '../../../base/seal.ts';

export interface Lock {
  salt: string; // hexadecimal
  cost: number; // scrypt's N; r is 8 and p is 1
  check: string; // a known text, sealed: a wrong passphrase does not open it
}

export const fewestCharacters = 8;

const cost = 2 ** 17; // 128 MB and about half a second a try
const mostCost = 2 ** 18; // of a file: 256 MB, also in a running region that imports it
const mostSealed = 1024; // characters of salt and check
const blockSize = 8;
const checkText = 'cumulet portable backup';

const derive = promisify<string, string, number, { N: number; r: number; maxmem: number }, Buffer>(scrypt);

export async function newLock(passphrase: string): Promise<{ lock: Lock; seal: Seal }> {
  if (passphrase.length < fewestCharacters)
    throw new Fault('refused', `The passphrase needs ${fewestCharacters} characters at least.`);
  const salt = randomHex(16);
  const seal = await sealOf(passphrase, salt, cost);
  return { lock: { salt, cost, check: seal.close(checkText) }, seal };
}

// Undefined: that is not the passphrase.
export async function openLock({ salt, cost: storedCost, check }: Lock, passphrase: string): Promise<Seal | undefined> {
  const seal = await sealOf(passphrase, salt, storedCost);
  try {
    return seal.open(check) === checkText ? seal : undefined;
  } catch {
    return undefined;
  }
}

export function isLock(value: Json): value is Json & Lock {
  if (!isObject(value)) return false;
  const { salt, cost: storedCost, check } = value;
  const isCost =
    typeof storedCost === 'number' &&
    storedCost > 1 &&
    storedCost <= mostCost &&
    Number.isInteger(Math.log2(storedCost));
  return isCost && [salt, check].every((one) => typeof one === 'string' && one.length <= mostSealed);
}

const sealOf = async (passphrase: string, salt: string, N: number): Promise<Seal> =>
  createSeal(
    await derive(passphrase.normalize('NFC'), salt, 32, { N, r: blockSize, maxmem: 256 * (N + 2) * blockSize }),
  );
