// The API of the activity log: read-only, for the contracts of the caller.
import { iso, timeOf } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Values } from '../base/json.ts';
import { type Caller, demandPrivilege, isAdmin } from '../core/access.ts';
import { activityPage, type Entry, entryOfRow } from '../core/audit/audit-log.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { wholeNumber } from '../surface/core-dialect/query.ts';
import { always, textSchema, timeSchema, wholeSchema } from '../surface/docs/openapi.ts';
import { type Exchange, json, type Parameter, type Reply, type Route, type Service } from '../surface/http/exchange.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';

// The caller as a user of another of their contracts; throws a Fault if it is not theirs.
export type AsMember = (caller: Caller, contract: number) => Promise<Caller>;

export function activityService(store: Store, asMember: AsMember): Service {
  return {
    name: 'activitylog',
    title: 'Activity log',
    description: 'Who did what, when and from where: read-only records of every service, kept for 35 days.',
    prefixes: ['/activitylog/v1'],
    hosts: ['api'],
    takesBasic: true,
    routes: routes(store, asMember),
    statuses,
    renderFault: (fault) => renderPlatformFault(fault, statuses),
  };
}

const statuses = { refused: 400 };
const defaultLimit = 20;
const maxLimit = 10_000;

const date = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
});

function routes(store: Store, asMember: AsMember): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      operation: 'activity_info',
      summary: 'Version information',
      unaudited: true,
      replySchema: always({ href: textSchema, name: textSchema, version: textSchema }),
      call: (x) => json(200, { href: x.base, name: 'CLOUD API', version: '1.0' }),
    },
    {
      method: 'GET',
      path: '/contracts',
      operation: 'activity_contracts',
      summary: 'List the contracts whose log the caller may read',
      replySchema: {
        type: 'array',
        items: always({ id: wholeSchema, type: { const: 'contracts' }, href: textSchema }),
      },
      call: (x) => contracts(x, asMember),
    },
    {
      method: 'GET',
      path: '/contracts/{contractNumber}',
      operation: 'activity_list',
      summary: 'List the entries, newest first',
      auditOnce: 'hour',
      parameters: [
        date('startDate', 'Start, inclusive, YYYY-MM-DD or RFC 3339; dateStart is an alias'),
        date('endDate', 'End, exclusive, YYYY-MM-DD or RFC 3339; dateEnd is an alias'),
        {
          name: 'limit',
          in: 'query',
          description: 'Entries per page; 20 by default',
          schema: { type: 'integer', minimum: 0, maximum: maxLimit },
        },
        { name: 'offset', in: 'query', description: 'Entries to skip', schema: { type: 'integer', minimum: 0 } },
      ],
      replySchema: hitsSchema,
      call: (x) => listed(store, asMember, x),
    },
  ];
}

const entrySchema = always(
  { '@uuid': textSchema, action: textSchema, resource: textSchema, user: textSchema, time: timeSchema },
  {
    meta: { type: 'object' },
    principal: { type: 'object', description: 'Who, and from where' },
    event: { type: 'object', description: 'What, on which resources, and what became of it' },
  },
);
const hitSchema = always({ _id: textSchema, _source: entrySchema });
const hitsSchema = always({ hits: always({ total: wholeSchema, hits: { type: 'array', items: hitSchema } }) });

async function contracts(x: Exchange, asMember: AsMember): Promise<Reply> {
  const readable: object[] = [];
  for (const contract of x.who.contracts) {
    const member = contract === x.who.contract ? x.who : await activeMember(asMember, x.who, contract);
    if (member && mayRead(member))
      readable.push({ id: contract, type: 'contracts', href: `${x.base}/contracts/${contract}` });
  }
  if (readable.length === 0) demandPrivilege(x.who, 'accessActivityLog');
  return json(200, readable);
}

// Undefined: the caller is not active there. Other credentials would not help, so this is not an authentication error.
const activeMember = (asMember: AsMember, caller: Caller, contract: number): Promise<Caller | undefined> =>
  asMember(caller, contract).catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'unauthenticated') return undefined;
    throw error;
  });

const mayRead = (caller: Caller): boolean => isAdmin(caller) || caller.privileges.has('accessActivityLog');

async function listed(store: Store, asMember: AsMember, x: Exchange): Promise<Reply> {
  const contract = x.params[0] ?? '';
  if (!x.who.contracts.map(String).includes(contract))
    throw new Fault('forbidden', `The contract ${contract.slice(0, 20)} is not yours.`);
  const who = Number(contract) === x.who.contract ? x.who : await activeMember(asMember, x.who, Number(contract));
  if (!who) throw new Fault('forbidden', `You are not an active user of the contract ${contract}.`);
  demandPrivilege(who, 'accessActivityLog');
  const from = momentOf(x, 'startDate', 'dateStart') ?? 0;
  const to = momentOf(x, 'endDate', 'dateEnd') ?? Number.POSITIVE_INFINITY;
  const limit = wholeNumber(x, 'limit', defaultLimit, 0, maxLimit);
  const offset = wholeNumber(x, 'offset', 0, 0, Number.MAX_SAFE_INTEGER);
  const page = await activityPage(store, who.contract, { from, to }, offset, limit);
  const hits: object[] = [];
  for (const row of page.rows) hits.push({ _id: uuidOf(row), _source: await shown(store, row) });
  return json(200, { hits: { total: page.total, hits } });
}

function momentOf(x: Exchange, ...names: string[]): number | undefined {
  const name = names.find((one) => x.search.get(one));
  const text = name && x.search.get(name);
  if (!text) return undefined;
  const time = timeOf(text);
  if (Number.isNaN(time))
    throw new Fault('refused', `[(query).${name}] Expected YYYY-MM-DD or an RFC 3339 time, got '${text.slice(0, 40)}'`);
  return time;
}

// The id of an entry: the contract and the entry's number in it, in the form of a UUID.
const uuidOf = (row: Row): string =>
  `${row.contract.toString(16).padStart(8, '0')}-0000-8000-8000-${Number(row.id).toString(16).padStart(12, '0')}`;

async function shown(store: Store, row: Row): Promise<Values> {
  const entry = await entryOfRow(store, row);
  const time = iso(row.time);
  if (!entry) return { '@uuid': uuidOf(row), action: row.kind, resource: '', user: row.owner, time };
  const first = entry.resources[0];
  const event: Values = { type: entry.type, resources: entry.resources, param: paramOf(entry) };
  if (entry.outcome) event.status = entry.outcome.status === 'BUSY' ? 'QUEUED' : entry.outcome.status;
  const message = entry.outcome?.message ?? entry.message;
  if (message) event.message = message;
  if (entry.count !== undefined) event.count = entry.count;
  return {
    '@uuid': uuidOf(row),
    action: first?.action[0] ?? entry.operation,
    resource: first ? `${first.type}/${first.id}` : pathOnly(entry.uri),
    user: entry.user,
    time,
    meta: { auditVersion: 0.1, time, ...(entry.requestId && { requestId: entry.requestId }) },
    principal: {
      sourceIP: entry.address,
      identity: { contractNumber: row.contract, username: entry.user },
      sourceService: 'PUBLIC_REST_V6',
      serviceHost: entry.host,
    },
    event,
  };
}

const pathOnly = (uri: string): string => uri.replace(/^https?:\/\/[^/]+/, '');

function paramOf(entry: Entry): Values {
  const param: Values = {
    action: entry.method,
    uri: pathOnly(entry.uri),
    initiator: entry.userId,
    sourceService: 'PUBLIC_REST_V6',
  };
  if (entry.error) param.error = { httpStatus: entry.error.status, messages: entry.error.messages };
  if (entry.outcome?.status === 'FAILED')
    param.error = { httpStatus: 422, messages: [{ errorCode: '200', message: entry.outcome.message }] };
  return param;
}
