// Finds what a path of a regional service names. With a region it is looked for there alone, without one anywhere in
// the contract. What belongs to somebody else is missing; a PUT makes what nobody has.
import { Fault } from '../../base/fault.ts';
import { demandPrivilege, mayEdit, maySee } from '../../core/access.ts';
import { nameOf } from '../../core/operation/busy.ts';
import type { Epoch } from '../../core/recent-cache.ts';
import { idClaim, placeIn, regionOf } from '../../core/regional.ts';
import { pathOf, type Resource, type Verb } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Exchange } from '../http/exchange.ts';

// What it finds goes to `rows`; none is there where a PUT is about to make it. The privilege is for all that is done
// with these things, reading them too.
export async function findRegional(store: Store, resource: Resource, x: Exchange, verb: Verb): Promise<void> {
  const caller = x.who;
  demandPrivilege(caller, resource.privilege);
  const reads = verb === 'list' || verb === 'get';
  const epoch = reads ? await store.epochOf(caller.contract) : undefined;
  x.epoch = epoch;
  x.rows = [];
  if (verb === 'list' || verb === 'create') return;
  const id = resource.ids.parse(x.params[0] ?? '');
  if (id === undefined) throw missing();
  const row = await seek(store, resource, x, id, epoch);
  if (!row && verb === 'replace') return demandFree(store, resource, x, id);
  if (!row || !maySee(caller, row)) throw missing();
  x.rows = [row];
  if (reads) return;
  if (!mayEdit(caller, row)) throw new Fault('forbidden', 'You may see this resource but not change it.');
  await demandReady(store, resource, row, verb);
}

export const missing = (): Fault => new Fault('missing', 'Resource does not exist');

async function seek(
  store: Store,
  resource: Resource,
  x: Exchange,
  id: string,
  epoch: Epoch | undefined,
): Promise<Row | undefined> {
  const { contract } = x.who;
  const region = x.region ?? (await regionHaving(store, resource, contract, id));
  if (region === undefined) return undefined;
  const place = placeIn(resource, region);
  return epoch === undefined ? store.get(contract, place, id) : store.look(contract, place, id, epoch);
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
  if (claimed.contract !== x.who.contract) throw missing();
  throw new Fault('conflict', `The ${resource.name} ${id} is in ${regionOf(claimed.path)}, not here.`);
}

// What is being destroyed is gone for all but those who read it. Steps of a change can't run beside others; a change
// without any needs to wait for nobody.
async function demandReady(store: Store, { change }: Resource, row: Row, verb: Verb): Promise<void> {
  if (row.state === 'DELETING' && verb === 'replace') throw inTheWay(row, 'DESTROYING');
  if (row.state === 'DELETING') throw missing();
  if (verb === 'remove' || change.length === 0) return;
  if (row.state === 'CHANGING' || (await store.creating(row.contract, pathOf(row))))
    throw inTheWay(row, 'PROVISIONING');
}

const inTheWay = (row: Row, status: string): Fault =>
  new Fault('conflict', `${nameOf(row)} is ${status}: wait until that has ended.`);
