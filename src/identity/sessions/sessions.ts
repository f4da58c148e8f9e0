// The sessions of the console. The secret of a session is a cookie, which is sent once, and a key of the browser
// (cookie.ts); only their SHA-256 is stored. A session gets another cookie with a new password and with 2FA. It
// ends after twelve hours, after an hour without use, with a new password, when 2FA is switched on or reset, and with
// the token or account that it was started by. Its row is read with each call, so that a sign-out takes effect on every
// node.
import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isUuid, randomText } from '../../base/ids.ts';
import type { Seal } from '../../base/seal.ts';
import type { Caller } from '../../core/access.ts';
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { type Account, accountById, accountPassword, userPlace } from '../accounts/accounts.ts';
import { callerOf, firstActive, hasSecondFactor, isActive, verifyToken } from '../authentication/authenticator.ts';
import { type Credentials, unauthorized } from '../authentication/credentials.ts';
import type { LastLogins } from '../authentication/last-login.ts';
import { enrolmentEntries } from '../authentication/login-audit.ts';
import { openChallenge, sealedChallenge } from '../second-factor/challenge.ts';
import { factorOf } from '../second-factor/factor-row.ts';
import type { SecondFactors } from '../second-factor/second-factors.ts';
import { newSecret, uriOf } from '../second-factor/totp.ts';
import type { Signer } from '../tokens/jwt.ts';

export const longestMs = 12 * 3_600_000;
export const idleMs = 3_600_000;
const lastUseMs = 60_000; // precision of the last use
const maxSessions = 20;
const maxAgent = 300; // characters
const maxCached = 5000;

interface Kept {
  startedAt: number;
  usedAt: number;
  password?: string; // hash of the password's hash: a new password ends the session
  token?: { id: string; contract: number; expiresAt: number };
  factor?: string; // the id of the second factor that was proven
  address?: string; // where it was begun from; absent: it is older than this
  agent?: string;
}

export interface Session {
  caller: Caller;
  expiresAt: number; // if it is used again before then
}

export interface Origin {
  address: string;
  agent: string;
  secretOf(cookie: string): string;
}

// The steps after the password.
export type NextStep =
  | { kind: 'code'; challenge: string }
  | { kind: 'enrolment'; challenge: string; secret: string; uri: string };

export interface ListedSession {
  id: string;
  startedAt: number;
  usedAt: number;
  expiresAt: number;
  address: string;
  agent: string;
  by: 'password' | 'token';
  hasSecondFactor: boolean;
  isCurrent: boolean;
}

export interface SessionTools {
  store: Store;
  clock: Clock;
  signer: Signer;
  credentials: Credentials;
  seal: Seal;
  factors: SecondFactors;
  onLogin(caller: Caller, address: string): void;
  logins: Pick<LastLogins, 'note'>;
}

type Basis = Pick<Kept, 'password' | 'token' | 'factor'>;
type Renewed = { secret: string } & Pick<Kept, 'password' | 'factor'>;

// It begins with the user's id, so that a user's sessions are stored together.
export const newCookie = (user: string): string => `${user}.${randomText(32)}`;

const placeAbove = 'sessions/';
const placeOf = (user: string): string => placeAbove + user;
const ended = (): Fault => unauthorized('the session has ended. Sign in again.');
export const passwordPrint = (kept: string): string => hash('sha256', kept).slice(0, 32);
const printOf = (account: Account): string => passwordPrint(accountPassword(account));
// The public id of a session, from which the cookie can't be derived.
const publicId = (row: Row): string => hash('sha256', row.id).slice(0, 32);
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

  // Returns the value of the cookie, or the next step.
  async startByPassword(email: string, password: string, from: Origin): Promise<string | NextStep> {
    const { store, clock, seal, credentials } = this.#tools;
    const account = await credentials.byPassword(email, password, from.address);
    const print = printOf(account);
    const challenge = (secret?: string): string =>
      sealedChallenge(seal, { purpose: 'sign-in', user: account.id, password: print, secret }, clock.real());
    if (await factorOf(store, account.id)) return { kind: 'code', challenge: challenge() };
    if (!(await hasSecondFactor(store, account.id, account.contracts)))
      return this.#begin(account, { password: print }, from);
    // An account that must use 2FA but has set up no authenticator here.
    if (await isActive(store, account))
      throw new Fault('forbidden', 'This account has 2FA: sign in with a bearer token.', { code: 'second-factor' });
    const secret = newSecret();
    return { kind: 'enrolment', challenge: challenge(secret), secret, uri: uriOf(secret, account.email) };
  }

  // The step after the password. Recovery codes are returned with the first code of an authenticator.
  async startByCode(text: string, code: string, from: Origin): Promise<{ value: string; recoveryCodes?: string[] }> {
    const { store, clock, seal, factors } = this.#tools;
    const { user, password = '', secret } = openChallenge(seal, text, 'sign-in', clock.real());
    const account = await accountById(store, user);
    if (!account || printOf(account) !== password)
      throw unauthorized('the account has just been changed. Sign in again.');
    if (secret === undefined) {
      const factor = await factors.prove(account, code, from.address);
      return { value: await this.#begin(account, { password, factor }, from) };
    }
    const { id, recoveryCodes } = await factors.enrol(account, secret, code, from.address, async () => [
      ...(await removeSessions(store, account.id)),
      ...enrolmentEntries(account, from.address, clock.now()),
    ]);
    return { value: await this.#begin(account, { password, factor: id }, from), recoveryCodes };
  }

  async startByToken(token: string, from: Origin): Promise<string> {
    const { store, clock, signer, credentials } = this.#tools;
    const found = await credentials.byProof(from.address, () => verifyToken(store, clock, signer, token));
    const { account, tokenId, home, expiresAt } = found;
    return this.#begin(account, { token: { id: tokenId, contract: home, expiresAt } }, from);
  }

  async #begin(account: Account, basis: Basis, { address, agent, secretOf }: Origin): Promise<string> {
    const { store, clock } = this.#tools;
    const caller = await this.#caller(account.id, basis, undefined);
    const value = newCookie(account.id);
    await store.change(async () => {
      const now = clock.now();
      const current = await accountById(store, account.id);
      if (!current || (basis.password !== undefined && basis.password !== printOf(current)))
        throw unauthorized('the account has just been changed. Sign in again.');
      const kept: Kept = { startedAt: now, usedAt: now, ...basis, address, agent: agent.slice(0, maxAgent) };
      const row = rowOf({
        contract: 0,
        place: placeOf(account.id),
        id: hash('sha256', secretOf(value)),
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

  // Removes expired sessions, and the oldest ones beyond the limit.
  async #surplusOf(user: string, now: number): Promise<Write[]> {
    const rows = await this.#tools.store.children(0, placeOf(user));
    const live = rows.filter((row) => !isOver(keptOf(row), now)).sort((a, b) => b.time - a.time);
    const stay = new Set(live.slice(0, maxSessions - 1));
    return rows.filter((row) => !stay.has(row)).map(removal);
  }

  // The caller of a session, in the requested contract. `isUse`: the call keeps the session alive.
  async use(secret: string, contract: string | undefined, isUse = true): Promise<Session> {
    const { store, clock } = this.#tools;
    const row = await this.#find(secret);
    if (!row) throw ended();
    const kept = keptOf(row);
    const now = clock.now();
    if (isOver(kept, now)) throw ended();
    const key = `${row.id} ${contract ?? ''}`;
    const epoch = store.identityEpoch;
    const hit = this.#known.get(key);
    const caller = hit?.epoch === epoch ? hit.caller : await this.#caller(row.owner, kept, contract);
    if (this.#known.size >= maxCached) this.#known.clear();
    this.#known.set(key, { caller, epoch });
    if (isUse && now - kept.usedAt >= lastUseMs) await this.#note(row, kept, now);
    return { caller, expiresAt: expiryOf(kept) };
  }

  async end(secret: string): Promise<void> {
    const row = await this.#find(secret);
    if (row) await this.#tools.store.must([removal(row)]);
  }

  // The sessions that have not ended, last used first. `secret`: of the calling session.
  async list(user: string, secret: string): Promise<ListedSession[]> {
    const { store, clock } = this.#tools;
    const own = hash('sha256', secret);
    const now = clock.now();
    const sessions = (await store.children(0, placeOf(user))).map((row) => ({ row, kept: keptOf(row) }));
    return sessions
      .filter(({ kept }) => !isOver(kept, now))
      .map(({ row, kept }) => shownSession(row, kept, row.id === own))
      .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent) || b.usedAt - a.usedAt);
  }

  // False: there is no such session.
  async endOne(user: string, id: string): Promise<boolean> {
    const { store } = this.#tools;
    const row = (await store.children(0, placeOf(user))).find((one) => publicId(one) === id);
    if (row) await store.must([removal(row)]);
    return row !== undefined;
  }

  // Writes that end all sessions of a user but the one with this secret. `renewed`: that one gets another secret, so
  // that a stolen copy of its cookie ends too, and stores the new password or factor.
  async writesKeeping(user: string, secret: string, renewed?: Renewed): Promise<Write[]> {
    const { store } = this.#tools;
    const own = hash('sha256', secret);
    const rows = await store.children(0, placeOf(user));
    const row = rows.find(({ id }) => id === own);
    if (!row || !renewed) return rows.filter((one) => one !== row).map(removal);
    const { secret: next, ...news } = renewed;
    const kept = keptOf(row);
    const hidden = JSON.stringify({ ...kept, ...(kept.token ? {} : news) } satisfies Kept);
    const { version: _, ...same } = row;
    return [
      ...rows.map(removal),
      { op: 'insert', table: 'resource', row: rowOf({ ...same, id: hash('sha256', next), hidden }) },
    ];
  }

  // Expired sessions are refused at once; this removes their rows.
  async prune(): Promise<void> {
    const { store, clock } = this.#tools;
    for await (const rows of store.pages({ contract: 0, below: placeAbove })) {
      const over = rows.filter((row) => isOver(keptOf(row), clock.now()));
      if (over.length > 0) await store.must(over.map(removal));
    }
  }

  async #find(secret: string): Promise<Row | undefined> {
    const user = secret.slice(0, secret.indexOf('.'));
    return isUuid(user) ? this.#tools.store.get(0, placeOf(user), hash('sha256', secret)) : undefined;
  }

  // Reads from the state whether the session's password or token is still valid, and the caller's rights.
  async #caller(user: string, { password, token, factor }: Basis, contract: string | undefined): Promise<Caller> {
    const { store } = this.#tools;
    const account = await accountById(store, user);
    if (!account) throw ended();
    if (password !== undefined && password !== printOf(account)) throw ended();
    if (token && !(await store.get(token.contract, `${userPlace}/${user}/tokens`, token.id))) throw ended();
    if (!token && (await hasSecondFactor(store, user, account.contracts))) {
      const current = await factorOf(store, user);
      if (!current || current.id !== factor) throw ended();
    }
    const home = token?.contract ?? (await firstActive(store, account));
    const caller = await callerOf(store, account, contract, home);
    return token ? { ...caller, tokenId: token.id } : caller;
  }

  // Only for the idle limit: a concurrent change of the row wins, and a full disk must not fail a read.
  async #note(row: Row, kept: Kept, now: number): Promise<void> {
    const hidden = JSON.stringify({ ...kept, usedAt: now } satisfies Kept);
    try {
      await this.#tools.store.apply([{ op: 'update', table: 'resource', row: { ...row, hidden } }]);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  }
}

function shownSession(row: Row, kept: Kept, isCurrent: boolean): ListedSession {
  const { startedAt, usedAt, address = '', agent = '', token, factor } = kept;
  const by = token ? 'token' : 'password';
  const expiresAt = Math.min(expiryOf(kept), usedAt + idleMs);
  const hasSecondFactor = factor !== undefined;
  return { id: publicId(row), startedAt, usedAt, expiresAt, address, agent, by, hasSecondFactor, isCurrent };
}

const removal = (row: Row): Write => ({ op: 'remove', table: 'resource', key: row, loose: true });

// Writes that end all sessions of a user, for the write set that changes the password or removes the account.
export const removeSessions = async (store: Pick<Store, 'children'>, user: string): Promise<Write[]> =>
  (await store.children(0, placeOf(user))).map(removal);
