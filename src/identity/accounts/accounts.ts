// Contracts and accounts. An account is a person (e-mail, password); a user is that person in one contract, with the
// same id. E-mails are unique in the region. Only the operator's command line adds an account to a further contract.
import { Fault } from '../../base/fault.ts';
import { randomHex, uuid } from '../../base/ids.ts';
import type { Values } from '../../base/json.ts';
import type { Role } from '../../core/access.ts';
import { claimKey } from '../../core/operation/reservations.ts';
import { madeBy } from '../../core/stamps.ts';
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { hashPassword } from '../authentication/password.ts';
import { factorOf, removeFactor } from '../second-factor/factor-row.ts';
import { defaultLimits, type Limits } from './limits.ts';

export const contractPlace = 'um/contracts';
export const userPlace = 'um/users';
export const tokenGuards = 'um/token-guards'; // one claim per user, rewritten by each new token
const accountPlace = 'accounts';

export interface Account {
  id: string;
  email: string;
  contracts: number[]; // the first is the default
  row: Row;
}

export const accountPassword = (account: Account): string =>
  (JSON.parse(account.row.hidden) as { password: string }).password;

export async function accountById(store: Store, id: string): Promise<Account | undefined> {
  const row = await store.get(0, accountPlace, id);
  if (!row) return undefined;
  const { email, contracts } = JSON.parse(row.body) as { email: string; contracts: number[] };
  return { id, email, contracts, row };
}

export const emailClaim = (email: string): string => `email ${email.toLowerCase()}`;

export async function accountByEmail(store: Store, email: string): Promise<Account | undefined> {
  const claimed = await store.claimed(emailClaim(email));
  return claimed && accountById(store, claimed.path);
}

export const newAccountWrites = (
  id: string,
  email: string,
  contracts: number[],
  password: string,
  now: number,
): Write[] => [
  {
    op: 'insert',
    table: 'claim',
    row: rowOf({ ...claimKey(emailClaim(email)), body: JSON.stringify({ contract: 0, path: id }) }),
  },
  {
    op: 'insert',
    table: 'resource',
    row: rowOf({
      contract: 0,
      place: accountPlace,
      id,
      kind: 'account',
      time: now,
      body: JSON.stringify({ email, contracts }),
      hidden: JSON.stringify({ password }),
    }),
  },
];

export function accountWrite(
  account: Account,
  change: { email?: string; contracts?: number[]; password?: string },
): Write {
  const { email = account.email, contracts = account.contracts, password = accountPassword(account) } = change;
  const row = { ...account.row, body: JSON.stringify({ email, contracts }), hidden: JSON.stringify({ password }) };
  return { op: 'update', table: 'resource', row };
}

export const removeAccountWrites = (account: Account): Write[] => [
  { op: 'remove', table: 'claim', key: claimKey(emailClaim(account.email)), loose: true },
  { op: 'remove', table: 'resource', key: account.row, version: account.row.version },
  removeFactor(account.id),
];

export const userRole = (row: Row): Role =>
  row.hidden ? ((JSON.parse(row.hidden) as { role?: Role }).role ?? 'user') : 'user';

export interface Person {
  email: string;
  password: string;
  passwordHash?: string; // of the password, where it is known already
  firstname?: string;
  lastname?: string;
  role: Role;
}

const userValues = (person: Omit<Person, 'password' | 'role'>, administrator: boolean): Values => ({
  firstname: person.firstname ?? 'Cumulet',
  lastname: person.lastname ?? 'Owner',
  email: person.email,
  administrator,
  forceSecAuth: false,
  secAuthActive: false,
  s3CanonicalUserId: randomHex(16),
  active: true,
  password: null,
});

function userWrite(contract: number, id: string, person: Person, secAuthActive: boolean, now: number): Write {
  const row = rowOf({
    contract,
    place: userPlace,
    id,
    kind: 'user',
    state: 'AVAILABLE',
    time: now,
    owner: id,
    meta: madeBy({ email: person.email, user: id }, id),
    body: JSON.stringify({ ...userValues(person, person.role !== 'user'), secAuthActive }),
    hidden: JSON.stringify({ role: person.role }),
  });
  return { op: 'insert', table: 'resource', row };
}

// For the first start and the operator's command line: no privileges are checked.
export async function addContract(
  store: Store,
  number: number,
  owner: Person,
  limits: Partial<Limits>,
  now: number,
): Promise<void> {
  const password = owner.passwordHash ?? (await hashPassword(owner.password));
  await store.change(async () => {
    if (await store.get(0, contractPlace, String(number)))
      throw new Fault('refused', `Contract ${number} exists already.`);
    const joined = await joinWrites(store, number, owner, password, now);
    const row = rowOf({
      contract: 0,
      place: contractPlace,
      id: String(number),
      kind: 'contract',
      time: now,
      owner: joined.id,
      body: JSON.stringify({
        contractNumber: number,
        owner: owner.email,
        status: 'BILLABLE',
        regDomain: 'cumulet.local',
      }),
      hidden: JSON.stringify({ limits: { ...defaultLimits, ...limits } }),
    });
    return { writes: [{ op: 'insert', table: 'resource', row }, ...joined.writes], value: undefined };
  });
}

export async function addUser(store: Store, contract: number, person: Person, now: number): Promise<string> {
  const password = await hashPassword(person.password);
  return store.change(async () => {
    if (!(await store.get(0, contractPlace, String(contract))))
      throw new Fault('missing', `Contract ${contract} does not exist. List them with: contract list`);
    const { writes, id } = await joinWrites(store, contract, person, password, now);
    return { writes, value: id };
  });
}

async function joinWrites(
  store: Store,
  contract: number,
  person: Person,
  password: string,
  now: number,
): Promise<{ writes: Write[]; id: string }> {
  const account = await accountByEmail(store, person.email);
  if (account?.contracts.includes(contract))
    throw new Fault('refused', `${person.email} is already a user of contract ${contract}.`);
  const id = account?.id ?? uuid();
  const writes = account
    ? [accountWrite(account, { contracts: [...account.contracts, contract] })]
    : newAccountWrites(id, person.email, [contract], password, now);
  const secAuthActive = account !== undefined && (await factorOf(store, id)) !== undefined;
  return { writes: [...writes, userWrite(contract, id, person, secAuthActive, now)], id };
}

export async function listContracts(store: Store): Promise<{ number: number; owner: string; row: Row }[]> {
  const contracts = [];
  for await (const row of store.each({ contract: 0, place: contractPlace })) {
    const { contractNumber, owner } = JSON.parse(row.body) as { contractNumber: number; owner: string };
    contracts.push({ number: contractNumber, owner, row });
  }
  return contracts;
}
