// The session routes of the console: sign in, sign out, and who is signed in, which the web app asks first. Without a
// session the answer is { signedIn: false }, not an error. The routes are part of the console's service.
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isObject, type Values } from '../../base/json.ts';
import type { Caller } from '../../core/access.ts';
import type { Store } from '../../core/store.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import { userPlace } from '../accounts/accounts.ts';
import { clearedCookie, cookieHeader, isFromConsole, refuseOtherOrigins, secretWith, sessionSecret } from './cookie.ts';
import type { NextStep, Session, Sessions } from './sessions.ts';

const bodyLimit = 16 * 1024;
const noStore = ['Cache-Control', 'no-store'];

interface Tools {
  sessions: Sessions;
  store: Store;
  now: () => number;
}

export function sessionRoutes(tools: Tools): Route[] {
  const route = { path: '/session', open: true };
  return [
    {
      ...route,
      method: 'GET',
      operation: 'session_get',
      summary: 'Read who is signed in to the console',
      call: (x) => show(tools, x),
    },
    {
      ...route,
      method: 'POST',
      operation: 'session_create',
      summary: 'Sign in to the console with e-mail and password and a 2FA code, or with a token',
      takesBody: true,
      bodyLimit,
      resolve: demandConsole,
      call: (x) => begin(tools, x),
    },
    {
      ...route,
      method: 'DELETE',
      operation: 'session_delete',
      summary: 'Sign out of the console',
      resolve: demandConsole,
      call: (x) => end(tools, x),
    },
  ];
}

// The caller of a request without an Authorization header; undefined if the request is not the console's.
export function sessionCaller(sessions: Sessions, x: Exchange, isUse: boolean): Promise<Caller> | undefined {
  refuseOtherOrigins(x);
  const secret = isFromConsole(x) ? sessionSecret(x) : undefined;
  return secret === undefined ? undefined : sessions.use(secret, contractOf(x), isUse).then(({ caller }) => caller);
}

const contractOf = (x: Exchange): string | undefined => {
  const contract = x.req.headers['x-contract-number'];
  return typeof contract === 'string' ? contract : undefined;
};

function demandConsole(x: Exchange): void {
  if (!isFromConsole(x))
    throw new Fault('forbidden', "Only the console's own pages may call this: another origin sent it, or none at all.");
}

async function begin(tools: Tools, x: Exchange): Promise<Reply> {
  const started = await start(tools.sessions, x);
  if ('kind' in started) return json(200, { signedIn: false, next: started }, noStore);
  const { value, recoveryCodes } = started;
  // One session per browser: the previous one ends.
  const before = sessionSecret(x);
  if (before !== undefined) await tools.sessions.end(before);
  const session = await tools.sessions.use(secretWith(x, value), undefined);
  const body = { ...(await shown(tools, session)), ...(recoveryCodes && { recoveryCodes }) };
  return json(200, body, [...noStore, ...cookieHeader(x, value)]);
}

async function start(sessions: Sessions, x: Exchange): Promise<{ value: string; recoveryCodes?: string[] } | NextStep> {
  const sent = credentialsOf(x);
  const from = {
    address: x.address,
    agent: x.req.headers['user-agent'] ?? '',
    secretOf: (cookie: string) => secretWith(x, cookie),
  };
  if ('challenge' in sent) return sessions.startByCode(sent.challenge, sent.code, from);
  if ('token' in sent) return { value: await sessions.startByToken(sent.token, from) };
  const started = await sessions.startByPassword(sent.email, sent.password, from);
  return typeof started === 'string' ? { value: started } : started;
}

type Sent = { email: string; password: string } | { token: string } | { challenge: string; code: string };

function credentialsOf({ body }: Exchange): Sent {
  const { email, password, token, challenge, code, ...rest } = isObject(body) ? body : {};
  const sent = [email, password, token, challenge, code].filter((one) => one !== undefined).length;
  if (Object.keys(rest).length === 0) {
    if (sent === 1 && typeof token === 'string') return { token: token.trim() };
    if (sent === 2 && typeof email === 'string' && typeof password === 'string')
      return { email: email.trim(), password };
    if (sent === 2 && typeof challenge === 'string' && typeof code === 'string') return { challenge, code };
  }
  const ways = '{"email": …, "password": …}, {"challenge": …, "code": …} or {"token": …}';
  throw new Fault('refused', `[(root)] Expected ${ways}, each a string`);
}

async function show(tools: Tools, x: Exchange): Promise<Reply> {
  const secret = isFromConsole(x) ? sessionSecret(x) : undefined;
  if (secret === undefined) return json(200, { signedIn: false }, noStore);
  try {
    return json(200, await shown(tools, await tools.sessions.use(secret, contractOf(x))), noStore);
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'unauthenticated') throw error;
    // The cookie stays: another tab may have got a new one since this request was sent.
    return json(200, { signedIn: false }, noStore);
  }
}

async function end({ sessions }: Tools, x: Exchange): Promise<Reply> {
  const secret = sessionSecret(x);
  if (secret !== undefined) await sessions.end(secret);
  return json(200, { signedIn: false }, [...noStore, ...clearedCookie(x)]);
}

async function shown({ store, now }: Tools, { caller, expiresAt }: Session): Promise<Values> {
  const row = await store.get(caller.contract, userPlace, caller.user);
  const { firstname = '', lastname = '' } = JSON.parse(row?.body ?? '{}') as Record<string, string>;
  return {
    signedIn: true,
    user: { id: caller.user, email: caller.email, firstname, lastname },
    role: caller.role,
    privileges: [...caller.privileges],
    contract: caller.contract,
    contracts: [...caller.contracts],
    tokenId: caller.tokenId ?? null,
    expiresDate: iso(expiresAt),
    now: iso(now()),
  };
}
