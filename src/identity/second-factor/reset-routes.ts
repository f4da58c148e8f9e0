// Routes with which administrators see and reset the 2FA of a user who has lost authenticator and recovery codes.
// An account has one second factor for all of its contracts, so only an administrator of each of them may remove it.
// Otherwise the administrator of one contract could open the others to anyone who has the password.
import { Fault } from '../../base/fault.ts';
import { type Caller, demandAdmin } from '../../core/access.ts';
import { missingResource } from '../../core/missing-resource.ts';
import type { Store } from '../../core/store.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import { withAccountEntry } from '../accounts/account-entry.ts';
import { type Account, accountById, userPlace, userRole } from '../accounts/accounts.ts';
import { removeSessions } from '../sessions/sessions.ts';
import { factorOf } from './factor-row.ts';
import { removalWrites } from './second-factors.ts';

interface Tools {
  store: Store;
  clock: { now(): number };
}

const noStore = ['Cache-Control', 'no-store'];

export function resetRoutes(tools: Tools): Route[] {
  const route = { path: '/users/{userId}/second-factor', adminOnly: true };
  return [
    {
      ...route,
      method: 'GET',
      operation: 'factor_get_of_user',
      summary: 'Read whether a user of the contract has an authenticator, and why you may not reset it',
      unaudited: true,
      call: (x) => show(tools, x),
    },
    {
      ...route,
      method: 'DELETE',
      operation: 'factor_reset',
      summary: "Reset a user's 2FA; the user then sets it up again",
      call: (x) => reset(tools, x),
    },
  ];
}

async function show({ store }: Tools, x: Exchange): Promise<Reply> {
  const account = await accountOf(store, x);
  const isSetUp = (await factorOf(store, account.id)) !== undefined;
  const refusal = (await refusalOf(store, x.who, account))?.message ?? null;
  return json(200, { isSetUp, refusal }, noStore);
}

async function reset({ store, clock }: Tools, x: Exchange): Promise<Reply> {
  demandAdmin(x.who);
  await store.change(async () => {
    const account = await accountOf(store, x);
    const refusal = await refusalOf(store, x.who, account);
    if (refusal) throw refusal;
    if (!(await factorOf(store, account.id))) throw new Fault('missing', 'This user has no authenticator set up.');
    const writes = [...(await removalWrites(store, account)), ...(await removeSessions(store, account.id))];
    return { writes: withAccountEntry(x, account, writes, clock.now()), value: undefined };
  });
  return json(200, {}, noStore);
}

async function accountOf(store: Store, { params: [id = ''], who }: Exchange): Promise<Account> {
  const row = await store.get(who.contract, userPlace, id);
  const account = row && (await accountById(store, id));
  if (!account) throw missingResource({ name: 'user' }, id);
  return account;
}

const whoCan = 'They can sign in with a recovery code, or the operator resets their 2FA: cumulet user reset-2fa';

async function refusalOf(store: Store, who: Caller, { id, contracts }: Account): Promise<Fault | undefined> {
  if (id === who.user) return new Fault('refused', 'Switch off your own 2FA with a code, on your account page.');
  for (const contract of contracts) {
    const row = await store.get(contract, userPlace, id);
    if (row && userRole(row) === 'owner')
      return new Fault('forbidden', `You may not reset the 2FA of the owner of a contract. ${whoCan}`);
    if (!(await isAdminOf(store, contract, who.user)))
      return new Fault('forbidden', `This person is also a user of a contract that you do not administer. ${whoCan}`);
  }
  return undefined;
}

async function isAdminOf(store: Store, contract: number, user: string): Promise<boolean> {
  const row = await store.get(contract, userPlace, user);
  return row !== undefined && userRole(row) !== 'user' && (JSON.parse(row.body) as { active: boolean }).active;
}
