// The challenge that a client holds between two steps: after the password until the code, or from the QR code until its
// first code. It is sealed with the region's key, so nothing is stored, and every node can read it. It is good for some
// minutes.
import { isObject } from '../../base/json.ts';
import type { Seal } from '../../base/seal.ts';
import { unauthorized } from '../authentication/credentials.ts';

export interface Challenge {
  purpose: 'sign-in' | 'enrolment';
  user: string;
  password?: string | undefined; // the hash of the password that was proven
  secret?: string | undefined; // the secret of an authenticator that is being set up
}

const lifetimeMs = 10 * 60_000;

export const sealedChallenge = (seal: Seal, challenge: Challenge, now: number): string =>
  seal.close(JSON.stringify({ ...challenge, until: now + lifetimeMs }));

export function openChallenge(seal: Seal, text: string, purpose: Challenge['purpose'], now: number): Challenge {
  const opened = opens(seal, text);
  if (!isObject(opened) || opened.purpose !== purpose || Number(opened.until) <= now)
    throw unauthorized('this took too long. Begin again.');
  return opened as unknown as Challenge;
}

function opens(seal: Seal, text: string): unknown {
  try {
    return JSON.parse(seal.open(text));
  } catch {
    return undefined;
  }
}
