// Contracts and users that the operator adds. An account that exists already joins the new contract and keeps its
// password.
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { randomHex, randomText } from '../../base/ids.ts';
import { isPassword, mostContract, passwordRule } from '../../config/setting-values.ts';
import type { Role } from '../../core/access.ts';
import { appendEntry } from '../../core/audit/audit-log.ts';
import {
  accountByEmail,
  accountById,
  addContract,
  addUser,
  listContracts,
  type Person,
  userPlace,
} from '../../identity/accounts/accounts.ts';
import { defaultLimits, type Limits, ownLimits } from '../../identity/accounts/limits.ts';
import { hashPassword } from '../../identity/authentication/password.ts';
import { factorOf } from '../../identity/second-factor/factor-row.ts';
import { removalWrites } from '../../identity/second-factor/second-factors.ts';
import { removeSessions } from '../../identity/sessions/sessions.ts';
import type { Region } from '../../platform.ts';
import type { TestContract } from '../../surface/ports.ts';
import { suggestion } from '../suggestion.ts';
import type { Added, NewUser, Operations, UserSelector } from './operations.ts';
import { generateToken, homeContract, operatorEntry, personOf as operatorsPerson } from './tokens.ts';

export async function addContractAs(region: Region, asked: Operations['contract/add'][0]): Promise<Added> {
  const { store, clock } = region;
  const limits = limitsOf(asked.limits);
  const numbers = (await listContracts(store)).map(({ number }) => number);
  const number = asked.number ?? Math.max(0, ...numbers) + 1;
  if (!Number.isInteger(number) || number < 1 || number > mostContract) {
    throw new Fault('refused', `A contract's number is between 1 and ${mostContract}, not ${number}.`);
  }
  const { person, made, joined } = await personOf(region, asked, 'owner');
  await addContract(store, number, person, limits, clock.now());
  return added(region, number, person, joined, made, 'contract_add');
}

const testPassword = randomText(12);
const testNumbers = { first: 40_000_000, count: 10_000_000 };
let testHash: Promise<string> | undefined; // one for all of them: a hash takes far longer than the rest

// With an owner of its own, whom no other contract has.
export async function addTestContract(region: Region): Promise<TestContract> {
  const email = `owner-${randomText(9).toLowerCase()}@cumulet.test`;
  testHash ??= hashPassword(testPassword);
  const owner: Person = { email, password: testPassword, passwordHash: await testHash, role: 'owner' };
  const contract = testNumbers.first + (Number.parseInt(randomHex(4), 16) % testNumbers.count);
  await addContract(region.store, contract, owner, {}, region.clock.now());
  const { token } = await generateToken(region, { user: email, contract });
  return { contract, email, password: testPassword, token };
}

export async function addUserAs(region: Region, asked: Operations['user/add'][0]): Promise<Added> {
  const { store, clock, config } = region;
  const number = asked.contract ?? homeContract(await listContracts(store), config.identity.contract);
  const { person, made, joined } = await personOf(region, asked, asked.admin ? 'admin' : 'user');
  await addUser(store, number, person, clock.now());
  return added(region, number, person, joined, made, 'user_add');
}

// For whoever has lost the authenticator and the recovery codes. Their sessions end.
export async function resetSecondFactor(region: Region, asked: UserSelector): Promise<{ user: string }> {
  const { store, clock } = region;
  const { user, email } = await operatorsPerson(region, asked);
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

export async function contractsOf({ store }: Region): Promise<Operations['contract/list'][1]> {
  const contracts = [];
  for (const { number, owner, row } of await listContracts(store)) {
    let users = 0;
    for await (const _ of store.each({ contract: number, place: userPlace })) users++;
    contracts.push({ contract: number, owner, users, createdDate: iso(row.time) });
  }
  return { contracts };
}

async function personOf(
  { store }: Region,
  asked: NewUser,
  role: Role,
): Promise<{ person: Person; joined: boolean; made: boolean }> {
  const { email, password, first, last } = asked;
  if (typeof email !== 'string' || !/^[^@\s]+@[^@\s]+$/.test(email) || email.length > 255) {
    throw new Fault('refused', `'${email}' is no e-mail address.`);
  }
  if (password !== undefined && !isPassword(password)) {
    throw new Fault('refused', `A password has ${passwordRule}.`);
  }
  const joined = (await accountByEmail(store, email)) !== undefined;
  if (joined && password !== undefined) {
    throw new Fault('refused', `${email} has an account and a password already: leave the password out to join them.`);
  }
  const names = {
    firstname: first || (email.split('@')[0] ?? email),
    lastname: last || (role === 'owner' ? 'Owner' : 'User'),
  };
  const person = { email, password: password ?? randomText(12), role, ...names };
  return { person, joined, made: password === undefined && !joined };
}

async function added(
  { store, clock }: Region,
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
      throw new Fault('refused', `There is no limit ${name}.${suggestion(name, known)} Known: ${known.join(', ')}.`);
    }
    if (!Number.isSafeInteger(value) || value < 0) throw new Fault('refused', `The limit ${name} is no whole number.`);
  }
  return given;
}
