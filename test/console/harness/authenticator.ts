// An authenticator app for tests. It returns each code of a secret once.
import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import type { Owner } from '../../harness/region.ts';
import type { Visitor } from './calls.ts';

const periodMs = 30_000;

export class Authenticator {
  readonly #totp: TOTP;
  #last = 0;

  constructor(secret: string) {
    this.#totp = new TOTP({ secret: Secret.fromBase32(secret) });
  }

  // Two codes are valid at once: those of this step and of the next one.
  next(): string {
    const now = Math.floor(Date.now() / periodMs);
    this.#last = Math.max(this.#last + 1, now);
    assert.ok(this.#last <= now + 1, 'a third code would have to wait for the next step');
    return this.#totp.generate({ timestamp: this.#last * periodMs });
  }

  // A code from years ago, which is never valid.
  wrong(): string {
    return this.#totp.generate({ timestamp: 0 });
  }
}

export interface SetUp {
  app: Authenticator;
  secret: string;
  recoveryCodes: string[];
}

export async function setUp(visitor: Visitor, { password }: Owner): Promise<SetUp> {
  const path = '/console/second-factor';
  const begun = await visitor.call<{ challenge: string; secret: string }>('POST', path, { password });
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  const { challenge, secret } = begun.body;
  const app = new Authenticator(secret);
  const done = await visitor.call<{ recoveryCodes: string[] }>('PUT', path, { challenge, code: app.next() });
  assert.equal(done.status, 200, JSON.stringify(done.body));
  return { app, secret, recoveryCodes: done.body.recoveryCodes };
}
