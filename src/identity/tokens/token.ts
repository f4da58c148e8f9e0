// The token service: generate, list, get, delete. A token is shown once; only its SHA-256 is stored.
import { hash } from 'node:crypto';
import { type Clock, iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isUuid, uuid } from '../../base/ids.ts';
import { type Caller, type Privilege, privileges, type Role } from '../../core/access.ts';
import { type Row, rowOf, type Write, type WriteSet } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { applyChange, withEntry } from '../../surface/change.ts';
import { always, textSchema, timeSchema } from '../../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route, type Service } from '../../surface/http/exchange.ts';
import { renderPlatformFault } from '../../surface/http/payload.ts';
import { tokenGuards, userPlace } from '../accounts/accounts.ts';
import type { LastLogins } from '../authentication/last-login.ts';
import type { Signer } from './jwt.ts';

export const lifetimes: readonly [name: string, seconds: number][] = [
  ['1 Hour', 3600],
  ['4 Hours', 14_400],
  ['1 Day', 86_400],
  ['7 Days', 604_800],
  ['30 Days', 2_592_000],
  ['60 Days', 5_184_000],
  ['90 Days', 7_776_000],
  ['180 Days', 15_552_000],
  ['365 Days', 31_536_000],
];
const yearS = 31_536_000;
export const mostTokens = 100;
const retentionMs = 35 * 86_400_000;

export interface TokenTools {
  store: Store;
  clock: Clock;
  signer: Signer;
  logins: Pick<LastLogins, 'note'>;
}

type Owner = Pick<Caller, 'user' | 'contract' | 'role' | 'privileges'>;
interface NewToken {
  id: string;
  token: string;
  writes: Write[];
}

export function lifetimeOf(text: string | null | undefined): number {
  if (text === null || text === undefined || text === '') return yearS;
  const found = lifetimes.find(([, seconds]) => String(seconds) === text);
  if (found) return found[1];
  const known = lifetimes.map(([name, seconds]) => `${seconds} (${name})`).join(', ');
  throw new Fault(
    'refused',
    `[(query).ttl] '${text.slice(0, 40)}' is not a valid lifetime of a token. Valid values in seconds: ${known}`,
  );
}

// The writes that create a token. The guard row makes one of two concurrent ones fail if both would be the hundredth.
// `copies`: see `Caller`.
export async function makeToken(
  { store, clock, signer }: TokenTools,
  owner: Owner,
  ttlS: number,
  copies = false,
): Promise<NewToken> {
  const now = clock.now();
  const place = placeOf(owner);
  const rows = await tokensOf(store, owner);
  if (rows.filter((row) => expiryOf(row) > now).length >= mostTokens)
    throw new Fault('refused', `This user has ${mostTokens} tokens, which is the maximum. Delete one first.`);
  const guard = await store.get(owner.contract, tokenGuards, owner.user, 'claim');
  const user = await store.get(owner.contract, userPlace, owner.user);
  if (!user || user.state === 'DELETING') throw new Fault('unauthenticated', 'The user does not exist any more.');
  const id = uuid();
  const iat = Math.floor(now / 1000);
  const exp = iat + ttlS;
  const identity = {
    uuid: owner.user,
    contractNumber: owner.contract,
    role: owner.role,
    privileges: privilegeNames(owner),
  };
  const token = signer.sign(id, { iss: 'cumulet', iat, exp, identity });
  const body = JSON.stringify({ createdDate: iso(iat * 1000), expirationDate: iso(exp * 1000) });
  const hidden = JSON.stringify({ sha256: hash('sha256', token), ...(copies && { copies }) });
  const row = rowOf({ contract: owner.contract, place, id, kind: 'token', time: now, owner: owner.user, body, hidden });
  const guardRow = guard ?? rowOf({ contract: owner.contract, place: tokenGuards, id: owner.user });
  const old = rows.filter((one) => expiryOf(one) < now - retentionMs);
  const writes: Write[] = [
    { op: 'guard', table: 'resource', key: user, version: user.version },
    { op: guard ? 'update' : 'insert', table: 'claim', row: guardRow },
    { op: 'insert', table: 'resource', row },
    ...old.map((one): Write => ({ op: 'remove', table: 'resource', key: one, loose: true })),
  ];
  return { id, token, writes };
}

export function tokenService(tools: TokenTools): Service {
  return {
    name: 'auth',
    title: 'Tokens',
    description: 'Creates and manages the bearer tokens that work on every host of the platform.',
    prefixes: ['/auth/v1'],
    hosts: ['api'],
    restApiPage: 'authentication',
    takesBasic: true,
    routes: routes(tools),
    renderFault: (fault) => renderPlatformFault(fault),
  };
}

function routes(tools: TokenTools): Route[] {
  const token = always({ id: textSchema, href: textSchema, createdDate: timeSchema, expirationDate: timeSchema });
  const success = { type: 'object', required: ['success'], properties: { success: { const: true } } };
  return [
    {
      method: 'GET',
      path: '/tokens/generate',
      operation: 'token_generate',
      summary: 'Create a token; its value is shown only once',
      unaudited: true,
      parameters: [
        {
          name: 'ttl',
          in: 'query',
          description: 'Lifetime in seconds, one of nine',
          schema: { type: 'integer', enum: lifetimes.map(([, s]) => s) },
        },
      ],
      replySchema: { type: 'object', required: ['token'], properties: { token: { type: 'string' } } },
      call: (x) => generate(tools, x),
    },
    {
      method: 'GET',
      path: '/tokens',
      operation: 'token_list',
      summary: 'List your tokens, without their values',
      replySchema: { type: 'object', required: ['tokens'], properties: { tokens: { type: 'array', items: token } } },
      call: async (x) => json(200, { tokens: (await tokensOf(tools.store, x.who)).map((row) => shown(x, row)) }),
    },
    {
      method: 'GET',
      path: '/tokens/{tokenId}',
      operation: 'token_get',
      summary: 'Read one of your tokens, without its value',
      replySchema: token,
      call: async (x) => json(200, shown(x, await found(tools.store, x))),
    },
    {
      method: 'DELETE',
      path: '/tokens/{tokenId}',
      operation: 'token_delete',
      summary: 'Delete a token; it stops working at once',
      replySchema: success,
      resolve: async (x) => void (await found(tools.store, x)),
      call: async (x) => remove(tools, x, [await found(tools.store, x)]),
    },
    {
      method: 'DELETE',
      path: '/tokens',
      operation: 'token_deleteByCriteria',
      summary: 'Delete expired tokens, the current one, or all',
      parameters: [
        {
          name: 'criteria',
          in: 'query',
          description: 'Which',
          schema: { enum: ['EXPIRED', 'CURRENT', 'ALL'] },
          required: true,
        },
      ],
      replySchema: success,
      call: async (x) => remove(tools, x, await chosen(tools, x)),
    },
  ];
}

async function generate(tools: TokenTools, x: Exchange): Promise<Reply> {
  const ttlS = lifetimeOf(x.search.get('ttl'));
  let token = '';
  await applyChange(
    tools.store,
    async () => {
      const made = await makeToken(tools, x.who, ttlS);
      token = made.token;
      const targets = [{ kind: 'token', path: `tokens/${made.id}`, action: 'sec.token.generate' }];
      return withEntry(x, { writes: made.writes, targets, type: 'GenerateToken' }, tools.clock.now());
    },
    `token ${x.who.user}`,
  );
  tools.logins.note(x.who);
  return json(200, { token }, ['Cache-Control', 'no-store']);
}

async function remove({ store, clock }: TokenTools, x: Exchange, rows: Row[]): Promise<Reply> {
  const writes: WriteSet = rows.map((row) => ({ op: 'remove', table: 'resource', key: row, loose: true }));
  const targets = rows.map((row) => ({ kind: 'token', path: `tokens/${row.id}`, action: 'sec.token.delete' }));
  await applyChange(store, () => withEntry(x, { writes, targets, type: 'DeleteToken' }, clock.now()));
  return json(200, { success: true });
}

async function chosen({ store, clock }: TokenTools, x: Exchange): Promise<Row[]> {
  const criteria = x.search.get('criteria') ?? '';
  const rows = await tokensOf(store, x.who);
  switch (criteria) {
    case 'ALL':
      return rows;
    case 'EXPIRED':
      return rows.filter((row) => expiryOf(row) <= clock.now());
    case 'CURRENT':
      if (!x.who.tokenId) throw new Fault('refused', '[(query).criteria] CURRENT needs a call with a bearer token');
      return rows.filter((row) => row.id === x.who.tokenId);
    default: {
      const got = criteria === '' ? '' : `, got '${criteria.slice(0, 40)}'`;
      throw new Fault('refused', `[(query).criteria] Expected one of [EXPIRED, CURRENT, ALL]${got}`);
    }
  }
}

async function found(store: Store, x: Exchange): Promise<Row> {
  const [id = ''] = x.params;
  const row = isUuid(id) ? await store.get(x.who.contract, placeOf(x.who), id) : undefined;
  if (!row) throw new Fault('missing', 'Token does not exist');
  return row;
}

const placeOf = (owner: Pick<Caller, 'user'>): string => `${userPlace}/${owner.user}/tokens`;

export async function tokensOf(store: Store, owner: Pick<Caller, 'user' | 'contract'>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of store.each({ contract: owner.contract, place: placeOf(owner) })) rows.push(row);
  return rows;
}

const shown = (x: Exchange, row: Row): object => ({
  id: row.id,
  href: `${x.base}/tokens/${row.id}`,
  ...(JSON.parse(row.body) as object),
});

export const expiryOf = (row: Row): number =>
  Date.parse((JSON.parse(row.body) as { expirationDate: string }).expirationDate);

// The same rights in the spelling that tokens carry: CREATE_DATA_CENTER for createDataCenter.
function privilegeNames(owner: { role: Role; privileges: ReadonlySet<Privilege> }): string[] {
  return privileges
    .filter((one) => owner.role !== 'user' || owner.privileges.has(one))
    .map((one) =>
      one === 's3Privilege'
        ? 'ACCESS_S3_OBJECT_STORAGE'
        : one.replace(/DBaaS/, 'Dbaas').replace(/[A-Z]/g, '_$&').toUpperCase(),
    );
}
