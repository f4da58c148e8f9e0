// An existing volume that is attached when a server is created: named among its volumes, or as its boot volume.
import { isUuid } from '../../base/ids.ts';
import { changeOf } from '../../core/operation/draft.ts';
import { type Draft, pathOf, type Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { refused } from '../lan/address-claims.ts';
import { volumePath } from '../storage/volume.ts';

// `at`: the property that names it, starting with the properties of the server.
export async function existingVolume(
  draft: Draft,
  store: Store,
  volume: Resource,
  id: string,
  at: string,
): Promise<Draft> {
  const top = draft.parents[0] as Row;
  const row = isUuid(id) ? await store.at(draft.contract, volumePath(pathOf(top), id)) : undefined;
  const named = { ...draft, at };
  if (row?.state !== 'AVAILABLE')
    throw refused(named, 'id', `Volume ${id.slice(0, 60)} does not exist in this datacenter, or is not ready`, '100');
  const change = changeOf(volume, draft.caller, draft.parents, row, 'attach');
  if (change.reservations.links.length > 0) throw refused(named, 'id', `Volume ${id} is attached to another server`);
  return { ...change, at };
}
