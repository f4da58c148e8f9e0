// Labels: key and value on a resource, changed synchronously, with the key as id. The labels of a contract can be
// listed together.
import { Fault } from '../base/fault.ts';
import { maySee } from '../core/access.ts';
import { missingResource } from '../core/missing-resource.ts';
import { byUuid, resource } from '../core/resource.ts';
import { text } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { hrefOf } from '../surface/core-dialect/envelope.ts';
import { depthOf, depthParameter, listQuery, matches } from '../surface/core-dialect/query.ts';
import { always, collectionOf, shownAs, textSchema } from '../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../surface/http/exchange.ts';
import type { Label } from '../surface/ports.ts';
import { datacenter } from './datacenter.ts';
import { ipblock } from './lan/ipblock.ts';
import { server } from './server/server.ts';
import { snapshot } from './storage/snapshot.ts';
import { volume } from './storage/volume.ts';

const keyForm = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/;
const everywhere = 'labels'; // all labels link to it, so that they can be listed together

export const label = resource({
  name: 'label',
  plural: 'labels',
  parents: [datacenter, server, volume, ipblock, snapshot],
  rights: { create: 'none' },
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  shown: { metadata: 'stateless', paged: false, inside: false, columns: ['key', 'value'] },
  lifecycle: { synchronous: true, composite: false },
  actions: 'label.label',
  ids: {
    ...byUuid,
    example: 'environment',
    parse: (id) => (keyForm.test(id) ? id : undefined),
    make: (draft) => String(draft.values.key),
  },
  properties: {
    key: text({
      required: true,
      immutable: true,
      pattern: keyForm,
      says: 'Expected 1 to 63 of A-Z a-z 0-9 _ . -',
      example: 'environment',
    }),
    value: text({ required: true, max: 255, example: 'test' }),
  },
  async decide(draft, { store }) {
    if (draft.way === 'create' && (await store.get(draft.contract, draft.place, draft.id)))
      throw new Fault('refused', `[${draft.at}.key] Label ${draft.id} already exists`, { code: '200' });
    if (draft.way === 'create') draft.reservations.links.push(['label', everywhere]);
  },
});

export function labelRoutes(store: Store): Route[] {
  const names = ['key', 'value', 'resourceId', 'resourceType', 'resourceHref'];
  const properties = always(Object.fromEntries(names.map((name) => [name, textSchema])));
  const schema = shownAs('label', { properties });
  return [
    {
      method: 'GET',
      path: '/labels',
      operation: 'label_listAll',
      summary: 'List all labels of the contract',
      parameters: [depthParameter],
      replySchema: collectionOf(schema, false),
      call: (x) => listed(store, x),
    },
    {
      method: 'GET',
      path: '/labels/{labelUrn}',
      operation: 'label_getByUrn',
      summary: 'Get a label by its URN',
      parameters: [depthParameter],
      replySchema: schema,
      call: async (x) => {
        const [, type = '', id = '', key = ''] = /^urn:label:(\w+):([^:]+):(.+)$/.exec(x.params[0] ?? '') ?? [];
        const row = await labelled(store, x.who.contract, `${type}s/${id}/labels`, key);
        if (!row || !(await visible(store, x, row))) throw missingResource({ name: 'label' }, x.params[0] ?? '');
        return json(200, shown(x, row, 0));
      },
    },
  ];
}

// The URN of a server or volume does not name its datacenter.
async function labelled(store: Store, contract: number, place: string, key: string): Promise<Row | undefined> {
  const row = await store.get(contract, place, key);
  if (row) return row;
  const paths = await store.linked(contract, everywhere, '<', 'label');
  const path = paths.find((one) => one.endsWith(`/${place}/${key}`));
  return path === undefined ? undefined : store.at(contract, path);
}

async function listed(store: Store, x: Exchange): Promise<Reply> {
  const depth = depthOf(x);
  const { filters } = listQuery(x);
  const items: object[] = [];
  for (const row of await store.linkedRows(x.who.contract, everywhere, '<', 'label')) {
    const item = shown(x, row, 0);
    if (matches({ properties: item.properties, metadata: {} }, filters) && (await visible(store, x, row)))
      items.push(shown(x, row, depth - 1));
  }
  return json(200, { id: 'labels', type: 'collection', href: `${x.base}/labels`, items });
}

export const labelsOf = async (store: Store, contract: number): Promise<readonly Label[]> =>
  (await store.linkedRows(contract, everywhere, '<', 'label')).map((row) => labelIn(row));

function labelIn(row: Row): Label & { path: string } {
  const path = row.place.slice(0, -'/labels'.length);
  const { key, value } = JSON.parse(row.body) as { key: string; value: string };
  return { key, value, resourceId: path.slice(path.lastIndexOf('/') + 1), path };
}

async function visible(store: Store, x: Exchange, row: Row): Promise<boolean> {
  const [place = '', id = ''] = row.place.split('/');
  const top = await store.get(row.contract, place, id);
  return top !== undefined && maySee(x.who, top);
}

function shown(x: Exchange, row: Row, depth: number): { properties: { [name: string]: string } } {
  const { key, value, resourceId, path } = labelIn(row);
  const cut = path.lastIndexOf('/');
  const type = path.slice(path.lastIndexOf('/', cut - 1) + 1, cut).replace(/s$/, '');
  const id = `urn:label:${type}:${resourceId}:${key}`;
  const head = { id, type: 'label', href: `${x.base}/labels/${id}` };
  const properties = { key, value, resourceId, resourceType: type, resourceHref: hrefOf(x.base, path) };
  return (depth < 0 ? head : { ...head, properties }) as { properties: { [name: string]: string } };
}
