// Finds the resources that a path of the core dialect names, and whether the caller may use them as asked.
import { Fault } from '../../base/fault.ts';
import { isAdmin, mayEdit, maySee } from '../../core/access.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { busy, nameOf } from '../../core/operation/busy.ts';
import { retryWhileBusy } from '../../core/operation/busy-retry.ts';
import type { Epoch } from '../../core/recent-cache.ts';
import { pathOf, type Resource, type Verb } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Exchange } from '../http/exchange.ts';

// Finds every resource that the path names. A resource of another contract is reported as missing, not as forbidden.
export function resolve(store: Store, x: Exchange, chain: readonly Resource[], verb: Verb): Promise<void> | void {
  if (chain.length === 0) return;
  const isRead = verb === 'list' || verb === 'get';
  const seek = (): Promise<void> => find(store, x, chain, verb);
  return isRead ? seek() : retryWhileBusy(store, x.who.contract, x.wait, seek);
}

async function find(store: Store, x: Exchange, chain: readonly Resource[], verb: Verb): Promise<void> {
  const caller = x.who;
  const reads = verb === 'list' || verb === 'get';
  const epoch = reads ? await store.epochOf(caller.contract) : undefined;
  x.epoch = epoch;
  if (verb === 'get' && chain.length > 1 && isAdmin(caller) && store.engine.exclusive) {
    x.rows = [await directly(store, x, chain, epoch as Epoch)];
    return;
  }
  const rows: Row[] = [];
  for (const [at, resource] of chain.entries()) {
    const id = resource.ids.parse(x.params[at] ?? '');
    const above = rows.at(-1);
    const place = above ? `${pathOf(above)}/${resource.plural}` : resource.root + resource.plural;
    const row = id === undefined ? undefined : await rowAt(store, caller.contract, place, id, epoch);
    const isTarget = at === chain.length - 1 && verb !== 'create' && verb !== 'list';
    if (!row || (at === 0 && !maySee(caller, row)) || hidden(row, isTarget, verb))
      throw missingResource(resource, x.params[at] ?? '');
    rows.push(row);
  }
  x.rows = rows;
  if (reads) return;
  const top = rows[0];
  if (top && !mayEdit(caller, top)) throw new Fault('forbidden', 'You may see this resource but not change it.');
  const last = rows.at(-1);
  const mayBeBusy = chain.at(-1)?.lifecycle.can[verb]?.includes('BUSY') ?? false;
  if (last && !mayBeBusy) await demandReady(store, last, verb);
  else if (last?.state === 'CHANGING') await demandOwnTurn(store, last);
}

// Readers may get the row as it was read before, while nothing has changed since.
export const rowAt = (
  store: Store,
  contract: number,
  place: string,
  id: string,
  epoch: Epoch | undefined,
): Promise<Row | undefined> =>
  epoch === undefined ? store.get(contract, place, id) : store.look(contract, place, id, epoch);

// An administrator sees everything, so the rows above the target need not be read: they exist while it does, and a
// removal of one of them is known without reading it.
async function directly(store: Store, x: Exchange, chain: readonly Resource[], epoch: Epoch): Promise<Row> {
  const { contract } = x.who;
  let path = '';
  for (const [at, resource] of chain.entries()) {
    const id = resource.ids.parse(x.params[at] ?? '');
    const place = at === 0 ? resource.root + resource.plural : `${path}/${resource.plural}`;
    if (id === undefined || (at > 0 && store.removing(contract, path)))
      throw missingResource(resource, x.params[at] ?? '');
    path = `${place}/${id}`;
    if (at < chain.length - 1) continue;
    const row = await store.look(contract, place, id, epoch);
    if (row) return row;
  }
  throw missingResource(chain.at(-1) as Resource, x.params[chain.length - 1] ?? '');
}

// A resource that is being deleted can still be read until it is removed.
const hidden = (row: Row, isTarget: boolean, verb: Verb): boolean =>
  row.state === 'DELETING' && !(isTarget && verb === 'get');

// A removal is queued behind a change that locks the resource itself. Another operation, which the resource is only a
// part of, may undo itself: the removal is refused until then.
async function demandOwnTurn(store: Store, row: Row): Promise<void> {
  if (!(await store.changing(row.contract, pathOf(row)))) throw busy(row);
}

async function demandReady(store: Store, row: Row, verb: Verb): Promise<void> {
  const creating = await store.creating(row.contract, pathOf(row));
  if (creating && verb === 'create') {
    const what = `${nameOf(row)} is not ready: it is still being created.`;
    throw new Fault('missing', `${what} Wait for its request to be DONE.`);
  }
  if (creating || row.state === 'CHANGING') throw busy(row);
}
