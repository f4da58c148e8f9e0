// Finds what a path of the auto scaling service names. A group is a part of its datacenter: whoever may see or edit
// that, may see or edit the group.
import { Fault } from '../../base/fault.ts';
import { isObject, type Values } from '../../base/json.ts';
import { type Caller, demandPrivilege, isAdmin, mayEdit, maySee } from '../../core/access.ts';
import { busy } from '../../core/operation/busy.ts';
import { retryWhileBusy } from '../../core/operation/busy-retry.ts';
import { pathOf, type Resource, type Verb } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { rowAt } from '../core-dialect/find.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Machinery } from '../machinery.ts';

export async function findScaling(
  { store }: Pick<Machinery, 'store'>,
  x: Exchange,
  above: readonly Resource[],
  resource: Resource,
  verb: Verb,
): Promise<void> {
  const chain = verb === 'list' || verb === 'create' ? above : [...above, resource];
  const reads = verb === 'list' || verb === 'get';
  if (reads) return find(store, x, chain, true);
  if (verb === 'create') demandPlace(x.who);
  if (chain.length > 0) await retryWhileBusy(store, x.who.contract, x.wait, () => find(store, x, chain, false));
}

// Who can have no datacenter to put a group into is told so before the body is looked at.
function demandPlace(caller: Caller): void {
  if ([...caller.shares.values()].some(({ edit }) => edit)) return;
  demandPrivilege(caller, 'createDataCenter');
}

async function find(store: Store, x: Exchange, chain: readonly Resource[], reads: boolean): Promise<void> {
  const caller = x.who;
  const epoch = reads ? await store.epochOf(caller.contract) : undefined;
  x.epoch = epoch;
  const rows: Row[] = [];
  for (const [at, resource] of chain.entries()) {
    const id = resource.ids.parse(x.params[at] ?? '');
    const over = rows.at(-1);
    const place = over ? `${pathOf(over)}/${resource.plural}` : resource.root + resource.plural;
    const row = id === undefined ? undefined : await rowAt(store, caller.contract, place, id, epoch);
    if (!row || (row.state === 'DELETING' && !reads)) throw new Fault('missing', 'Resource does not exist');
    rows.push(row);
  }
  x.rows = rows;
  const top = rows[0];
  if (!top) return;
  const rights = await rightsOf(store, caller, top);
  if (!rights.see) throw new Fault('missing', 'Resource does not exist');
  if (reads) return;
  if (!rights.edit) throw new Fault('forbidden', 'You may see this resource but not change it.');
  if (top.state === 'CHANGING' || (await store.changing(caller.contract, pathOf(top)))) throw busy(top);
}

export async function rightsOf(store: Store, caller: Caller, row: Row): Promise<{ see: boolean; edit: boolean }> {
  if (isAdmin(caller)) return { see: true, edit: true };
  const { datacenter } = JSON.parse(row.body) as Values;
  const id = isObject(datacenter) ? String(datacenter.id) : '';
  const top = (await store.get(row.contract, 'datacenters', id)) ?? row;
  return { see: maySee(caller, top) || maySee(caller, row), edit: mayEdit(caller, top) || mayEdit(caller, row) };
}
