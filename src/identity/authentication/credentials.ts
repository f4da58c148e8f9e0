// Checks passwords and other proofs of identity. Failed attempts are throttled before anything is hashed, with the same
// buckets for Basic credentials and for the console's sign-in: per address; per account and address, so that a stranger
// can't lock an account for its owner; and, with a wider limit, per account, so that many addresses don't get an
// attempt each. An attempt counts before it is tried, or a thousand sent at once would all be tried.
import { createHmac } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { randomHex } from '../../base/ids.ts';
import type { Store } from '../../core/store.ts';
import { Throttle } from '../../surface/http/throttle.ts';
import { type Account, accountByEmail, accountPassword } from '../accounts/accounts.ts';
import { checkPassword } from './password.ts';

export interface Credentials {
  byPassword(email: string, password: string, address: string): Promise<Account>;
  // For proofs other than passwords: a failure counts against this address.
  byProof<T>(address: string, proof: () => Promise<T>): Promise<T>;
  // For the codes of an account's second factor, which are short: few tries are allowed, from all addresses together.
  byCode<T>(account: string, address: string, proof: () => Promise<T>): Promise<T>;
}

export const unauthorized = (why: string): Fault => new Fault('unauthenticated', `Unauthorized: ${why}`);

// `onWrong` is called for a wrong password of an account that exists.
export function createCredentials(
  store: Store,
  clock: Clock,
  onWrong: (account: Account, address: string) => void,
): Credentials {
  const byAddress = new Attempts(new Throttle(60, 30, clock.real));
  const byBoth = new Attempts(new Throttle(20, 10, clock.real));
  const byAccount = new Attempts(new Throttle(60, 50, clock.real));
  const codes = new Attempts(new Throttle(1, 10, clock.real));
  const secret = randomHex(32);
  const pendingChecks = new Map<string, Promise<Account>>();

  async function proven(email: string, password: string, address: string): Promise<Account> {
    const found = await accountByEmail(store, email);
    if ((await checkPassword(password, found && accountPassword(found))) && found) return found;
    if (found) onWrong(found, address);
    throw unauthorized('wrong e-mail or password.');
  }

  return {
    // Concurrent calls with the same credentials share one check (single flight).
    byPassword(email, password, address) {
      const key = createHmac('sha256', secret).update(`${address}\0${email}\0${password}`).digest('base64');
      const same = pendingChecks.get(key);
      if (same) return same;
      const account = email.toLowerCase();
      const made = byAddress
        .attempt(address, () =>
          byBoth.attempt(`${address} ${account}`, () =>
            byAccount.attempt(account, () => proven(email, password, address)),
          ),
        )
        .finally(() => pendingChecks.delete(key));
      pendingChecks.set(key, made);
      return made;
    },
    byProof: (address, proof) => byAddress.attempt(address, proof),
    byCode: (account, address, proof) => byAddress.attempt(address, () => codes.attempt(account, proof)),
  };
}

const pauseMs = 10_000;

// The last attempt of a bucket pauses it for as long as the refusal says. Otherwise attempts that the bucket regains
// while earlier ones are hashed, which takes seconds on a busy machine, would be tried at once.
class Attempts {
  #throttle: Throttle;
  #paused = new Map<string, NodeJS.Timeout>();

  constructor(throttle: Throttle) {
    this.#throttle = throttle;
  }

  // A proof that succeeds, or that could not be tried, costs nothing.
  async attempt<T>(key: string, proof: () => Promise<T>): Promise<T> {
    const left = this.#paused.has(key) ? -1 : this.#throttle.take(key);
    if (left < 0)
      throw new Fault('throttled', 'Too many failed log-ins. Wait before you try again.', {
        retryAfterS: Math.max(pauseMs / 1000, -left),
      });
    if (this.#throttle.left(key) < 1)
      this.#paused.set(key, setTimeout(() => this.#paused.delete(key), pauseMs).unref());
    try {
      const proven = await proof();
      this.#giveBack(key);
      return proven;
    } catch (error) {
      if (!(error instanceof Fault && error.kind === 'unauthenticated')) this.#giveBack(key);
      throw error;
    }
  }

  #giveBack(key: string): void {
    this.#throttle.giveBack(key);
    clearTimeout(this.#paused.get(key));
    this.#paused.delete(key);
  }
}
