// Reads and completes the rows of clusters on the engine's node.
import { equalJson, type Values } from '../../base/json.ts';
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { ClusterHandle } from '../engine/engine.ts';
import { cluster } from './cluster.ts';

// Yields all clusters of all contracts and regions, by the claims on their ids.
export async function* everyCluster(store: Store): AsyncGenerator<Row> {
  for await (const { body } of store.each({ contract: 0, place: cluster.name }, 'claim')) {
    const { contract, path } = JSON.parse(body) as { contract: number; path: string };
    const row = await store.at(contract, path);
    if (row) yield row;
  }
}

type Hidden = Values & { cluster: Values; failed?: string };

export const keepHandle = (store: Store, row: Row, handle: ClusterHandle): Promise<void> =>
  changeHidden(store, row, ({ failed, ...hidden }) => {
    const { isBroken, ...rest } = hidden.cluster;
    const known = isBroken === true || failed === undefined ? {} : { failed };
    return { ...hidden, ...known, cluster: { ...rest, handle } };
  });

// The cluster shows as FAILED until its brokers can be started again.
export const keepTrouble = (store: Store, row: Row, message: string): Promise<void> =>
  changeHidden(store, row, (hidden) => ({
    ...hidden,
    failed: message,
    cluster: { ...hidden.cluster, isBroken: true },
  }));

async function changeHidden(
  store: Store,
  { contract, ...key }: Row,
  change: (hidden: Hidden) => Values,
): Promise<void> {
  await store.change(async () => {
    const row = await store.at(contract, pathOf(key));
    const before = row && (JSON.parse(row.hidden) as Hidden);
    const after = before && change(before);
    if (!row || !after || equalJson(before, after)) return { writes: [], value: undefined };
    return {
      writes: [{ op: 'update', table: 'resource', row: { ...row, hidden: JSON.stringify(after) } }],
      value: undefined,
    };
  });
}
