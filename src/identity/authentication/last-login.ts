// When each user last logged in. This changes far more often than the user, so it has a separate row: writing it
// neither changes the user's version nor moves the identity epoch. It is buffered in memory and written within a
// second, at most once a minute per user; a crash may lose the last second.
import { type Clock, iso } from '../../base/clock.ts';
import type { Values } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { Caller } from '../../core/access.ts';
import { type Key, type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { userPlace } from '../accounts/accounts.ts';

// Not below the user's path, where every write moves the identity epoch.
const place = 'logins';
const intervalMs = 60_000;
const maxCached = 20_000;

interface Seen {
  contract: number;
  user: string;
  time: number;
}

export class LastLogins {
  #store: Store;
  #clock: Clock;
  #log: Log;
  #known = new Map<string, number>(); // when each was recorded last
  #unwritten = new Map<string, Seen>();
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  note({ contract, user }: Pick<Caller, 'contract' | 'user'>): void {
    const key = `${contract} ${user}`;
    const time = this.#clock.now();
    if (time - (this.#known.get(key) ?? Number.NEGATIVE_INFINITY) < intervalMs) return;
    if (this.#known.size >= maxCached) this.#known.clear();
    this.#known.set(key, time);
    this.#unwritten.set(key, { contract, user, time });
  }

  flush(): Promise<void> {
    if (this.#unwritten.size === 0) return this.#writing;
    const seen = [...this.#unwritten];
    this.#unwritten.clear();
    this.#writing = this.#writing.then(() => this.#writeAll(seen));
    return this.#writing;
  }

  // In parallel: the store syncs them together.
  async #writeAll(seen: [string, Seen][]): Promise<void> {
    await Promise.all(
      seen.map(async ([key, one]) => {
        try {
          if (await this.#write(one)) return;
        } catch (error) {
          this.#log.warn('log-in not recorded', { error });
        }
        if (!this.#unwritten.has(key)) this.#unwritten.set(key, one); // retried with the next flush
      }),
    );
  }

  // False: the user was changed in the meantime. Nothing may be written for a deleted user.
  async #write({ contract, user, time }: Seen): Promise<boolean> {
    const row = await this.#store.get(contract, userPlace, user);
    if (!row || row.state === 'DELETING') return true;
    const before = await this.#store.get(contract, place, user);
    const body = JSON.stringify({ lastLogin: iso(time) });
    const next = { ...(before ?? rowOf(loginKey(contract, user))), time, body };
    const { ok } = await this.#store.apply([
      { op: 'guard', table: 'resource', key: { contract, place: userPlace, id: user }, version: row.version },
      { op: before ? 'update' : 'insert', table: 'resource', row: next },
    ]);
    return ok;
  }
}

const loginKey = (contract: number, user: string): Key => ({ contract, place, id: user });

export const removeLastLogin = (contract: number, user: string): Write => ({
  op: 'remove',
  table: 'resource',
  key: loginKey(contract, user),
  loose: true,
});

export async function lastLoginOf(user: Row, store: Store): Promise<Values> {
  const row = await store.get(user.contract, place, user.id);
  return row ? (JSON.parse(row.body) as { lastLogin: string }) : { lastLogin: null };
}
