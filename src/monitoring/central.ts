// Central monitoring: whether the platform's products push their metrics for a contract and region. It exists exactly
// once for each, with a fixed id and switched off, before it has a row. Clients address it by its id, by an empty one,
// or without an id.
import { Fault } from '../base/fault.ts';
import type { Values } from '../base/json.ts';
import { demandPrivilege } from '../core/access.ts';
import { regional } from '../core/dialect.ts';
import { hiddenText } from '../core/operation/operation.ts';
import { releaseWrites, reservationsOf, reserveWrites } from '../core/operation/reservations.ts';
import { namedId, placeIn, regionOf } from '../core/regional.ts';
import { pathOf, resource } from '../core/resource.ts';
import { check, flag } from '../core/schema.ts';
import { changedBy, madeBy } from '../core/stamps.ts';
import { type Row, rowOf, type Write } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { applyChange, withEntry } from '../surface/change.ts';
import { textSchema } from '../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../surface/http/exchange.ts';
import { type Machinery, viewOf } from '../surface/machinery.ts';
import { regionalBody, regionalBodySchema } from '../surface/regional-dialect/body.ts';
import { regionalCollectionSchema, regionalSchema, shownRegional } from '../surface/regional-dialect/envelope.ts';
import { grafanaEndpoint, type Owned } from './addresses.ts';
import { privilege } from './pipeline.ts';
import type { MonitoringTools } from './tools.ts';

export const central = resource<MonitoringTools>({
  name: 'centralmonitoring',
  plural: 'central',
  type: 'central-monitoring',
  root: 'monitoring/',
  dialect: regional,
  verbs: [], // nothing can be created or removed: its routes are below
  privilege,
  actions: 'monitoring.central',
  properties: { enabled: flag({ required: true, example: true }) },
  columns: ['enabled'],
  noted: ({ contract, place }, _store, { addresses, products }) => ({
    grafanaEndpoint: grafanaEndpoint(addresses, { contract, region: regionOf(place) }, {}),
    products: [...products],
  }),
});

// The tenant under which these metrics are kept.
export const centralId = ({ contract, region }: Owned): string => namedId(central.name, contract, region);

const scope = 'metric-central'; // a claim for each that is on, so that all can be listed

// Those that are on, of all contracts and regions.
export async function* enabledCentrals(store: Store): AsyncGenerator<Owned & { id: string }> {
  for await (const { id, body } of store.each({ contract: 0, place: scope }, 'claim')) {
    const { contract, path } = JSON.parse(body) as { contract: number; path: string };
    yield { id, contract, region: regionOf(path) };
  }
}

export interface Regions {
  all: readonly string[];
  home: string; // the default where none is named
}

// The row that a path addresses, stored or default.
export async function findCentral(store: Store, regions: Regions, x: Exchange): Promise<Row> {
  const { contract } = x.who;
  demandPrivilege(x.who, privilege);
  const [id = ''] = x.params;
  const possible = x.region === undefined ? regions.all : [x.region];
  const region =
    id === '' ? (x.region ?? regions.home) : possible.find((one) => centralId({ contract, region: one }) === id);
  if (region === undefined) throw new Fault('missing', 'Resource does not exist');
  return rowIn(store, { contract, region });
}

async function rowIn(store: Store, owned: Owned): Promise<Row> {
  const key = { contract: owned.contract, place: placeIn(central, owned.region), id: centralId(owned) };
  const body = JSON.stringify({ enabled: false });
  return (
    (await store.get(key.contract, key.place, key.id)) ??
    rowOf({ ...key, kind: central.name, state: 'AVAILABLE', version: 0, body })
  );
}

export function centralRoutes(machinery: Machinery, regions: Regions): Route[] {
  const item = regionalSchema(central, {
    grafanaEndpoint: textSchema,
    products: { type: 'array', items: textSchema, description: 'Which products push metrics' },
  });
  const one = `/central/{${central.name}Id}`;
  const find = async (x: Exchange): Promise<void> => {
    x.rows = [await findCentral(machinery.store, regions, x)];
  };
  const put = (path: string, operation: string): Route => ({
    method: 'PUT',
    path,
    operation,
    summary: 'Switch central monitoring on or off',
    takesBody: true,
    bodySchema: regionalBodySchema(central, 'replace'),
    replySchema: item,
    resolve: find,
    call: (x) => change(machinery, regions, x),
  });
  return [
    {
      method: 'GET',
      path: '/central',
      operation: `${central.name}_list`,
      summary: 'Whether central monitoring is on: one element, for the region',
      replySchema: regionalCollectionSchema(item, false),
      resolve: find,
      call: (x) => list(machinery, x),
    },
    {
      method: 'GET',
      path: one,
      operation: `${central.name}_get`,
      summary: 'Whether central monitoring is on',
      replySchema: item,
      resolve: find,
      call: async (x) => json(200, await shown(machinery, x, x.rows[0] as Row)),
    },
    put('/central', `${central.name}_replace`),
    put(one, `${central.name}_replaceById`),
  ];
}

const shown = async (machinery: Machinery, x: Exchange, row: Row) =>
  shownRegional(await viewOf(machinery, x, pathOf(row)), central, row);

async function list(machinery: Machinery, x: Exchange): Promise<Reply> {
  const row = x.rows[0] as Row;
  const id = namedId('collection', central.name, row.contract, regionOf(row.place));
  const items = [await shown(machinery, x, row)];
  return json(200, { id, type: 'collection', href: `${x.base}/central`, items });
}

async function change(machinery: Machinery, regions: Regions, x: Exchange): Promise<Reply> {
  const { store, now } = machinery;
  const found = x.rows[0] as Row;
  const { properties } = regionalBody(x.body, 'replace', found.id);
  const { values, problems } = check(central.properties, properties, 'create', '(root).properties');
  if (problems.length) throw new Fault('refused', 'The request body is not acceptable.', { problems });
  let kept = found;
  await applyChange(store, async () => {
    const row = await findCentral(store, regions, x);
    kept = changed(row, values, x, now());
    const targets = [{ kind: central.name, path: pathOf(row), action: `${central.actions}.update` }];
    return withEntry(x, { writes: writesOf(row, kept), targets }, now());
  });
  return json(200, await shown(machinery, x, { ...kept, version: kept.version + 1 }));
}

function changed(row: Row, values: Values, { who }: Exchange, now: number): Row {
  const isNew = row.version === 0;
  const claims = values.enabled ? [`${scope} ${row.id}`] : [];
  return {
    ...row,
    ...(isNew && { time: now, owner: who.user }),
    meta: isNew ? madeBy(who, who.user) : changedBy(row.meta, who, now),
    body: JSON.stringify(values),
    hidden: hiddenText({}, { ...reservationsOf(row), claims }),
  };
}

function writesOf(before: Row, after: Row): Write[] {
  const [held, holds] = [reservationsOf(before), reservationsOf(after)];
  const isNew = before.version === 0;
  return [
    { op: isNew ? 'insert' : 'update', table: 'resource', row: isNew ? { ...after, version: 1 } : after },
    ...reserveWrites(after, held, holds, () => undefined),
    ...releaseWrites(after, held, holds),
  ];
}
