// The requests of a contract, newest first, with filters, and their status: a long poll until the request ends.
import { timeOf } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { isUuid } from '../base/ids.ts';
import type { Json, Values } from '../base/json.ts';
import { missingResource } from '../core/missing-resource.ts';
import type { Model } from '../core/model.ts';
import {
  findRequest,
  requestHidden,
  requestProperties,
  requestsOf,
  showsRequest,
  type Waiters,
} from '../core/operation/request.ts';
import { stampsOf } from '../core/stamps.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { TimeSlice } from '../core/threads/time-slice.ts';
import { hrefOf } from '../surface/core-dialect/envelope.ts';
import { pagingOf } from '../surface/core-dialect/list.ts';
import { depthOf, depthParameter, listParameters, listQuery, matches } from '../surface/core-dialect/query.ts';
import { always, collectionOf, shownAs, textSchema, timeSchema } from '../surface/docs/openapi.ts';
import { entityTag } from '../surface/entity-tag.ts';
import { type Exchange, json, type Parameter, type Reply, type Route } from '../surface/http/exchange.ts';
import { surfaceOf } from '../surface/resource-routes.ts';

export interface RequestTools {
  store: Store;
  model: Model;
  waiters: Waiters;
  holdMs: number;
}

export function requestRoutes(tools: RequestTools): Route[] {
  return [
    {
      method: 'GET',
      path: '/requests',
      operation: 'request_list',
      summary: 'List the requests of the contract, newest first',
      parameters: [...listParameters.filter(({ name }) => name !== 'filter.name'), ...filterParameters],
      replySchema: collectionOf(requestSchema, true),
      call: (x) => listed(tools, x),
    },
    {
      method: 'GET',
      path: '/requests/{requestId}',
      operation: 'request_get',
      summary: 'Get a request',
      parameters: [depthParameter],
      replySchema: requestSchema,
      call: async (x) => tagged(x, shown(tools, x, await found(tools, x), depthOf(x))),
    },
    {
      method: 'GET',
      path: '/requests/{requestId}/status',
      operation: 'request_status',
      summary: 'Get the status of a request: BUSY, DONE or FAILED',
      unaudited: true,
      replySchema: statusSchema,
      call: (x) => status(tools, x),
    },
  ];
}

const stateSchema: Json = { enum: ['BUSY', 'DONE', 'FAILED'] };
const targetSchema = always({
  target: always({ id: textSchema, type: textSchema, href: textSchema }),
  status: stateSchema,
});
const statusSchema = shownAs('request-status', {
  metadata: always({
    status: stateSchema,
    message: { type: ['string', 'null'], description: 'Why it failed' },
    etag: textSchema,
    targets: { type: 'array', items: targetSchema },
  }),
});
const requestSchema = shownAs('request', {
  metadata: always({ createdDate: timeSchema, createdBy: textSchema, etag: textSchema, requestStatus: statusSchema }),
  properties: always({ method: textSchema, headers: { type: 'object' }, body: textSchema, url: textSchema }),
});

// Requests can be filtered by each of these; the times are bounds, the other values are substrings.
const filterParameters = [
  'status',
  'createdAfter',
  'createdBefore',
  'createdDate',
  'createdBy',
  'method',
  'url',
  'body',
].map(
  (name): Parameter => ({
    name: `filter.${name}`,
    in: 'query',
    description: `Filter by ${name}`,
    schema: { type: 'string' },
  }),
);

async function status(tools: RequestTools, x: Exchange): Promise<Reply> {
  let row = await found(tools, x);
  if (row.state === 'BUSY' && tools.holdMs > 0) {
    await tools.waiters.wait(row.id, tools.holdMs);
    row = await found(tools, x);
  }
  return tagged(x, statusOf(tools, x, row, 0));
}

function tagged(x: Exchange, shown: object): Reply {
  const text = JSON.stringify(shown);
  return json(200, text, entityTag(x, text));
}

async function found({ store }: RequestTools, x: Exchange): Promise<Row> {
  const [id = ''] = x.params;
  const row = isUuid(id) ? await findRequest(store, x.who.contract, id) : undefined;
  if (!row || !showsRequest(x.who, row)) throw missingResource({ name: 'request' }, id);
  return row;
}

// Clients of this API don't know resources of other services. A caller with the id of such a request gets it anyway.
const isListed = (x: Exchange, row: Row): boolean => requestHidden(row).service === x.service?.name;

async function listed(tools: RequestTools, x: Exchange): Promise<Reply> {
  const query = listQuery(x);
  const depth = depthOf(x);
  const { from, to, filters } = windowOf(query.filters);
  const rows: Row[] = [];
  const enough = query.offset + query.limit + 1;
  const slice = new TimeSlice();
  for await (const row of requestsOf(tools.store, x.who.contract)) {
    await slice.pause();
    if (row.time < from || x.isGone) break;
    if (row.time > to || !showsRequest(x.who, row) || !isListed(x, row) || !matches(fields(row), filters)) continue;
    rows.push(row);
    if (rows.length >= enough) break;
  }
  const href = `${x.base}/requests`;
  const page = rows.slice(query.offset, query.offset + query.limit);
  const { offset, limit, links } = pagingOf(x, href, query, rows.length >= enough);
  const items = page.map((row) => shown(tools, x, row, depth - 1));
  return json(200, {
    id: 'requests',
    type: 'collection',
    href,
    items,
    offset,
    limit,
    _links: JSON.parse(links) as Json,
  });
}

function windowOf(filters: [string, string[]][]): { from: number; to: number; filters: [string, string[]][] } {
  const bound = (name: string, fallback: number): number => {
    const text = filters.find(([property]) => property === name)?.[1]?.join(',');
    if (text === undefined) return fallback;
    const time = timeOf(text);
    if (Number.isNaN(time))
      throw new Fault('refused', `[(query).filter.${name}] Expected a date, got '${text.slice(0, 40)}'`);
    return time;
  };
  const rest = filters.filter(([property]) => property !== 'createdAfter' && property !== 'createdBefore');
  return { from: bound('createdAfter', 0), to: bound('createdBefore', Number.POSITIVE_INFINITY), filters: rest };
}

function fields(row: Row): { properties: Values; metadata: Values } {
  return {
    properties: requestProperties(row),
    metadata: { ...madeStamps(row), etag: etagOf(row), status: row.state, requestStatus: row.state },
  };
}

function madeStamps(row: Row): Values {
  const { createdDate, createdBy } = stampsOf(row);
  return { createdDate, createdBy };
}

const etagOf = ({ id, version }: Row): string =>
  `${version.toString(16).padStart(4, '0')}${id.replaceAll('-', '').slice(4)}`;

function shown(tools: RequestTools, x: Exchange, row: Row, depth: number): object {
  const head = { id: row.id, type: 'request', href: `${x.base}/requests/${row.id}` };
  if (depth < 0) return head;
  const metadata = {
    ...madeStamps(row),
    etag: etagOf(row),
    requestStatus: statusOf(tools, x, row, depth - 1),
  };
  return { ...head, metadata, properties: requestProperties(row) };
}

function statusOf({ model }: RequestTools, x: Exchange, row: Row, depth: number): object {
  const head = { id: `${row.id}/status`, type: 'request-status', href: `${x.base}/requests/${row.id}/status` };
  if (depth < 0) return head;
  const { targets, message } = requestHidden(row);
  const shownTargets = targets.map(({ kind, path }) => {
    const of = model.find(kind);
    const href = of ? surfaceOf(of).href(x, path) : hrefOf(x.base, path);
    const type = of?.shown.type ?? kind; // a type they don't know is an error to Go clients
    return { target: { id: href.slice(href.lastIndexOf('/') + 1), type, href }, status: row.state };
  });
  return { ...head, metadata: { status: row.state, message, etag: etagOf(row), targets: shownTargets } };
}
