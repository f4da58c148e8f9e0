// Tenants that were removed on a node without the engine's data: the node that has them finds these rows and drops
// them. `scope` is a product's own word in front of its claims.
import { rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';

const placeOf = (scope: string): string => `${scope}-drop`;

export async function leaveDrop(store: Store, scope: string, tenant: string): Promise<void> {
  await store.apply([{ op: 'insert', table: 'claim', row: rowOf({ contract: 0, place: placeOf(scope), id: tenant }) }]);
}

export async function dropLeft(store: Store, scope: string, drop: (tenant: string) => Promise<void>): Promise<void> {
  for await (const row of store.each({ contract: 0, place: placeOf(scope) }, 'claim')) {
    await drop(row.id);
    await store.apply([{ op: 'remove', table: 'claim', key: row, loose: true }]);
  }
}
