// Proves that somebody is who they say. Guessing is slowed down per address and per account before anything is
// hashed, and by the same buckets at every door: Basic credentials and the sign-in of the console. Guesses that are
// under way count too, or a thousand sent at once would all be tried.
import { createHmac } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { randomHex } from '../base/ids.ts';
import type { Store } from '../core/store.ts';
import { Throttle } from '../surface/http/throttle.ts';
import { type Account, accountByEmail, accountPassword } from './accounts.ts';
import { checkPassword } from './password.ts';

export interface Credentials {
  byPassword(email: string, password: string, address: string): Promise<Account>;
  // For what is no password: a proof that fails counts as a guess of this address.
  byProof<T>(address: string, proof: () => Promise<T>): Promise<T>;
}

export const unauthorized = (why: string): Fault => new Fault('unauthenticated', `Unauthorized: ${why}`);

// `onWrong` is told of a guess at an account that there is.
export function createCredentials(
  store: Store,
  clock: Clock,
  onWrong: (account: Account, address: string) => void,
): Credentials {
  const byAddress = new Guesses(new Throttle(60, 30, clock.real));
  const byAccount = new Guesses(new Throttle(20, 10, clock.real));
  const secret = randomHex(32);
  const underWay = new Map<string, Promise<Account>>();

  async function proven(email: string, password: string, address: string): Promise<Account> {
    const found = await accountByEmail(store, email);
    if ((await checkPassword(password, found && accountPassword(found))) && found) return found;
    if (found) onWrong(found, address);
    throw unauthorized('wrong e-mail or password.');
  }

  return {
    // A client that starts with fifty calls at once makes one guess, not fifty.
    byPassword(email, password, address) {
      const key = createHmac('sha256', secret).update(`${address}\0${email}\0${password}`).digest('base64');
      const same = underWay.get(key);
      if (same) return same;
      const account = email.toLowerCase();
      const made = byAddress
        .guess(address, () => byAccount.guess(account, () => proven(email, password, address)))
        .finally(() => underWay.delete(key));
      underWay.set(key, made);
      return made;
    },
    byProof: (address, proof) => byAddress.guess(address, proof),
  };
}

class Guesses {
  #throttle: Throttle;
  #pending = new Map<string, number>();

  constructor(throttle: Throttle) {
    this.#throttle = throttle;
  }

  // What proves true costs nothing.
  async guess<T>(key: string, proof: () => Promise<T>): Promise<T> {
    const pending = this.#pending.get(key) ?? 0;
    if (this.#throttle.left(key) - pending < 1)
      throw new Fault('throttled', 'Too many failed log-ins. Wait before you try again.', { retryAfterS: 10 });
    this.#pending.set(key, pending + 1);
    try {
      return await proof();
    } catch (error) {
      if (error instanceof Fault && error.kind === 'unauthenticated') this.#throttle.take(key);
      throw error;
    } finally {
      const left = (this.#pending.get(key) ?? 1) - 1;
      if (left > 0) this.#pending.set(key, left);
      else this.#pending.delete(key);
    }
  }
}
