// Who is signed in to the console. A session's secret leaves once, as a cookie, and only its SHA-256 is kept. It ends
// with what it stands on: twelve hours, an hour unused, another password, a 2FA that was switched on, the token that
// it was begun with, or the account itself. It is read anew with each call, so that a sign-out holds on every node.
import { hash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { isUuid, randomText } from '../base/ids.ts';
import type { Caller } from '../core/access.ts';
import { type Row, rowOf, type Write } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { type Account, accountById, accountPassword, userPlace } from './accounts.ts';
import { callerOf, hasSecondFactor, verifyToken } from './authenticator.ts';
import { type Credentials, unauthorized } from './credentials.ts';
import type { Signer } from './jwt.ts';
import type { Logins } from './logins.ts';

export const longestMs = 12 * 3_600_000;
export const idleMs = 3_600_000;
const noteMs = 60_000; // how exactly the last use is kept
const mostSessions = 20;
const mostKnown = 5000;

interface Kept {
  startedAt: number;
  usedAt: number;
  password?: string; // what the password's hash hashes to: another password, another person
  token?: { id: string; contract: number; expiresAt: number };
}

export interface Session {
  caller: Caller;
  expiresAt: number; // where it is used until then
}

export interface SessionTools {
  store: Store;
  clock: Clock;
  signer: Signer;
  credentials: Credentials;
  onLogin(caller: Caller, address: string): void;
  logins: Pick<Logins, 'note'>;
}

type Basis = Pick<Kept, 'password' | 'token'>;

const placeAbove = 'sessions/';
const placeOf = (user: string): string => placeAbove + user;
const ended = (): Fault => unauthorized('the session has ended. Sign in again.');
const printOf = (account: Account): string => hash('sha256', accountPassword(account)).slice(0, 32);
const keptOf = (row: Row): Kept => JSON.parse(row.hidden) as Kept;
const expiryOf = ({ startedAt, token }: Kept): number =>
  Math.min(startedAt + longestMs, token?.expiresAt ?? Number.POSITIVE_INFINITY);
const isOver = (kept: Kept, now: number): boolean => now >= expiryOf(kept) || now >= kept.usedAt + idleMs;

export class Sessions {
  #tools: SessionTools;
  #known = new Map<string, { caller: Caller; epoch: number }>();

  constructor(tools: SessionTools) {
    this.#tools = tools;
  }

  // Gives the cookie's value.
  async beginByPassword(email: string, password: string, address: string): Promise<string> {
    const { store, credentials } = this.#tools;
    const account = await credentials.byPassword(email, password, address);
    if (await hasSecondFactor(store, account.id, account.contracts))
      throw new Fault('forbidden', 'This account has 2FA: sign in with a bearer token.', { code: 'second-factor' });
    return this.#begin(account, { password: printOf(account) }, address);
  }

  async beginByToken(token: string, address: string): Promise<string> {
    const { store, clock, signer, credentials } = this.#tools;
    const found = await credentials.byProof(address, () => verifyToken(store, clock, signer, token));
    const { account, tokenId, home, expiresAt } = found;
    return this.#begin(account, { token: { id: tokenId, contract: home, expiresAt } }, address);
  }

  async #begin(account: Account, basis: Basis, address: string): Promise<string> {
    const { store, clock } = this.#tools;
    const caller = await this.#caller(account.id, basis, undefined);
    const value = `${account.id}.${randomText(32)}`;
    await store.change(async () => {
      const now = clock.now();
      const current = await accountById(store, account.id);
      if (!current || (basis.password !== undefined && basis.password !== printOf(current)))
        throw unauthorized('the account has just been changed. Sign in again.');
      const kept: Kept = { startedAt: now, usedAt: now, ...basis };
      const row = rowOf({
        contract: 0,
        place: placeOf(account.id),
        id: hash('sha256', value),
        kind: 'session',
        time: now,
        owner: account.id,
        hidden: JSON.stringify(kept),
      });
      const writes: Write[] = [
        { op: 'guard', table: 'resource', key: current.row, version: current.row.version },
        ...(await this.#surplusOf(account.id, now)),
        { op: 'insert', table: 'resource', row },
      ];
      return { writes, value: undefined };
    });
    this.#tools.onLogin(caller, address);
    this.#tools.logins.note(caller);
    return value;
  }

  // What is over goes, and the oldest where there would be too many.
  async #surplusOf(user: string, now: number): Promise<Write[]> {
    const rows = await this.#tools.store.children(0, placeOf(user));
    const live = rows.filter((row) => !isOver(keptOf(row), now)).sort((a, b) => b.time - a.time);
    const stay = new Set(live.slice(0, mostSessions - 1));
    return rows.filter((row) => !stay.has(row)).map(removal);
  }

  // Who the cookie's value stands for, in the contract they ask for.
  async use(value: string, contract: string | undefined): Promise<Session> {
    const { store, clock } = this.#tools;
    const row = await this.#find(value);
    if (!row) throw ended();
    const kept = keptOf(row);
    const now = clock.now();
    if (isOver(kept, now)) throw ended();
    const key = `${row.id} ${contract ?? ''}`;
    const epoch = store.identityEpoch;
    const hit = this.#known.get(key);
    const caller = hit?.epoch === epoch ? hit.caller : await this.#caller(row.owner, kept, contract);
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.set(key, { caller, epoch });
    if (now - kept.usedAt >= noteMs) await this.#note(row, kept, now);
    return { caller, expiresAt: expiryOf(kept) };
  }

  async end(value: string): Promise<void> {
    const row = await this.#find(value);
    if (row) await this.#tools.store.must([removal(row)]);
  }

  // What is over is refused at once; its rows go now and then.
  async prune(): Promise<void> {
    const { store, clock } = this.#tools;
    for await (const rows of store.pages({ contract: 0, below: placeAbove })) {
      const over = rows.filter((row) => isOver(keptOf(row), clock.now()));
      if (over.length > 0) await store.must(over.map(removal));
    }
  }

  async #find(value: string): Promise<Row | undefined> {
    const user = value.slice(0, value.indexOf('.'));
    return isUuid(user) ? this.#tools.store.get(0, placeOf(user), hash('sha256', value)) : undefined;
  }

  // Rights come from state, and so does whether the session's ground still holds.
  async #caller(user: string, { password, token }: Basis, contract: string | undefined): Promise<Caller> {
    const { store } = this.#tools;
    const account = await accountById(store, user);
    if (!account) throw ended();
    if (password !== undefined && password !== printOf(account)) throw ended();
    if (token && !(await store.get(token.contract, `${userPlace}/${user}/tokens`, token.id))) throw ended();
    if (!token && (await hasSecondFactor(store, user, account.contracts))) throw ended();
    const caller = await callerOf(store, account, contract, token?.contract);
    return token ? { ...caller, tokenId: token.id } : caller;
  }

  // Only for the hour of idleness: whoever changes the row meanwhile is right, and a full disk stops no reading.
  async #note(row: Row, kept: Kept, now: number): Promise<void> {
    const hidden = JSON.stringify({ ...kept, usedAt: now } satisfies Kept);
    try {
      await this.#tools.store.apply([{ op: 'update', table: 'resource', row: { ...row, hidden } }]);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  }
}

const removal = (row: Row): Write => ({ op: 'remove', table: 'resource', key: row, loose: true });

// For the write set that changes a password or removes a person.
export const endedSessions = async (store: Pick<Store, 'children'>, user: string): Promise<Write[]> =>
  (await store.children(0, placeOf(user))).map(removal);
