// Tokens that the operator creates, lists and deletes for any user. The audit log of the user's contract shows it.

import type { Clock } from '../../base/clock.ts';
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import type { Caller } from '../../core/access.ts';
import { appendEntry, type Entry } from '../../core/audit/audit-log.ts';
import type { Row, Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { ChosenTokens, NewToken, OperatorAccounts, UserSelector } from '../../surface/operator.ts';
import { accountByEmail, accountById, listContracts, userPlace } from '../accounts/accounts.ts';
import { callerOf, verifyToken } from '../authentication/authenticator.ts';
import type { TokenTools } from '../tokens/token.ts';
import { expiryOf, lifetimeOf, makeToken, tokensOf } from '../tokens/token.ts';

export interface OperatorTools {
  store: Store;
  clock: Clock;
  tokens: TokenTools;
  firstContract: number; // that the settings name
}

type Answer<Name extends keyof OperatorAccounts> = ReturnType<OperatorAccounts[Name]>;

const dayMs = 86_400_000;
const keptTtlS = 30 * 86_400;

export async function generateToken(
  region: OperatorTools,
  request: UserSelector & { ttlS?: number; copies?: boolean },
): Promise<NewToken> {
  const ttlS = lifetimeOf(request.ttlS === undefined ? undefined : String(request.ttlS));
  return make(region, await personOf(region, request), ttlS, request.copies);
}

// Returns the given token if it is the owner's and valid for more than a day, else a new one.
export async function keepToken(
  region: OperatorTools,
  request: { token?: string },
): Promise<NewToken & { kept: boolean }> {
  const { store, clock, tokens } = region;
  const owner = await personOf(region, {});
  if (typeof request.token === 'string') {
    const token = request.token;
    const good = await verifyToken(store, clock, tokens.signer, token).catch(() => undefined);
    const same = good?.account.id === owner.user && good.home === owner.contract;
    if (good && same && good.expiresAt - clock.now() > dayMs) {
      return { ...shownOf(owner, good.tokenId, good.expiresAt), token, kept: true };
    }
  }
  return { ...(await make(region, owner, keptTtlS)), kept: false };
}

export async function listTokens(region: OperatorTools, request: UserSelector): Answer<'listTokens'> {
  const person = await personOf(region, request);
  const rows = await tokensOf(region.store, person);
  const now = region.clock.now();
  return {
    user: person.email,
    contract: person.contract,
    tokens: rows.map((row) => {
      const { createdDate, expirationDate } = JSON.parse(row.body) as { createdDate: string; expirationDate: string };
      return { id: row.id, createdDate, expirationDate, expired: expiryOf(row) <= now };
    }),
  };
}

export async function deleteTokens(
  region: OperatorTools,
  request: UserSelector & ChosenTokens,
): Answer<'deleteTokens'> {
  const rows = 'id' in request ? [await tokenById(region, request.id, request)] : await chosen(region, request);
  const now = region.clock.now();
  for (const contract of new Set(rows.map((row) => row.contract))) {
    const ours = rows.filter((row) => row.contract === contract);
    const writes = ours.map((row): Write => ({ op: 'remove', table: 'resource', key: row, loose: true }));
    const ids = ours.map(({ id }) => id);
    const entry = operatorEntry('DeleteToken', 'token_delete', 'token', ids, 'sec.token.delete');
    await region.store.must([...writes, appendEntry(contract, entry, now)]);
  }
  return { deleted: rows.map(({ id }) => id) };
}

async function make(region: OperatorTools, person: Caller, ttlS: number, copies = false): Promise<NewToken> {
  const { store, clock, tokens } = region;
  return store.change(async () => {
    const made = await makeToken(tokens, person, ttlS, copies);
    const entry = operatorEntry('GenerateToken', 'token_generate', 'token', [made.id], 'sec.token.generate');
    const writes = [...made.writes, appendEntry(person.contract, entry, clock.now())];
    const expiresAt = (Math.floor(clock.now() / 1000) + ttlS) * 1000;
    return { writes, value: { ...shownOf(person, made.id, expiresAt), token: made.token } };
  });
}

const shownOf = ({ email, contract }: Caller, id: string, expiresAt: number): Omit<NewToken, 'token'> => ({
  id,
  user: email,
  contract,
  expirationDate: iso(expiresAt),
});

// Without an e-mail, the owner of the contract; without a contract, the person's first one, or the region's.
export async function personOf(
  { store, firstContract }: OperatorTools,
  { user, contract }: UserSelector,
): Promise<Caller> {
  const contracts = await listContracts(store);
  const account = user === undefined ? undefined : await accountByEmail(store, String(user));
  if (user !== undefined && !account) throw new Fault('missing', `User ${user} does not exist. Add one with: user add`);
  const number = contract ?? account?.contracts[0] ?? homeContract(contracts, firstContract);
  const found = contracts.find((one) => one.number === number);
  if (!found) {
    const known = contracts.slice(0, 10).map((one) => one.number);
    throw new Fault('missing', `Contract ${number} does not exist. Known contracts: ${known.join(', ')}.`);
  }
  const person = account ?? (await accountById(store, found.row.owner));
  if (!person) throw new Fault('missing', `The owner of contract ${number} does not exist any more. Pass --user.`);
  if (!person.contracts.includes(number))
    throw new Fault('refused', `${person.email} is not a user of contract ${number}.`);
  return callerOf(store, person, String(number), undefined);
}

// The contract that the settings name, if it exists (they apply only to the first start); otherwise the oldest.
export function homeContract(contracts: readonly { number: number; row: Row }[], named: number): number {
  const oldest = contracts.toSorted((a, b) => a.row.time - b.row.time)[0]?.number;
  return contracts.some(({ number }) => number === named) ? named : (oldest ?? named);
}

async function chosen(
  region: OperatorTools,
  request: UserSelector & ({ expired: true } | { all: true }),
): Promise<Row[]> {
  const rows = await tokensOf(region.store, await personOf(region, request));
  return 'all' in request ? rows : rows.filter((row) => expiryOf(row) <= region.clock.now());
}

async function tokenById({ store }: OperatorTools, id: string, userSelector: UserSelector): Promise<Row> {
  if (!isUuid(id)) throw new Fault('refused', `'${id}' is not a valid token id. Token ids are UUIDs; see token list.`);
  for (const { number } of await listContracts(store)) {
    if (userSelector.contract !== undefined && userSelector.contract !== number) continue;
    for await (const user of store.each({ contract: number, place: userPlace })) {
      const row = await store.get(number, `${userPlace}/${user.id}/tokens`, id);
      if (row) return row;
    }
  }
  throw new Fault('missing', `Token ${id} does not exist.`);
}

// The operator has no user account: the audit log names the role.
export const operatorEntry = (type: string, operation: string, kind: string, ids: string[], action: string): Entry => ({
  type,
  user: 'operator',
  userId: '',
  address: 'local',
  host: '',
  service: 'operator',
  method: 'CLI',
  uri: `cumulet ${operation.replace('_', ' ')}`,
  operation,
  resources: ids.map((id) => ({ id, type: kind, action: [action] })),
});
