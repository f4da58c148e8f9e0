// An existing volume that is attached when a server is created: named among its volumes, or as its boot volume.
import { isUuid } from '../../base/ids.ts';
import { changeOf } from '../../core/operation/draft.ts';
import { type Draft, pathOf, type Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { refused } from '../lan/address-claims.ts';
import { volumePath } from '../storage/volume.ts';

// `at`: where it is named, from the properties of the server on.
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
    throw refused(named, 'id', `There is no volume ${id.slice(0, 60)} in this datacenter that is ready`, '100');
  const change = changeOf(volume, draft.caller, draft.parents, row, 'attach');
  if (change.reservations.links.length > 0)
    throw refused(named, 'id', `The volume ${id} is attached to another server`);
  return { ...change, at };
}
