// The switch of a product's central pipeline: whether the platform's products push what they have of a contract and
// region. It exists exactly once for each, with a fixed id and switched off, before it has a row. Clients address it by
// its id, by an empty one, or without an id.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { demandPrivilege, type Privilege } from '../../core/access.ts';
import { regional } from '../../core/dialect.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { hiddenText } from '../../core/operation/operation.ts';
import { releaseWrites, reservationsOf, reserveWrites } from '../../core/operation/reservations.ts';
import { namedId, placeIn, regionOf } from '../../core/regional.ts';
import { pathOf, type Resource, resource, type StateWords } from '../../core/resource.ts';
import { check, flag } from '../../core/schema.ts';
import { changedBy, madeBy } from '../../core/stamps.ts';
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { applyChange, withEntry } from '../change.ts';
import { textSchema } from '../docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../http/exchange.ts';
import { type Machinery, viewOf } from '../machinery.ts';
import type { Regions } from '../product.ts';
import { regionalBody, regionalBodySchema } from '../regional-dialect/body.ts';
import { regionalCollectionSchema, regionalSchema, shownRegional } from '../regional-dialect/envelope.ts';
import type { Owned } from './addresses.ts';

export interface CentralKind<Tools> extends Pick<Resource<Tools>, 'name' | 'root' | 'actions'> {
  type: string;
  privilege: Privilege;
  scope: string; // metric: begins the name of a claim for each that is on, so that all can be listed
  title: string; // central monitoring
  heading: string; // Central monitoring
  noted(owned: Owned, tools: Tools): { grafanaEndpoint: string; products: string[] };
  stateWords?: Partial<StateWords>;
  listTells?: boolean; // the list is also the one switch itself, for clients that expect no list
}

export interface CentralSwitch<Tools> {
  resource: Resource<Tools>;
  id(owned: Owned): string; // also the tenant under which its data are kept
  enabled(store: Store): AsyncGenerator<Owned & { id: string }>; // of all contracts and regions
  isEnabled(store: Store, owned: Owned): Promise<boolean>;
  find(store: Store, regions: Regions, x: Exchange): Promise<Row>; // the row that a path addresses, stored or default
  routes(machinery: Machinery, regions: Regions): Route[];
}

export function centralSwitch<Tools>(kind: CentralKind<Tools>): CentralSwitch<Tools> {
  const { name, type, root, actions, privilege } = kind;
  const declared = resource<Tools>({
    name,
    plural: 'central',
    shown: { title: [kind.heading, kind.heading], type, columns: ['enabled'], stateWords: kind.stateWords ?? {} },
    root,
    dialect: regional,
    verbs: [], // nothing can be created or removed: its routes are below
    rights: { create: privilege },
    actions,
    properties: { enabled: flag({ required: true, example: true }) },
    noted: { read: ({ contract, place }, _store, tools) => kind.noted({ contract, region: regionOf(place) }, tools) },
  });
  const one = new Central(declared as Resource, kind.title, `${kind.scope}-central`, kind.listTells ?? false);
  return {
    resource: declared,
    id: (owned) => one.id(owned),
    enabled: (store) => one.enabled(store),
    isEnabled: async (store, owned) => (await store.claimed(`${one.scope} ${one.id(owned)}`)) !== undefined,
    find: (store, regions, x) => one.find(store, regions, x),
    routes: (machinery, regions) => one.routes(machinery, regions),
  };
}

class Central {
  readonly scope: string;
  readonly #resource: Resource;
  readonly #title: string;
  readonly #listTells: boolean;

  constructor(declared: Resource, title: string, scope: string, listTells: boolean) {
    this.#resource = declared;
    this.#title = title;
    this.scope = scope;
    this.#listTells = listTells;
  }

  id({ contract, region }: Owned): string {
    return namedId(this.#resource.name, contract, region);
  }

  async *enabled(store: Store): AsyncGenerator<Owned & { id: string }> {
    for await (const { id, body } of store.each({ contract: 0, place: this.scope }, 'claim')) {
      const { contract, path } = JSON.parse(body) as { contract: number; path: string };
      yield { id, contract, region: regionOf(path) };
    }
  }

  async find(store: Store, regions: Regions, x: Exchange): Promise<Row> {
    const { contract } = x.who;
    demandPrivilege(x.who, this.#resource.rights.create);
    const [id = ''] = x.params;
    const possible = x.region === undefined ? regions.all : [x.region];
    const region =
      id === '' ? (x.region ?? regions.home) : possible.find((one) => this.id({ contract, region: one }) === id);
    if (region === undefined) throw missingResource(this.#resource, id);
    return this.#rowIn(store, { contract, region });
  }

  async #rowIn(store: Store, owned: Owned): Promise<Row> {
    const key = { contract: owned.contract, place: placeIn(this.#resource, owned.region), id: this.id(owned) };
    const body = JSON.stringify({ enabled: false });
    return (
      (await store.get(key.contract, key.place, key.id)) ??
      rowOf({ ...key, kind: this.#resource.name, state: 'AVAILABLE', version: 0, body })
    );
  }

  routes(machinery: Machinery, regions: Regions): Route[] {
    const { name } = this.#resource;
    const item = regionalSchema(this.#resource, {
      grafanaEndpoint: textSchema,
      products: { type: 'array', items: textSchema, description: 'The products that push' },
    });
    const one = `/central/{${name}Id}`;
    const find = async (x: Exchange): Promise<void> => {
      x.rows = [await this.find(machinery.store, regions, x)];
    };
    const put = (path: string, operation: string): Route => ({
      method: 'PUT',
      path,
      operation,
      summary: `Switch ${this.#title} on or off`,
      takesBody: true,
      bodySchema: regionalBodySchema(this.#resource, 'replace'),
      replySchema: item,
      resolve: find,
      call: (x) => this.#change(machinery, regions, x),
    });
    return [
      {
        method: 'GET',
        path: '/central',
        operation: `${name}_list`,
        summary: `Whether ${this.#title} is on: one element, for the region`,
        replySchema: regionalCollectionSchema(item, false),
        resolve: find,
        call: (x) => this.#list(machinery, x),
      },
      {
        method: 'GET',
        path: one,
        operation: `${name}_get`,
        summary: `Whether ${this.#title} is on`,
        replySchema: item,
        resolve: find,
        call: async (x) => json(200, await this.#shown(machinery, x, x.rows[0] as Row)),
      },
      put('/central', `${name}_replace`),
      put(one, `${name}_replaceById`),
    ];
  }

  async #shown(machinery: Machinery, x: Exchange, row: Row) {
    return shownRegional(await viewOf(machinery, x, pathOf(row)), this.#resource, row);
  }

  async #list(machinery: Machinery, x: Exchange): Promise<Reply> {
    const row = x.rows[0] as Row;
    const id = namedId('collection', this.#resource.name, row.contract, regionOf(row.place));
    const item = await this.#shown(machinery, x, row);
    const details = this.#listTells && { metadata: item.metadata, properties: item.properties };
    return json(200, { id, type: 'collection', href: `${x.base}/central`, items: [item], ...details });
  }

  async #change(machinery: Machinery, regions: Regions, x: Exchange): Promise<Reply> {
    const { store, now } = machinery;
    const { name, properties: declared, actions } = this.#resource;
    const found = x.rows[0] as Row;
    const { properties } = regionalBody(x.body, 'replace', found.id);
    const { values, problems } = check(declared, properties, 'create', '(root).properties');
    if (problems.length) throw new Fault('refused', 'The request body is not acceptable.', { problems });
    let kept = found;
    await applyChange(store, async () => {
      const row = await this.find(store, regions, x);
      kept = this.#changed(row, values, x, now());
      const targets = [{ kind: name, path: pathOf(row), action: `${actions}.update` }];
      return withEntry(x, { writes: writesOf(row, kept), targets }, now());
    });
    return json(200, await this.#shown(machinery, x, { ...kept, version: kept.version + 1 }));
  }

  #changed(row: Row, values: Values, { who }: Exchange, now: number): Row {
    const isNew = row.version === 0;
    const claims = values.enabled ? [`${this.scope} ${row.id}`] : [];
    return {
      ...row,
      ...(isNew && { time: now, owner: who.user }),
      meta: isNew ? madeBy(who, who.user) : changedBy(row.meta, who, now),
      body: JSON.stringify(values),
      hidden: hiddenText({}, { ...reservationsOf(row), claims }),
    };
  }
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
