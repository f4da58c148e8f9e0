// The activity log's own API: read-only, of the caller's own contract, by Basic or Bearer.
import { iso } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Values } from '../base/json.ts';
import { demandPrivilege } from '../core/access.ts';
import { activityPage, type Entry, entryOfRow } from '../core/activity.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { type Exchange, json, type Parameter, type Reply, type Route, type Service } from '../surface/exchange.ts';
import { drawPlatform } from '../surface/payload.ts';
import { wholeNumber } from '../surface/query.ts';

export function activityService(store: Store): Service {
  return {
    name: 'activitylog',
    title: 'Activity log',
    description: 'Who did what, when and from where: read-only records of every service, kept for 35 days.',
    prefixes: ['/activitylog/v1'],
    hosts: ['api'],
    takesBasic: true,
    routes: routes(store),
    draw: (fault) => drawPlatform(fault, { refused: 400 }),
  };
}

const usualLimit = 20;
const mostLimit = 10_000;

const date = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
});

function routes(store: Store): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      operation: 'activity_info',
      summary: 'Version information',
      unaudited: true,
      replySchema: { type: 'object', required: ['href', 'name', 'version'] },
      call: (x) => json(200, { href: x.base, name: 'CLOUD API', version: '1.0' }),
    },
    {
      method: 'GET',
      path: '/contracts',
      operation: 'activity_contracts',
      summary: 'The contracts whose log the caller may read',
      replySchema: { type: 'array', items: { type: 'object', required: ['id', 'type', 'href'] } },
      call: (x) => {
        demandPrivilege(x.who, 'accessActivityLog');
        const { contract } = x.who;
        return json(200, [{ id: contract, type: 'contracts', href: `${x.base}/contracts/${contract}` }]);
      },
    },
    {
      method: 'GET',
      path: '/contracts/{contractNumber}',
      operation: 'activity_list',
      summary: 'Entries, newest first',
      auditOnce: 'hour',
      parameters: [
        date('startDate', 'First moment, YYYY-MM-DD or RFC 3339; dateStart is the same'),
        date('endDate', 'End, exclusive, YYYY-MM-DD or RFC 3339; dateEnd is the same'),
        {
          name: 'limit',
          in: 'query',
          description: 'Entries of a page; 20 by default',
          schema: { type: 'integer', minimum: 0, maximum: mostLimit },
        },
        { name: 'offset', in: 'query', description: 'Entries to pass over', schema: { type: 'integer', minimum: 0 } },
      ],
      replySchema: { type: 'object', required: ['hits'] },
      call: (x) => listed(store, x),
    },
  ];
}

async function listed(store: Store, x: Exchange): Promise<Reply> {
  const { who } = x;
  if (x.params[0] !== String(who.contract)) throw new Fault('forbidden', 'This contract is not yours.');
  demandPrivilege(who, 'accessActivityLog');
  const from = momentOf(x, 'startDate', 'dateStart') ?? 0;
  const to = momentOf(x, 'endDate', 'dateEnd') ?? Number.POSITIVE_INFINITY;
  const limit = wholeNumber(x, 'limit', usualLimit, 0, mostLimit);
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
  const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;
  const time = form.test(text)
    ? Date.parse(/[Zz]|[+-]\d\d:\d\d$/.test(text.slice(10)) || text.length === 10 ? text : `${text}Z`)
    : Number.NaN;
  if (Number.isNaN(time))
    throw new Fault('refused', `[(query).${name}] Expected YYYY-MM-DD or an RFC 3339 time, got '${text.slice(0, 40)}'`);
  return time;
}

// The number is unique within the contract; together they make the entry's id.
const uuidOf = (row: Row): string => `${row.contract}-${row.id}`;

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
    resource: first ? `${first.type}/${first.id}` : entry.uri,
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

function paramOf(entry: Entry): Values {
  const param: Values = {
    action: entry.method,
    uri: entry.uri,
    initiator: entry.userId,
    sourceService: 'PUBLIC_REST_V6',
  };
  if (entry.error) param.error = { httpStatus: entry.error.status, messages: entry.error.messages };
  if (entry.outcome?.status === 'FAILED')
    param.error = { httpStatus: 422, messages: [{ errorCode: '200', message: entry.outcome.message }] };
  return param;
}
