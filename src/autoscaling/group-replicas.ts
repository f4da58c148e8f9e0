// The replicas of a group with their servers, in the order of their creation.
import { pathOf } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { groupValues, replicaState } from './group-row.ts';
import type { AutoscalingTools } from './tools.ts';

export interface GroupReplica {
  replica: Row;
  server: Row | undefined; // absent: it was deleted
}

interface ReplicaTools {
  store: Store;
  tools: AutoscalingTools;
}

export async function replicasOf(group: Row, { store, tools }: ReplicaTools): Promise<GroupReplica[]> {
  const { datacenter } = groupValues(group);
  const rows = await store.children(group.contract, `${pathOf(group)}/servers`);
  const servers = tools.servers();
  return Promise.all(
    rows.map(async (replica) => ({
      replica,
      server: await servers.find(group.contract, datacenter.id, replicaState(replica).server),
    })),
  );
}
