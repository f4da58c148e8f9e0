// A load of a whole group, set by the lab. It is spread evenly over the replicas, and again whenever they change. It is
// stored in a row below the group, with the servers that it was spread over.
import type { Values } from '../base/json.ts';
import { pathOf } from '../core/resource.ts';
import { type Row, rowOf } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import type { GroupReplica } from './group-replicas.ts';
import type { AutoscalingTools } from './tools.ts';

interface SpreadTools {
  store: Store;
  tools: AutoscalingTools;
  now: () => number;
}

interface GroupLoad {
  total: Values; // by the lab's names
  over: string[]; // ids of servers
}

const keyOf = (group: Row) => ({ contract: group.contract, place: `${pathOf(group)}/load`, id: 'load' });
const mostPercent = 100;

export async function totalLoad(store: Store, group: Row): Promise<Values> {
  const { contract, place, id } = keyOf(group);
  const row = await store.get(contract, place, id);
  return row ? (JSON.parse(row.body) as GroupLoad).total : {};
}

export async function setTotalLoad(
  tools: SpreadTools,
  group: Row,
  replicas: readonly GroupReplica[],
  total: Values,
): Promise<void> {
  const { store, now } = tools;
  const { contract, place, id } = keyOf(group);
  await store.change(async () => {
    const row = await store.get(contract, place, id);
    const fresh = rowOf({ contract, place, id, kind: 'load', time: now() });
    const next = { ...(row ?? fresh), body: JSON.stringify({ total, over: [] } satisfies GroupLoad) };
    return {
      writes: [
        { op: 'guard', table: 'resource', key: group, version: group.version },
        { op: row ? 'update' : 'insert', table: 'resource', row: next },
      ],
      value: undefined,
    };
  });
  await spreadLoad(tools, group, replicas);
}

export async function spreadLoad(
  { store, tools, now }: SpreadTools,
  group: Row,
  replicas: readonly GroupReplica[],
): Promise<void> {
  const { contract, place, id } = keyOf(group);
  const row = await store.get(contract, place, id);
  if (!row) return;
  const { total, over } = JSON.parse(row.body) as GroupLoad;
  const servers = replicas.flatMap(({ server }) => server ?? []).filter(({ state }) => state === 'AVAILABLE');
  const ids = servers.map((server) => server.id).sort();
  if (ids.length === 0 || ids.join() === over.join()) return;
  const share = shareOf(total, ids.length);
  const time = now();
  await Promise.all(servers.map((server) => tools.servers().setLoad(server, share, time)));
  // Another total was set at the same time; the caller that set it spreads it.
  await store.apply([{ op: 'update', table: 'resource', row: { ...row, body: JSON.stringify({ total, over: ids }) } }]);
}

function shareOf(total: Values, count: number): Values {
  const share: Values = {};
  for (const [name, value] of Object.entries(total)) {
    if (typeof value !== 'number') continue;
    share[name] = name === 'cpuPercent' ? Math.min(mostPercent, value / count) : Math.round(value / count);
  }
  return share;
}
