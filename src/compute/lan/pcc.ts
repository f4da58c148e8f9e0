// Private cross connects join LANs of several datacenters into one segment. A LAN names its cross connect; the list of
// LANs is derived when it is read. Clients poll the state instead of the request, so operations are instant.
import { Fault } from '../../base/fault.ts';
import type { Json, Values } from '../../base/json.ts';
import { type Caller, maySee } from '../../core/access.ts';
import { pathOf, type ReadContext, resource, step } from '../../core/resource.ts';
import { list, shape, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { datacenter } from '../datacenter.ts';
import type { ComputeTools } from '../tools.ts';

const place = { id: text(), name: text(), location: text() };

export const pcc = resource<ComputeTools>({
  name: 'pcc',
  plural: 'pccs',
  verbs: ['list', 'get', 'create', 'change', 'remove'],
  rights: { create: 'createPcc', shareable: true },
  actions: 'net.pcc',
  lifecycle: {
    pace: 0,
    create: [step('allocate')],
    change: [step('reconfigure')],
    remove: [step('release', ({ contract, path, context: { store } }) => demandUnused(store, contract, path))],
  },
  shown: { title: 'Cross connect', paged: false, columns: ['name', 'description'] },
  properties: {
    name: text({ max: 255, example: 'example' }),
    description: text({ max: 4096 }),
    peers: list(shape({ ...place, datacenterId: text(), datacenterName: text() }), {
      derived: true,
      description: 'The connected LANs',
    }),
    connectableDatacenters: list(shape(place), { derived: true, description: 'Datacenters whose LANs it can connect' }),
  },
  sample: { change: { name: 'changed', description: 'changed' } },
  decide: (draft, { store }) =>
    draft.way === 'remove' ? demandUnused(store, draft.contract, pathOf(draft)) : undefined,
  derive: (row, _values, context, _href, caller) => derived(row, context, caller),
});

async function demandUnused(store: Store, contract: number, path: string): Promise<void> {
  const [lan] = await store.linked(contract, path, '<', 'pcc');
  if (lan === undefined) return;
  const [, datacenterId, , id] = lan.split('/');
  const what = `LAN ${Number(id)} of datacenter ${datacenterId} is in it`;
  throw new Fault('refused', `The cross connect can't be deleted: ${what}.`, { code: '200' });
}

async function derived(row: Row, { store }: ReadContext<ComputeTools>, caller: Caller | undefined): Promise<Values> {
  const { contract } = row;
  const peers: Values[] = [];
  for (const lan of await store.linkedRows(contract, pathOf(row), '<', 'pcc')) {
    const home = await store.at(contract, lan.place.split('/').slice(0, 2).join('/'));
    if (!home) continue;
    const { id, name, location } = placeOf(home);
    const own = { id: String(Number(lan.id)), name: nameOf(lan) };
    peers.push({ ...own, datacenterId: id, datacenterName: name, location });
  }
  const connectable: Json[] = [];
  for await (const home of store.each({ contract, place: datacenter.plural })) {
    if (home.state === 'DELETING' || !caller || !maySee(caller, home)) continue;
    const shown = placeOf(home);
    if (peers.every(({ location }) => location === shown.location)) connectable.push(shown);
  }
  return { peers, connectableDatacenters: connectable };
}

const nameOf = ({ body }: Row): Json => (JSON.parse(body) as Values).name ?? null;

function placeOf({ id, body }: Row): { id: string; name: Json; location: Json } {
  const { name = null, location = null } = JSON.parse(body) as Values;
  return { id, name, location };
}
