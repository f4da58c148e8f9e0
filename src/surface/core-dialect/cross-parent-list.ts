// Lists a collection in all its parents at once, such as the servers of all datacenters. The platform's API has no such
// call; the console uses it. The path has `-` in place of an id: `datacenters/-/servers`. With `show=name,nics.ips` the
// rows have only these properties, and only these of the resources in them.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { type Caller, maySee } from '../../core/access.ts';
import { core } from '../../core/dialect.ts';
import { nameIn } from '../../core/display-name.ts';
import { missingResource } from '../../core/missing-resource.ts';
import type { Model } from '../../core/model.ts';
import { chainOf, pathOf, type Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { type Exchange, json, type Reply } from '../http/exchange.ts';
import { type Machinery, viewOf } from '../machinery.ts';
import { hrefOf, many } from './envelope.ts';
import { sought } from './list.ts';
import { depthOf, isPlain, type ListQuery, listQuery } from './query.ts';
import { drawShown } from './shown-fields.ts';

const anyParent = '-';
const mostShown = 50; // fields

// Whether all parents of the collection are of one type.
export const isListedAcross = (resource: Resource): boolean =>
  resource.parents.length === 1 &&
  resource.verbs.includes('list') &&
  !resource.shown.hasSecrets &&
  chainOf(resource).every(({ dialect, parents }) => dialect === core && parents.length <= 1);

// Answers like the list of one collection, and adds the names of the parents by their paths. `base`: the beginning of
// each href.
export async function crossParentList(machinery: Machinery, x: Exchange, path: string, base: string): Promise<Reply> {
  const way = wayAt(machinery.model, path);
  if (!way) throw new Fault('missing', `'${path}' can't be listed across its parents.`);
  const { contract, role, user } = x.who;
  const key = `${contract} ${role === 'user' ? user : ''} across ${path}?${x.query}`;
  const epoch = await machinery.store.epochOf(contract);
  const drawn = await machinery.pages.get(epoch, key, () => drawCrossParentPage(machinery, way, x, base));
  return json(200, drawn, ['Cache-Control', 'no-store']);
}

// The declarations of a path, uppermost first, and the parents that it names.
interface Way {
  chain: readonly Resource[];
  parents: readonly string[];
}

function wayAt(model: Model, path: string): Way | undefined {
  for (const chain of model.all().filter(isListedAcross).map(chainOf)) {
    const pattern = chain.map(({ dialect, ...one }) => dialect.collection(one)).join('/([^/]+)/');
    const parents = new RegExp(`^${pattern}$`).exec(path)?.slice(1);
    if (parents) return { chain, parents };
  }
  return undefined;
}

async function drawCrossParentPage(machinery: Machinery, way: Way, x: Exchange, base: string): Promise<string> {
  const { chain } = way;
  const resource = chain.at(-1) as Resource;
  const above = new Map<string, Row>(); // the parents of the rows, by path
  const view = { ...(await viewOf(machinery, x, placeOf(chain[0] as Resource))), base };
  const query = listQuery(x);
  const pages = crossParentPages(machinery.store, x.who, way, above);
  const rows = isPlain(query)
    ? await pageOf(pages, query)
    : (await sought(view, resource, eachOf(pages), query, undefined)).rows;
  const shown = x.search.get('show');
  const list = shown
    ? `{"items":[${await drawShown(view, resource, rows, shown.split(',').slice(0, mostShown))}]}`
    : await many(view, resource, rows, depthOf(x), { id: resource.plural, href: hrefOf(base, resource.plural) });
  if (!way.parents.includes(anyParent)) return list;
  const paths = new Set(rows.map(({ place }) => place.slice(0, place.lastIndexOf('/'))));
  const names = [...paths].map((path) => [hrefOf(base, path), nameOf(above.get(path) as Row)]);
  return `${list.slice(0, -1)},"within":${JSON.stringify(Object.fromEntries(names))}}`;
}

const placeOf = ({ root, plural }: Resource): string => root + plural;
const nameOf = ({ id, body }: Row): string => nameIn(JSON.parse(body) as Values) ?? id;

type Pages = AsyncIterable<readonly Row[]>;

async function pageOf(pages: Pages, { offset, limit }: ListQuery): Promise<Row[]> {
  const found: Row[] = [];
  let skipped = offset;
  for await (const rows of pages) {
    found.push(...rows.slice(skipped, skipped + limit - found.length));
    skipped = Math.max(0, skipped - rows.length);
    if (found.length >= limit) break;
  }
  return found;
}

async function* eachOf(pages: Pages): AsyncGenerator<Row> {
  for await (const rows of pages) yield* rows;
}

// The rules are those of the list of each collection: a caller who sees the topmost resource sees all that is in it.
async function* crossParentPages(
  store: Store,
  caller: Caller,
  { chain: [resource, ...chain], parents: [id = anyParent, ...parents] }: Way,
  above: Map<string, Row>,
  parent?: Row,
): AsyncGenerator<readonly Row[]> {
  if (!resource) return;
  const place = parent ? `${pathOf(parent)}/${resource.plural}` : placeOf(resource);
  const { contract } = caller;
  const isNamed = id !== anyParent;
  const pages = isNamed ? [await rowsOf(store, contract, resource, place, id)] : store.pages({ contract, place });
  for await (const rows of pages) {
    const seen = parent ? rows : rows.filter((row) => maySee(caller, row));
    if (isNamed && seen.length === 0) throw missingResource(resource, id);
    if (chain.length === 0) yield seen;
    else
      for (const row of seen.filter(({ state }) => state !== 'DELETING')) {
        above.set(pathOf(row), row);
        yield* crossParentPages(store, caller, { chain, parents }, above, row);
      }
  }
}

async function rowsOf(store: Store, contract: number, resource: Resource, place: string, id: string): Promise<Row[]> {
  const key = resource.ids.parse(id);
  const row = key === undefined ? undefined : await store.get(contract, place, key);
  return row && row.state !== 'DELETING' ? [row] : [];
}
