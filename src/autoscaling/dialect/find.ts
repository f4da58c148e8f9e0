// Finds the resource that a path of the auto scaling service names. A group is a part of its datacenter: a user who may
// see or edit the datacenter may see or edit the group.
import { Fault } from '../../base/fault.ts';
import { isObject, type Values } from '../../base/json.ts';
import { type Caller, demandPrivilege, isAdmin, mayEdit, maySee } from '../../core/access.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { busy } from '../../core/operation/busy.ts';
import { retryWhileBusy } from '../../core/operation/busy-retry.ts';
import { pathOf, type Resource, type Verb } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { rowAt } from '../../surface/core-dialect/find.ts';
import type { Exchange } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';

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

// A caller who can have no datacenter for a group is refused before the body is read.
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
    // Terraform does not wait for a deletion: for clients, the group is deleted once the deletion is accepted.
    if (!row || row.state === 'DELETING') throw missingResource(resource, x.params[at] ?? '');
    rows.push(row);
  }
  x.rows = rows;
  const top = rows[0];
  if (!top) return;
  const rights = await rightsOf(store, caller, top);
  if (!rights.see) throw missingResource(chain[0] as Resource, x.params[0] ?? '');
  if (reads) return;
  if (!rights.edit) throw new Fault('forbidden', 'You can view this resource but not change it.');
  if (top.state === 'CHANGING' || (await store.changing(caller.contract, pathOf(top)))) throw busy(top);
}

export async function rightsOf(store: Store, caller: Caller, row: Row): Promise<{ see: boolean; edit: boolean }> {
  if (isAdmin(caller)) return { see: true, edit: true };
  const { datacenter } = JSON.parse(row.body) as Values;
  const id = isObject(datacenter) ? String(datacenter.id) : '';
  const top = (await store.get(row.contract, 'datacenters', id)) ?? row;
  return { see: maySee(caller, top) || maySee(caller, row), edit: mayEdit(caller, top) || mayEdit(caller, row) };
}
