// The account page of the console: a user's own sessions, password and 2FA. The routes are not a public API: each needs
// a session of the console, and answers must not be cached.
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/json.ts';
import type { Seal } from '../../base/seal.ts';
import type { Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import { withAccountEntry } from '../accounts/account-entry.ts';
import { type Account, accountById, accountWrite } from '../accounts/accounts.ts';
import { type Credentials, unauthorized } from '../authentication/credentials.ts';
import { hashPassword, passwordLengths } from '../authentication/password.ts';
import { openChallenge, sealedChallenge } from '../second-factor/challenge.ts';
import { factorOf } from '../second-factor/factor-row.ts';
import { isForced, type SecondFactors } from '../second-factor/second-factors.ts';
import { newSecret, uriOf } from '../second-factor/totp.ts';
import { cookieHeader, secretWith, sessionSecret } from './cookie.ts';
import { type ListedSession, newCookie, passwordPrint, type Sessions } from './sessions.ts';

export interface AccountTools {
  store: Store;
  clock: { now(): number; real(): number };
  seal: Seal;
  credentials: Credentials;
  sessions: Sessions;
  factors: SecondFactors;
}

const bodyLimit = 16 * 1024;
const noStore = ['Cache-Control', 'no-store'];

export function accountRoutes(tools: AccountTools): Route[] {
  const own = { resolve: demandSession, unaudited: true }; // changes have their own entries
  const sends = { ...own, takesBody: true, bodyLimit };
  const route = (
    method: string,
    path: string,
    operation: string,
    summary: string,
    call: (tools: AccountTools, x: Exchange) => Promise<Reply>,
  ): Route => ({
    ...(method === 'GET' || operation.startsWith('session') ? own : sends),
    method,
    path,
    operation,
    summary,
    call: (x) => call(tools, x),
  });
  const factor = '/second-factor';
  return [
    route('GET', '/sessions', 'session_list', 'List your sessions of the console', listSessions),
    route('DELETE', '/sessions', 'session_delete_others', 'End all sessions but this one', endOthers),
    route('DELETE', '/sessions/{sessionId}', 'session_delete_one', 'End one of your sessions', endOne),
    route('PUT', '/password', 'password_change', 'Another password', changePassword),
    route('GET', factor, 'factor_get', 'Read whether 2FA is on', showFactor),
    route('POST', factor, 'factor_begin', 'Set up an authenticator', beginFactor),
    route('PUT', factor, 'factor_confirm', 'Confirm the authenticator with its first code', confirmFactor),
    route('DELETE', factor, 'factor_remove', 'Switch 2FA off', removeFactor),
    route('POST', `${factor}/recovery-codes`, 'factor_recovery_codes', 'Create new recovery codes', renewCodes),
  ];
}

// A token is not enough: these routes are for the person in front of the console.
function demandSession(x: Exchange): void {
  if (x.req.headers.authorization !== undefined || sessionSecret(x) === undefined)
    throw new Fault('forbidden', 'This call requires a session of the console.');
}

const sessionOf = (x: Exchange): string => sessionSecret(x) ?? '';

async function accountOf({ store }: AccountTools, x: Exchange): Promise<Account> {
  const account = await accountById(store, x.who.user);
  if (!account) throw unauthorized('the account does not exist any more.');
  return account;
}

function textsOf<Name extends string>({ body }: Exchange, ...names: Name[]): Record<Name, string> {
  const sent = isObject(body) ? body : {};
  for (const name of names)
    if (typeof sent[name] !== 'string')
      throw new Fault('refused', `[(root).${name}] Expected a string`, { code: '100' });
  return sent as Record<Name, string>;
}

async function listSessions({ sessions }: AccountTools, x: Exchange): Promise<Reply> {
  const found = await sessions.list(x.who.user, sessionOf(x));
  return json(200, { sessions: found.map(shown) }, noStore);
}

const shown = ({ startedAt, usedAt, expiresAt, ...rest }: ListedSession): object => ({
  ...rest,
  startedDate: iso(startedAt),
  usedDate: iso(usedAt),
  expiresDate: iso(expiresAt),
});

async function endOne(tools: AccountTools, x: Exchange): Promise<Reply> {
  const [id = ''] = x.params;
  if (!(await tools.sessions.endOne(x.who.user, id))) throw new Fault('missing', 'The session does not exist.');
  return json(200, {}, noStore);
}

async function endOthers({ store, sessions }: AccountTools, x: Exchange): Promise<Reply> {
  await store.change(async () => ({
    writes: await sessions.writesKeeping(x.who.user, sessionOf(x)),
    value: undefined,
  }));
  return json(200, {}, noStore);
}

// The other sessions end; this one continues with another cookie.
async function changePassword(tools: AccountTools, x: Exchange): Promise<Reply> {
  const { store, clock, credentials, sessions } = tools;
  const { password, newPassword } = textsOf(x, 'password', 'newPassword');
  const { min, max } = passwordLengths;
  if (newPassword.length < min || newPassword.length > max)
    throw new Fault('refused', `[(root).newPassword] A password has ${min} to ${max} characters`, { code: '100' });
  const { email } = await accountOf(tools, x);
  await credentials.byPassword(email, password, x.address).catch(wrongPassword);
  const hashed = await hashPassword(newPassword);
  const cookie = newCookie(x.who.user);
  const renewed = { secret: secretWith(x, cookie), password: passwordPrint(hashed) };
  await store.change(async () => {
    const account = await accountOf(tools, x);
    const kept = await sessions.writesKeeping(account.id, sessionOf(x), renewed);
    const writes = [accountWrite(account, { password: hashed }), ...kept];
    return { writes: withAccountEntry(x, account, writes, clock.now()), value: undefined };
  });
  return json(200, {}, [...noStore, ...cookieHeader(x, cookie)]);
}

// Not 401, which would say that the session has ended.
function wrongPassword(error: unknown): never {
  if (error instanceof Fault && error.kind === 'unauthenticated')
    throw new Fault('refused', '[(root).password] The password is wrong', { code: '100' });
  throw error;
}

function wrongCode(error: unknown): never {
  if (error instanceof Fault && error.kind === 'unauthenticated')
    throw new Fault('refused', '[(root).code] The code is wrong, or was used already', { code: '100' });
  throw error;
}

async function showFactor(tools: AccountTools, x: Exchange): Promise<Reply> {
  const account = await accountOf(tools, x);
  const factor = await factorOf(tools.store, account.id);
  const body = {
    isSetUp: factor !== undefined,
    isForced: await isForced(tools.store, account),
    since: factor ? iso(factor.row.time) : null,
    recoveryCodesLeft: factor?.recovery.length ?? 0,
  };
  return json(200, body, noStore);
}

// Requires the password: otherwise a stolen token or session could lock the user out with another authenticator.
// Nothing is stored before the first code: the challenge contains the secret.
async function beginFactor(tools: AccountTools, x: Exchange): Promise<Reply> {
  const { store, clock, seal, credentials } = tools;
  const { password } = textsOf(x, 'password');
  const account = await accountOf(tools, x);
  await credentials.byPassword(account.email, password, x.address).catch(wrongPassword);
  if (await factorOf(store, account.id)) throw new Fault('conflict', 'This account has 2FA already.');
  const secret = newSecret();
  const challenge = sealedChallenge(seal, { purpose: 'enrolment', user: account.id, secret }, clock.real());
  return json(200, { challenge, secret, uri: uriOf(secret, account.email) }, noStore);
}

async function confirmFactor(tools: AccountTools, x: Exchange): Promise<Reply> {
  const { seal, clock, sessions, factors } = tools;
  const { challenge, code } = textsOf(x, 'challenge', 'code');
  const account = await accountOf(tools, x);
  const { user, secret = '' } = openedOrLate(() => openChallenge(seal, challenge, 'enrolment', clock.real()));
  if (user !== account.id) throw new Fault('forbidden', 'Another user began this setup.');
  const cookie = newCookie(user);
  const more = async (factor: string): Promise<Write[]> => {
    const kept = await sessions.writesKeeping(user, sessionOf(x), { secret: secretWith(x, cookie), factor });
    return withAccountEntry(x, account, kept, clock.now());
  };
  const { recoveryCodes } = await factors.enrol(account, secret, code, x.address, more).catch(wrongCode);
  return json(200, { recoveryCodes }, [...noStore, ...cookieHeader(x, cookie)]);
}

function openedOrLate<T>(open: () => T): T {
  try {
    return open();
  } catch {
    throw new Fault('refused', 'This took too long. Begin again.');
  }
}

async function removeFactor(tools: AccountTools, x: Exchange): Promise<Reply> {
  const { code } = textsOf(x, 'code');
  const account = await accountOf(tools, x);
  const more = (writes: readonly Write[]): Write[] => withAccountEntry(x, account, writes, tools.clock.now());
  await tools.factors.switchOff(account, code, x.address, more).catch(wrongCode);
  return json(200, {}, noStore);
}

async function renewCodes(tools: AccountTools, x: Exchange): Promise<Reply> {
  const { code } = textsOf(x, 'code');
  const account = await accountOf(tools, x);
  const more = (writes: readonly Write[]): Write[] => withAccountEntry(x, account, writes, tools.clock.now());
  const recoveryCodes = await tools.factors.renewCodes(account, code, x.address, more).catch(wrongCode);
  return json(200, { recoveryCodes }, noStore);
}
