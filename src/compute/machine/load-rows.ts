// The loads that the lab sets, in a row below the server, which is deleted with it. Most servers have none and are
// idle.

import { missingResource } from '../../core/missing-resource.ts';
import { pathOf } from '../../core/resource.ts';
import { type Key, type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { type Load, type Loads, withLoad } from './load.ts';

const keyOf = (server: Key): Key => ({ contract: server.contract, place: `${pathOf(server)}/load`, id: 'load' });

export function loadRow(store: Store, server: Key): Promise<Row | undefined> {
  const { contract, place, id } = keyOf(server);
  return store.get(contract, place, id);
}

export const loadsOf = async (store: Store, server: Key): Promise<Loads> => loadsIn(await loadRow(store, server));

// The load applies from now on; the write requires the version of the server.
export function setLoad(store: Store, server: Key, load: Load, now: number): Promise<Loads> {
  return store.change(async () => {
    const { contract, place, id } = keyOf(server);
    const owner = await store.get(server.contract, server.place, server.id);
    if (!owner || owner.state === 'DELETING') throw missingResource({ name: 'server' }, server.id);
    const row = await store.get(contract, place, id);
    const before = loadsIn(row);
    const loads = withLoad(before, load, now);
    if (loads === before) return { writes: [], value: loads };
    const next = { ...(row ?? rowOf({ contract, place, id, kind: 'load', time: now })), body: JSON.stringify(loads) };
    const writes: Write[] = [
      { op: 'guard', table: 'resource', key: server, version: owner.version },
      { op: row ? 'update' : 'insert', table: 'resource', row: next },
    ];
    return { writes, value: loads };
  });
}

export const loadsIn = (row: Row | undefined): Loads => (row ? (JSON.parse(row.body) as Loads) : []);
