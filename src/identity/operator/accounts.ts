// Contracts and users that the operator adds. An existing account joins the new contract and keeps its password.
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { randomHex, randomText } from '../../base/ids.ts';
import { suggestion } from '../../command/suggestion.ts';
import { isPassword, mostContract, passwordRule } from '../../config/setting-values.ts';
import type { Role } from '../../core/access.ts';
import { appendEntry } from '../../core/audit/audit-log.ts';
import type { Added, ContractView, NewUser, OperatorAccounts, UserSelector } from '../../surface/operator.ts';
import type { TestContract } from '../../surface/ports.ts';
import {
  accountByEmail,
  accountById,
  addContract,
  addUser,
  listContracts,
  type Person,
  userPlace,
} from '../accounts/accounts.ts';
import { defaultLimits, type Limits, ownLimits } from '../accounts/limits.ts';
import { hashPassword } from '../authentication/password.ts';
import { factorOf } from '../second-factor/factor-row.ts';
import { removalWrites } from '../second-factor/second-factors.ts';
import { removeSessions } from '../sessions/sessions.ts';
import {
  deleteTokens,
  generateToken,
  homeContract,
  keepToken,
  listTokens,
  type OperatorTools,
  operatorEntry,
  personOf as operatorsPerson,
} from './tokens.ts';

export const operatorAccountsOf = (tools: OperatorTools): OperatorAccounts => ({
  home: async () => homeContract(await listContracts(tools.store), tools.firstContract),
  contracts: () => contractsOf(tools),
  count: async () => (await listContracts(tools.store)).length,
  addContract: (request) => addContractAs(tools, request),
  addTestContract: () => addTestContract(tools),
  addUser: (request) => addUserAs(tools, request),
  resetSecondFactor: (request) => resetSecondFactor(tools, request),
  generateToken: (request) => generateToken(tools, request),
  keepToken: (request) => keepToken(tools, request),
  listTokens: (request) => listTokens(tools, request),
  deleteTokens: (request) => deleteTokens(tools, request),
});

async function addContractAs(
  region: OperatorTools,
  request: NewUser & { number?: number; limits: Record<string, number> },
): Promise<Added> {
  const { store, clock } = region;
  const limits = limitsOf(request.limits);
  const numbers = (await listContracts(store)).map(({ number }) => number);
  const number = request.number ?? Math.max(0, ...numbers) + 1;
  if (!Number.isInteger(number) || number < 1 || number > mostContract) {
    throw new Fault('refused', `A contract's number is between 1 and ${mostContract}, not ${number}.`);
  }
  const { person, made, joined } = await personOf(region, request, 'owner');
  await addContract(store, number, person, limits, clock.now());
  return added(region, number, person, joined, made, 'contract_add');
}

const testPassword = randomText(12);
const testNumbers = { first: 40_000_000, count: 10_000_000 };
let testHash: Promise<string> | undefined; // of all test contracts: a hash takes far longer than the rest

// Creates a contract with a new owner who has no other contract.
async function addTestContract(region: OperatorTools): Promise<TestContract> {
  const email = `owner-${randomText(9).toLowerCase()}@cumulet.test`;
  testHash ??= hashPassword(testPassword);
  const owner: Person = { email, password: testPassword, passwordHash: await testHash, role: 'owner' };
  const contract = testNumbers.first + (Number.parseInt(randomHex(4), 16) % testNumbers.count);
  await addContract(region.store, contract, owner, {}, region.clock.now());
  const { token } = await generateToken(region, { user: email, contract });
  return { contract, email, password: testPassword, token };
}

async function addUserAs(
  region: OperatorTools,
  request: NewUser & { contract?: number; admin: boolean },
): Promise<Added> {
  const { store, clock, firstContract } = region;
  const number = request.contract ?? homeContract(await listContracts(store), firstContract);
  const { person, made, joined } = await personOf(region, request, request.admin ? 'admin' : 'user');
  await addUser(store, number, person, clock.now());
  return added(region, number, person, joined, made, 'user_add');
}

// For users who have lost their authenticator and recovery codes. Their sessions end.
async function resetSecondFactor(region: OperatorTools, request: UserSelector): Promise<{ user: string }> {
  const { store, clock } = region;
  const { user, email } = await operatorsPerson(region, request);
  await store.change(async () => {
    const account = await accountById(store, user);
    if (!account || !(await factorOf(store, user))) throw new Fault('missing', `${email} has no authenticator set up.`);
    const entry = operatorEntry('Provision', 'user_reset-2fa', 'user', [user], 'sec.user.update');
    const writes = [...(await removalWrites(store, account)), ...(await removeSessions(store, user))];
    const entries = account.contracts.map((contract) => appendEntry(contract, entry, clock.now()));
    return { writes: [...writes, ...entries], value: undefined };
  });
  return { user: email };
}

async function contractsOf({ store }: OperatorTools): Promise<ContractView[]> {
  const contracts: ContractView[] = [];
  for (const { number, owner, row } of await listContracts(store)) {
    let users = 0;
    for await (const _ of store.each({ contract: number, place: userPlace })) users++;
    contracts.push({ contract: number, owner, users, createdDate: iso(row.time) });
  }
  return contracts;
}

async function personOf(
  { store }: OperatorTools,
  request: NewUser,
  role: Role,
): Promise<{ person: Person; joined: boolean; made: boolean }> {
  const { email, password, first, last } = request;
  if (typeof email !== 'string' || !/^[^@\s]+@[^@\s]+$/.test(email) || email.length > 255) {
    throw new Fault('refused', `'${email}' is not a valid e-mail address.`);
  }
  if (password !== undefined && !isPassword(password)) {
    throw new Fault('refused', `A password has ${passwordRule}.`);
  }
  const joined = (await accountByEmail(store, email)) !== undefined;
  if (joined && password !== undefined) {
    throw new Fault(
      'refused',
      `${email} already has an account and a password. Omit the password to add the existing account.`,
    );
  }
  const names = {
    firstname: first || (email.split('@')[0] ?? email),
    lastname: last || (role === 'owner' ? 'Owner' : 'User'),
  };
  const person = { email, password: password ?? randomText(12), role, ...names };
  return { person, joined, made: password === undefined && !joined };
}

async function added(
  { store, clock }: OperatorTools,
  contract: number,
  { email, password }: Person,
  joined: boolean,
  made: boolean,
  operation: string,
): Promise<Added> {
  const id = (await accountByEmail(store, email))?.id ?? '';
  const entry = operatorEntry('Provision', operation, 'user', [id], 'sec.user.create');
  await store.must([appendEntry(contract, entry, clock.now())]);
  return { contract, email, id, joined, ...(made && { password }) };
}

function limitsOf(given: Record<string, number>): Partial<Limits> {
  const known = Object.keys({ ...defaultLimits, ...ownLimits });
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name)) {
      throw new Fault('refused', `Limit ${name} does not exist.${suggestion(name, known)} Known: ${known.join(', ')}.`);
    }
    if (!Number.isSafeInteger(value) || value < 0)
      throw new Fault('refused', `The value of limit ${name} must be a whole number.`);
  }
  return given;
}
