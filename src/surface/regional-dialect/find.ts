// Finds what a path of a regional service names. With a region it is looked up there, otherwise in all regions
// of the contract. A resource of another contract is reported as missing; a PUT creates a missing resource.
import { Fault } from '../../base/fault.ts';
import { type Caller, demandPrivilege, hasPrivilege, mayEdit, maySee } from '../../core/access.ts';
import { missingResource, missingRow } from '../../core/missing-resource.ts';
import { nameOf } from '../../core/operation/busy.ts';
import type { Epoch } from '../../core/recent-cache.ts';
import { failureOf, idClaim, placeIn, regionOf } from '../../core/regional.ts';
import { pathOf, type Resource, type Verb } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { rowAt } from '../core-dialect/find.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Machinery } from '../machinery.ts';

// The privilege is for everything that is done with these resources, reading them too. A PUT that is about to create
// finds the parents alone.
export async function findRegional(
  { store }: Pick<Machinery, 'store'>,
  x: Exchange,
  above: readonly Resource[],
  resource: Resource,
  verb: Verb,
): Promise<void> {
  const caller = x.who;
  demandPrivilege(caller, resource.rights.create);
  const reads = verb === 'list' || verb === 'get';
  const epoch = reads ? await store.epochOf(caller.contract) : undefined;
  x.epoch = epoch;
  const parents = await findParents(store, x, above, epoch);
  x.rows = parents;
  const isOfOne = verb !== 'list' && verb !== 'create';
  const id = isOfOne ? resource.ids.parse(x.params[above.length] ?? '') : undefined;
  const missing = (): Fault => missingResource(resource, x.params[above.length] ?? '');
  if (isOfOne && id === undefined) throw missing();
  const row = id === undefined ? undefined : await seek(store, resource, x, parents, id, epoch);
  if (row) x.rows = [...parents, row];
  const top = x.rows[0];
  if (top && !showsRegional(caller, resource, top)) throw missingResource(above[0] ?? resource, x.params[0] ?? '');
  if (isOfOne && !row && verb !== 'replace') throw missing();
  if (reads) return;
  if (top && !mayEdit(caller, top)) throw new Fault('forbidden', 'You may see this resource but not change it.');
  await demandParent(store, parents.at(-1));
  if (row) await demandReady(store, resource, row, verb);
  else if (id !== undefined && parents.length === 0) await demandFree(store, resource, x, id);
}

export const showsRegional = (caller: Caller, { rights: { create: privilege } }: Resource, top: Row): boolean =>
  hasPrivilege(caller, privilege) && maySee(caller, top);

async function findParents(
  store: Store,
  x: Exchange,
  above: readonly Resource[],
  epoch: Epoch | undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [at, parent] of above.entries()) {
    const id = parent.ids.parse(x.params[at] ?? '');
    const row = id === undefined ? undefined : await seek(store, parent, x, rows, id, epoch);
    if (!row) throw missingResource(parent, x.params[at] ?? '');
    rows.push(row);
  }
  return rows;
}

async function seek(
  store: Store,
  resource: Resource,
  x: Exchange,
  parents: readonly Row[],
  id: string,
  epoch: Epoch | undefined,
): Promise<Row | undefined> {
  const { contract } = x.who;
  const above = parents.at(-1);
  if (above) return rowAt(store, contract, `${pathOf(above)}/${resource.plural}`, id, epoch);
  const region = x.region ?? (await regionHaving(store, resource, contract, id));
  return region === undefined ? undefined : rowAt(store, contract, placeIn(resource, region), id, epoch);
}

async function regionHaving(
  store: Store,
  resource: Resource,
  contract: number,
  id: string,
): Promise<string | undefined> {
  const claimed = await store.claimed(idClaim(resource, id));
  return claimed?.contract === contract ? regionOf(claimed.path) : undefined;
}

async function demandFree(store: Store, resource: Resource, x: Exchange, id: string): Promise<void> {
  const claimed = await store.claimed(idClaim(resource, id));
  if (!claimed) return;
  if (claimed.contract !== x.who.contract) throw missingResource(resource, id);
  throw new Fault('conflict', `The ${resource.name} ${id} is in ${regionOf(claimed.path)}, not here.`);
}

// Nothing is done in a parent that is being made or destroyed, or whose creation failed.
async function demandParent(store: Store, parent: Row | undefined): Promise<void> {
  if (!parent) return;
  if (parent.state === 'DELETING') throw missingRow(parent);
  if (failureOf(parent) !== undefined) throw new Fault('conflict', `${nameOf(parent)} is FAILED.`);
  if (await store.creating(parent.contract, pathOf(parent))) throw inTheWay(parent, 'PROVISIONING');
}

// A resource that is being destroyed can only be read. A change with steps can't run at the same time as another
// operation; a change without steps need not wait.
async function demandReady(store: Store, { lifecycle: { change } }: Resource, row: Row, verb: Verb): Promise<void> {
  if (row.state === 'DELETING' && verb === 'replace') throw inTheWay(row, 'DESTROYING');
  if (row.state === 'DELETING') throw missingRow(row);
  if (verb === 'remove' || change.length === 0) return;
  if (row.state === 'CHANGING' || (await store.creating(row.contract, pathOf(row))))
    throw inTheWay(row, 'PROVISIONING');
}

const inTheWay = (row: Row, status: string): Fault =>
  new Fault('conflict', `${nameOf(row)} is ${status}: wait until that has ended.`);
