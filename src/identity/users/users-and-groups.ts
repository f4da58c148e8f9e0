// Users and groups of a contract, which its owner and administrators manage. The password is kept as a hash with the
// account, not with the user; both are written in one write set. Groups give their members privileges, and shares of
// resources that others created. Both are in one file because each lists the other.
import { Fault } from '../../base/fault.ts';
import { randomHex } from '../../base/ids.ts';
import { privileges } from '../../core/access.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { takenId } from '../../core/operation/draft.ts';
import { claimKey, linkWrites } from '../../core/operation/reservations.ts';
import { type DecisionContext, type Draft, pathOf, type Resource, resource } from '../../core/resource.ts';
import { flag, type Properties, report, text } from '../../core/schema.ts';
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Reader } from '../../core/tree.ts';
import {
  accountByEmail,
  accountById,
  accountWrite,
  emailClaim,
  newAccountWrites,
  removeAccountWrites,
  tokenGuards,
  userRole,
} from '../accounts/accounts.ts';
import { lastLoginOf, removeLastLogin } from '../authentication/last-login.ts';
import { hashPassword, passwordLengths } from '../authentication/password.ts';
import { factorOf } from '../second-factor/factor-row.ts';
import { removeSessions } from '../sessions/sessions.ts';
import { asOwned, findShareable, owned, ownedBy } from './shareable.ts';

export const user: Resource = resource({
  name: 'user',
  plural: 'users',
  root: 'um/',
  rights: { create: 'none', adminOnly: true },
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  shown: { metadata: 'stateless', columns: ['email', 'firstname', 'lastname', 'active'] },
  actions: 'sec.user',
  lifecycle: { pace: 0 },
  properties: {
    firstname: text({ title: 'First name', required: true, min: 1, max: 255, example: 'Jean' }),
    lastname: text({ title: 'Last name', required: true, min: 1, max: 255, example: 'Bartik' }),
    email: text({
      title: 'E-mail',
      required: true,
      max: 255,
      pattern: /^[^@\s]+@[^@\s]+$/,
      says: 'Expected an e-mail address.',
      example: 'jean@example.com',
    }),
    administrator: flag({ default: false, description: 'May manage everything of the contract' }),
    forceSecAuth: flag({
      title: 'Must use 2FA',
      default: false,
      description: 'Basic credentials do not work then',
    }),
    secAuthActive: flag({
      title: '2FA is on',
      inForms: 'change',
      default: false,
      description:
        'Basic credentials do not work then. It stays so while the user has an authenticator set up in the ' +
        'console',
    }),
    s3CanonicalUserId: text({ serverFilled: true }),
    active: flag({ default: true, description: 'May sign in' }),
    password: text({
      writeOnly: true,
      needed: true,
      ...passwordLengths,
      description: 'Needed on creation; kept as a salted hash',
      example: 'Change-Me-1815',
    }),
  },
  sample: { properties: (_, unique) => ({ email: `${unique}@example.com` }) },
  entities: [
    { name: 'owns', of: () => owned, members: (row, store, all) => ownedBy(store, all, row.contract, row.id) },
    { name: 'groups', of: () => group, members: (row, store) => groupsOf(row, store) },
  ],
  noted: { read: lastLoginOf },
  async decide(draft, context) {
    if (draft.way === 'create') return createUser(draft, context);
    if (draft.way === 'remove') return removeUser(draft, context);
    return changeUser(draft, context);
  },
});

export const groupsOf = (row: Row, store: Reader): Promise<Row[]> =>
  store.linkedRows(row.contract, pathOf(row), '<', 'member');

async function createUser(draft: Draft, context: DecisionContext): Promise<void> {
  const password = draft.sealed.password;
  const email = String(draft.values.email);
  if (typeof password !== 'string') refuse(draft, 'password', 'Attribute is required');
  if (draft.caller.copies && (await accountById(context.store, draft.id))) throw takenId(draft);
  if (await accountByEmail(context.store, email)) refuse(draft, 'email', 'This e-mail address is in use already');
  const hashed = await hashPassword(String(password));
  draft.owner = draft.id;
  draft.values.s3CanonicalUserId = randomHex(16);
  draft.hidden.role = draft.values.administrator === true ? 'admin' : 'user';
  draft.extraWrites.push(...newAccountWrites(draft.id, email, [draft.contract], hashed, context.now()));
}

async function changeUser(draft: Draft, context: DecisionContext): Promise<void> {
  const account = await accountById(context.store, draft.id);
  if (!account || !draft.before) throw missingResource({ name: 'user' }, draft.id);
  const isOwner = userRole(draft.before) === 'owner';
  if (isOwner && draft.caller.role !== 'owner') throw new Fault('forbidden', 'Only the owner may change the owner.');
  for (const name of ['active', 'administrator'])
    if (isOwner && draft.values[name] === false)
      refuse(draft, name, 'The owner of the contract stays active and an administrator');
  if (!isOwner) draft.hidden.role = draft.values.administrator === true ? 'admin' : 'user';
  if (await factorOf(context.store, draft.id)) draft.values.secAuthActive = true;
  const email = String(draft.values.email);
  const password = draft.sealed.password;
  const moved = email.toLowerCase() !== account.email.toLowerCase();
  if (account.contracts.length > 1 && draft.caller.user !== draft.id)
    demandOwnContract(draft, moved || password !== undefined);
  if (moved) {
    if (await accountByEmail(context.store, email)) refuse(draft, 'email', 'This e-mail address is in use already');
    const row = rowOf({ ...claimKey(emailClaim(email)), body: JSON.stringify({ contract: 0, path: draft.id }) });
    draft.extraWrites.push({ op: 'insert', table: 'claim', row });
    draft.extraWrites.push({ op: 'remove', table: 'claim', key: claimKey(emailClaim(account.email)), loose: true });
  }
  const hashed = typeof password === 'string' ? await hashPassword(password) : undefined;
  if (moved || email !== account.email || hashed)
    draft.extraWrites.push(accountWrite(account, { email, ...(hashed && { password: hashed }) }));
  if (hashed) draft.extraWrites.push(...(await removeSessions(context.store, draft.id)));
}

// The administrator of one contract must not change an account that other contracts use too. Nor say that it has 2FA,
// which without an authenticator would keep the person from signing in by password anywhere; enforcing it is harmless.
function demandOwnContract({ values, previous }: Draft, isAccountChanged: boolean): void {
  const says = (text: string): Fault =>
    new Fault('forbidden', `This person is a user of other contracts too: only they may ${text}.`);
  if (isAccountChanged) throw says('change e-mail and password');
  if (values.secAuthActive === true && previous.secAuthActive !== true) throw says('switch 2FA on');
}

// Memberships, tokens and keys go with the user; the account and its sessions too, unless it is in another contract.
async function removeUser(draft: Draft, context: DecisionContext): Promise<void> {
  const { before, contract } = draft;
  if (!before) return;
  if (userRole(before) === 'owner')
    throw new Fault('refused', 'The owner of the contract can not be deleted.', { code: '200' });
  const path = pathOf(before);
  for (const other of await context.store.linked(contract, path, '<', 'member'))
    draft.extraWrites.push(...linkWrites(contract, other, ['member', path], 'remove'));
  for await (const row of context.store.each({ contract, place: `${path}/tokens` }))
    draft.extraWrites.push({ op: 'remove', table: 'resource', key: row, loose: true } satisfies Write);
  const guard = { contract, place: tokenGuards, id: draft.id };
  draft.extraWrites.push(
    { op: 'remove', table: 'claim', key: guard, loose: true },
    removeLastLogin(contract, draft.id),
  );
  const account = await accountById(context.store, draft.id);
  if (!account) return;
  const contracts = account.contracts.filter((one) => one !== contract);
  if (contracts.length > 0) draft.extraWrites.push(accountWrite(account, { contracts }));
  else draft.extraWrites.push(...removeAccountWrites(account), ...(await removeSessions(context.store, draft.id)));
}

function refuse(draft: Draft, property: string, message: string): never {
  const problems: { code?: string; message: string }[] = [];
  report(problems, `${draft.at}.${property}`, message, '100');
  throw new Fault('refused', message, { problems });
}

const flags: Properties = Object.fromEntries(privileges.map((name) => [name, flag({ default: false })]));

export const group: Resource = resource({
  name: 'group',
  plural: 'groups',
  relations: [
    { name: 'users', by: 'add' },
    { name: 'shares', by: 'share' },
  ],
  root: 'um/',
  rights: { create: 'none', adminOnly: true },
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  shown: { metadata: 'none', paged: false, columns: ['name'] },
  actions: 'sec.group',
  lifecycle: { pace: 0 },
  properties: { name: text({ required: true, min: 1, max: 255, example: 'operators' }), ...flags },
  sample: { change: { name: 'changed' } },
  entities: [
    { name: 'users', of: () => user, members: (row, store) => membersOf(row, store) },
    { name: 'resources', of: () => owned, members: sharedRows },
  ],
  async decide(draft, context) {
    if (draft.way !== 'remove' || !draft.before) return;
    const path = pathOf(draft.before);
    for (const member of await context.store.linked(draft.contract, path, '>', 'member'))
      draft.extraWrites.push(...linkWrites(draft.contract, path, ['member', member], 'remove'));
  },
});

export const membersOf = (row: Row, store: Reader): Promise<Row[]> =>
  store.linkedRows(row.contract, pathOf(row), '>', 'member');

export async function sharesOf(row: Row, store: Reader): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const one of store.each({ contract: row.contract, place: `${pathOf(row)}/shares` })) rows.push(one);
  return rows;
}

export async function sharedRows(row: Row, store: Reader, all: readonly Resource[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const one of await sharesOf(row, store)) {
    const found = await findShareable(store, all, row.contract, one.id);
    if (found) rows.push(asOwned(found));
  }
  return rows;
}
