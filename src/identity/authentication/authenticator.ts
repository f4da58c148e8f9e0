// Authenticates callers by Bearer tokens and Basic credentials. Verified callers are cached until the identity epoch
// moves, which every change of users, groups, members, passwords or tokens does.
import { createHmac, hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { randomHex } from '../../base/ids.ts';
import type { Values } from '../../base/json.ts';
import { type Caller, type Privilege, privileges, type Share } from '../../core/access.ts';
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Authenticator } from '../../surface/http/authentication.ts';
import { type Account, accountById, userPlace, userRole } from '../accounts/accounts.ts';
import { factorOf } from '../second-factor/factor-row.ts';
import type { Signer } from '../tokens/jwt.ts';
import { type Credentials, createCredentials, unauthorized } from './credentials.ts';
import type { LastLogins } from './last-login.ts';

interface CachedCaller {
  caller: Caller;
  expiresAt: number;
  epoch: number;
}

const basicMs = 5 * 60_000;
const maxCached = 20_000;

export function createAuthenticator(options: {
  store: Store;
  clock: Clock;
  signer: Signer;
  onLogin(caller: Caller, address: string): void;
  onWrongPassword(account: Account, address: string): void;
  logins: Pick<LastLogins, 'note'>;
}): Authenticator & { credentials: Credentials } {
  const { store, clock, signer } = options;
  const known = new Map<string, CachedCaller>();
  const secret = randomHex(32);
  const credentials = createCredentials(store, clock, options.onWrongPassword);

  const remember = (key: string, caller: Caller, expiresAt: number, epoch: number): Caller => {
    if (known.size >= maxCached) known.clear();
    known.set(key, { caller, expiresAt, epoch });
    return caller;
  };

  const isValid = ({ epoch, expiresAt }: CachedCaller): boolean =>
    epoch === store.identityEpoch && expiresAt > clock.now();

  async function bearer(token: string, contract: string | undefined, key: string): Promise<Caller> {
    const epoch = store.identityEpoch;
    const { account, tokenId, expiresAt, home, copies } = await verifyToken(store, clock, signer, token);
    const caller = await callerOf(store, account, contract, home);
    return remember(key, { ...caller, tokenId, ...(copies && { copies }) }, expiresAt, epoch);
  }

  async function basic(encoded: string, contract: string | undefined, address: string): Promise<Caller> {
    const text = Buffer.from(encoded, 'base64').toString('utf8');
    const cut = text.indexOf(':');
    if (cut < 0) throw unauthorized('the Basic credentials are malformed.');
    const [email, password] = [text.slice(0, cut), text.slice(cut + 1)];
    const key = createHmac('sha256', secret)
      .update(`${contract ?? ''}\0${text}`)
      .digest('base64');
    const hit = known.get(key);
    if (hit && hit.epoch === store.identityEpoch && hit.expiresAt > clock.real()) {
      options.logins.note(hit.caller);
      return hit.caller;
    }
    const epoch = store.identityEpoch;
    const account = await credentials.byPassword(email, password, address);
    const caller = await callerOf(store, account, contract, undefined);
    // In any contract: a token that is created with the password in one of them is valid in all.
    if (await hasSecondFactor(store, account.id, account.contracts))
      throw unauthorized('this account has 2FA and must use a bearer token.');
    options.onLogin(caller, address);
    options.logins.note(caller);
    return remember(key, caller, clock.real() + basicMs, epoch);
  }

  return {
    credentials,
    authenticate(authorization, contract, address, takesBasic) {
      if (/^bearer /i.test(authorization)) {
        // By the token alone: otherwise a client could fill the cache with one token after ever more blanks.
        const token = authorization.slice(7).trim();
        const key = contract === undefined ? token : `${contract} ${token}`;
        const hit = known.get(key);
        return hit && isValid(hit) ? hit.caller : bearer(token, contract, key);
      }
      if (/^basic /i.test(authorization)) {
        if (!takesBasic) throw unauthorized('this service takes bearer tokens only.');
        return basic(authorization.slice(6), contract, address);
      }
      throw unauthorized('the Authorization header must be Bearer or Basic.');
    },
  };
}

export async function verifyToken(
  store: Store,
  clock: Clock,
  signer: Signer,
  token: string,
): Promise<{ account: Account; tokenId: string; expiresAt: number; home: number; copies: boolean }> {
  const verified = signer.verify(token);
  if (!verified) throw unauthorized('the token is not valid.');
  const { id, claims } = verified;
  const { uuid, contractNumber } = claims.identity;
  const row = await store.get(contractNumber, `${userPlace}/${uuid}/tokens`, id);
  const kept = row && (JSON.parse(row.hidden) as { sha256: string; copies?: boolean });
  if (!kept || kept.sha256 !== hash('sha256', token)) throw unauthorized('the token was deleted.');
  const expiresAt = claims.exp * 1000;
  if (expiresAt <= clock.now()) throw unauthorized('the token has expired.');
  const account = await accountById(store, uuid);
  if (!account) throw unauthorized('the account does not exist any more.');
  return { account, tokenId: id, expiresAt, home: contractNumber, copies: kept.copies === true };
}

// The caller in the requested contract. Rights come from the state, never from the token.
export async function callerOf(
  store: Store,
  account: Account,
  requested: string | undefined,
  home: number | undefined,
): Promise<Caller> {
  const contract =
    requested === undefined || requested === '' ? (home ?? account.contracts[0] ?? 0) : Number(requested);
  if (!account.contracts.includes(contract))
    throw new Fault('forbidden', `The contract ${requested ?? contract} is not yours.`);
  const row = await store.get(contract, userPlace, account.id);
  if (!row) throw unauthorized('the user does not exist any more.');
  if ((JSON.parse(row.body) as { active: boolean }).active === false) throw unauthorized('the user is not active.');
  const rights = await rightsOf(store, row);
  return { contracts: account.contracts, user: account.id, email: account.email, contract, ...rights };
}

// The contract that a session begins in: the first in which the user is active. The administrator who deactivates them
// in one contract must not keep them out of the others.
export async function firstActive(store: Store, { id, contracts }: Account): Promise<number | undefined> {
  for (const contract of contracts) {
    const row = await store.get(contract, userPlace, id);
    if (row && (JSON.parse(row.body) as { active: boolean }).active) return contract;
  }
  return undefined;
}

// The rights of a user: all of them for the owner and administrators, else those of their groups.
export async function rightsOf(store: Store, user: Row): Promise<Pick<Caller, 'role' | 'privileges' | 'shares'>> {
  const { contract } = user;
  const granted = new Set<Privilege>();
  const shares = new Map<string, Share>();
  for (const group of await store.linked(contract, pathOf(user), '<', 'member'))
    await addGroup(store, contract, group, granted, shares);
  const role = userRole(user);
  return { role, privileges: role === 'user' ? granted : new Set(privileges), shares };
}

// The same user as a caller in another of their contracts.
export async function memberOf(store: Store, user: string, contract: number): Promise<Caller> {
  const account = await accountById(store, user);
  if (!account) throw unauthorized('the account does not exist any more.');
  return callerOf(store, account, String(contract), undefined);
}

async function addGroup(
  store: Store,
  contract: number,
  group: string,
  granted: Set<Privilege>,
  shares: Map<string, Share>,
): Promise<void> {
  const row = await store.at(contract, group);
  if (!row) return;
  const flags = JSON.parse(row.body) as Record<string, unknown>;
  for (const privilege of privileges) if (flags[privilege] === true) granted.add(privilege);
  for await (const share of store.each({ contract, place: `${group}/shares` })) {
    const { editPrivilege, sharePrivilege } = JSON.parse(share.body) as {
      editPrivilege: boolean;
      sharePrivilege: boolean;
    };
    const old = shares.get(share.id);
    shares.set(share.id, { edit: editPrivilege || old?.edit === true, share: sharePrivilege || old?.share === true });
  }
}

// True if any of these contracts demands 2FA: it holds for the account as a whole.
export async function hasSecondFactor(store: Store, user: string, contracts: readonly number[]): Promise<boolean> {
  if (await factorOf(store, user)) return true;
  return says(
    store,
    user,
    contracts,
    ({ secAuthActive, forceSecAuth }) => secAuthActive === true || forceSecAuth === true,
  );
}

export const isActive = (store: Store, { id, contracts }: Account): Promise<boolean> =>
  says(store, id, contracts, ({ secAuthActive }) => secAuthActive === true);

async function says(
  store: Store,
  user: string,
  contracts: readonly number[],
  isSo: (values: Values) => boolean,
): Promise<boolean> {
  for (const contract of contracts) {
    const row = await store.get(contract, userPlace, user);
    if (row && isSo(JSON.parse(row.body) as Values)) return true;
  }
  return false;
}
