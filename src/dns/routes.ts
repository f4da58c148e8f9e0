// Routes of DNS that are not resources: records of all zones, contents and transfers of secondary zones,
// and the quota.

import type { Json, Values } from '../base/json.ts';
import { demandPrivilege, maySee } from '../core/access.ts';
import { namedId, placeIn, placesOf } from '../core/regional.ts';
import type { Resource } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import { sortInSlices, TimeSlice } from '../core/threads/time-slice.ts';
import { pagingOf } from '../surface/core-dialect/list.ts';
import { wholeNumber } from '../surface/core-dialect/query.ts';
import { always, textSchema, wholeSchema } from '../surface/docs/openapi.ts';
import { type Exchange, json, type Parameter, type Reply, type Route } from '../surface/http/exchange.ts';
import { type Machinery, viewOf } from '../surface/machinery.ts';
import { regionalSchema, shownRegional, statusOf } from '../surface/regional-dialect/envelope.ts';
import { findRegional } from '../surface/regional-dialect/find.ts';
import { collectionText, pageParameters } from '../surface/regional-dialect/list.ts';
import { presentationOf } from './records/shown-data.ts';
import { typeName } from './records/types.ts';
import type { Secondaries } from './secondary/secondaries.ts';
import { readTransferred } from './secondary/transferred-rows.ts';
import { counterOf, limitedKinds, limits } from './zones/limits.ts';
import { type RecordValues, record } from './zones/record.ts';
import { secondaryZone } from './zones/secondary-zone.ts';
import { privilege, zone } from './zones/zone.ts';

const rowsPerPage = 50; // a record may have 64 KB

const query = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: textSchema,
});
const pageOf = (x: Exchange): { offset: number; limit: number } => ({
  offset: wholeNumber(x, 'offset', 0, 0, Number.MAX_SAFE_INTEGER),
  limit: wholeNumber(x, 'limit', 100, 0, 1000),
});
const collectionSchema = (items: Values): Values =>
  always({
    id: textSchema,
    type: { const: 'collection' },
    href: textSchema,
    items: { type: 'array', items },
    offset: wholeSchema,
    limit: wholeSchema,
    _links: { type: 'object' },
  });

export function dnsRoutes(machinery: Machinery, secondaries: Secondaries): Route[] {
  const findSecondary = (verb: 'get' | 'change') => (x: Exchange) =>
    findRegional(machinery, x, [], secondaryZone as Resource, verb);
  return [
    {
      method: 'GET',
      path: '/records',
      operation: 'record_list_all',
      summary: 'List the records of all zones',
      parameters: [
        ...pageParameters,
        query('filter.zoneId', 'Only records of this zone'),
        query('filter.name', 'Only records whose names contain this text'),
        query('filter.type', 'Only records of this type'),
        query('filter.state', 'Only records in this state'),
      ],
      replySchema: collectionSchema(regionalSchema(record as Resource, record.noted?.schema)),
      resolve: (x) => demandPrivilege(x.who, privilege),
      call: (x) => listRecords(machinery, x),
    },
    {
      method: 'GET',
      path: '/secondaryzones/{secondaryzoneId}/records',
      operation: 'secondaryzone_records',
      summary: 'List the records that were transferred',
      parameters: pageParameters,
      replySchema: collectionSchema({ type: 'object' }),
      resolve: findSecondary('get'),
      call: (x) => listTransferred(machinery, x),
    },
    {
      method: 'GET',
      path: '/secondaryzones/{secondaryzoneId}/axfr',
      operation: 'secondaryzone_axfr_get',
      summary: 'Read the results of the last transfer, by primary',
      replySchema: always({ type: textSchema, items: { type: 'array', items: { type: 'object' } } }),
      resolve: findSecondary('get'),
      call: (x) => json(200, { type: 'collection', items: secondaries.statusOf(x.rows[0] as Row) as unknown as Json }),
    },
    {
      method: 'PUT',
      path: '/secondaryzones/{secondaryzoneId}/axfr',
      operation: 'secondaryzone_axfr_start',
      summary: 'Start a transfer',
      replySchema: { type: 'object' },
      replyStatus: 202,
      isPolled: true,
      notedAfter: true,
      resolve: findSecondary('change'),
      call(x) {
        secondaries.transferSoon(x.rows[0] as Row);
        return json(202, {});
      },
    },
    {
      method: 'GET',
      path: '/quota',
      operation: 'dnsquota_get',
      summary: 'Read the usage and the limits of the contract',
      replySchema: always({ quotaUsage: { type: 'object' }, quotaLimits: { type: 'object' } }),
      resolve: (x) => demandPrivilege(x.who, privilege),
      async call(x) {
        const counters = await machinery.store.engine.counters(x.who.contract, limitedKinds.map(counterOf));
        const quotaUsage = Object.fromEntries(limitedKinds.map((kind) => [kind, counters.get(counterOf(kind)) ?? 0]));
        return json(200, { quotaUsage, quotaLimits: { ...limits } });
      },
    },
  ];
}

async function listRecords(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { contract } = x.who;
  const { offset, limit } = pageOf(x);
  const [zoneId, name, type, state] = ['zoneId', 'name', 'type', 'state'].map((one) => x.search.get(`filter.${one}`));
  const scan =
    x.region === undefined ? { contract, below: placesOf(zone) } : { contract, below: `${placeIn(zone, x.region)}` };
  const visible = new Set<string>();
  const found: FoundRecord[] = [];
  const slice = new TimeSlice();
  const view = await viewOf(machinery, x, placesOf(zone));
  for await (const row of machinery.store.each(scan, 'resource', rowsPerPage)) {
    await slice.pause();
    if (row.kind === zone.name && maySee(x.who, row)) visible.add(row.id);
    if (row.kind !== record.name) continue;
    const values = JSON.parse(row.body) as RecordValues;
    const isWanted =
      (!zoneId || row.place.includes(`/${zoneId}/`)) &&
      (!type || values.type === type.toUpperCase()) &&
      (!name || values.name.includes(name.toLowerCase())) &&
      (!state || (await statusOf(view, record as Resource, row)) === state.toUpperCase());
    const { place, id, time } = row;
    if (isWanted) found.push({ place, id, time, isExact: Boolean(name) && values.name === name });
  }
  const wanted: FoundRecord[] = [];
  for (const one of found) {
    await slice.pause();
    if (visible.has(one.place.split('/').at(-2) ?? '')) wanted.push(one);
  }
  // The requested one comes first: some clients take the first element of the list.
  await sortInSlices(wanted, (a, b) => Number(b.isExact) - Number(a.isExact) || b.time - a.time, slice);
  const items: string[] = [];
  for (const { place, id } of wanted.slice(offset, offset + limit)) {
    const row = await machinery.store.get(contract, place, id);
    if (row) items.push(JSON.stringify(await shownRegional(view, record as Resource, row)));
    await slice.pause();
  }
  return collection(x, '/records', items, { offset, limit }, wanted.length, contract);
}

// Whole rows would use too much memory.
interface FoundRecord {
  place: string;
  id: string;
  time: number;
  isExact: boolean;
}

async function listTransferred({ store }: Machinery, x: Exchange): Promise<Reply> {
  const row = x.rows[0] as Row;
  const { offset, limit } = pageOf(x);
  const { zoneName } = JSON.parse(row.body) as { zoneName: string };
  const { records = [] } = (await readTransferred(store, row)) ?? {};
  const slice = new TimeSlice();
  const items: string[] = [];
  for (const { name, type, ttl, data } of records.slice(offset, offset + limit)) {
    const properties = {
      name: name === zoneName ? '' : name.slice(0, -zoneName.length - 1),
      type: typeName(type),
      ttl,
      enabled: true,
      ...presentationOf(type, data),
    };
    const href = `${x.base}/secondaryzones/${row.id}/records`;
    const metadata = { fqdn: name, zoneId: row.id, rootName: zoneName };
    items.push(JSON.stringify({ type: 'record', href, metadata, properties }));
    await slice.pause();
  }
  return collection(x, `/secondaryzones/${row.id}/records`, items, { offset, limit }, records.length, row.contract);
}

function collection(
  x: Exchange,
  path: string,
  items: readonly string[],
  page: { offset: number; limit: number },
  total: number,
  contract: number,
): Reply {
  const href = x.base + path;
  const plainPage = { ...page, orderBy: undefined, filters: [] };
  const { offset, limit, links } = pagingOf(x, href, plainPage, total > page.offset + page.limit);
  const id = namedId('collection', path, contract);
  const tail = { offset, limit, _links: JSON.parse(links) as Json };
  return json(200, collectionText({ id, type: 'collection', href }, items, tail));
}
