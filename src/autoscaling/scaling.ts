// The operation of an action: how many replicas come and go, and all that is made, changed and removed for it, as parts
// of one whole. It is carried out or undone together, and a crash at any step continues it.
import { randomHex, uuid } from '../base/ids.ts';
import { durationMs } from '../base/iso-duration.ts';
import { isObject, type Values } from '../base/json.ts';
import { changeOf, creationOf, removalOf } from '../core/operation/draft.ts';
import { type DecisionContext, type Draft, pathOf } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import type { ReplicaTarget } from '../surface/ports.ts';
import {
  type GroupState,
  type GroupValues,
  groupState,
  groupValues,
  type QueuedAction,
  type ReplicaState,
  replicaState,
} from './group-row.ts';
import type { VolumeSecrets } from './replica-properties.ts';
import { type ReplicaConfiguration, serverBody } from './server-body.ts';
import type { AutoscalingTools } from './tools.ts';

type Context = DecisionContext<AutoscalingTools>;

export function configurationOf(
  group: Pick<Row, 'body' | 'hidden'>,
  { seal }: Pick<AutoscalingTools, 'seal'>,
): ReplicaConfiguration {
  const { secrets, zone = 'AUTO' } = groupState(group);
  const { replicaConfiguration: configuration } = groupValues(group);
  return {
    zone,
    configuration,
    secrets: secrets === undefined ? [] : (JSON.parse(seal.open(secrets)) as VolumeSecrets),
  };
}

export interface Standing {
  replica: Row;
  server: Row | undefined; // absent: somebody has deleted it
}

export async function replicasOf(group: Row, { store, tools }: Pick<Context, 'store' | 'tools'>): Promise<Standing[]> {
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

// How many there shall be: those that somebody has deleted are replaced, and the bounds hold whatever is wished.
export function wantedCount(
  { minReplicaCount, maxReplicaCount }: GroupValues,
  { type, amount = 0 }: QueuedAction,
  count: number,
): number {
  const wished = count + (type === 'SCALE_OUT' ? amount : -amount);
  return Math.max(minReplicaCount, Math.min(maxReplicaCount, wished));
}

export async function decideScaling(draft: Draft, context: Context): Promise<void> {
  const group = draft.before as Row;
  const values = draft.values as unknown as GroupValues;
  const state = draft.hidden as GroupState;
  const [next, ...others] = state.queue ?? [];
  if (!next) throw new Error('there is no action to carry out');
  const all = await replicasOf(group, context);
  const live = all.filter(({ server }) => server !== undefined);
  const wanted = wantedCount(values, next, all.length);
  for (const { replica } of all.filter(({ server }) => server === undefined)) removeReplica(draft, context, replica);
  if (wanted < live.length) await removeServers(draft, context, chosen(values, live, live.length - wanted));
  if (wanted > live.length) await addServers(draft, context, wanted - live.length);
  await endAction(draft, context, next);
  Object.assign(state, { queue: others, failures: 0, retryAt: 0 });
  if (next.at !== undefined) state.quietUntil = next.at + cooldownOf(values, next);
}

function cooldownOf({ policy }: GroupValues, { type }: QueuedAction): number {
  const { cooldownPeriod } = type === 'SCALE_OUT' ? policy.scaleOutAction : policy.scaleInAction;
  return durationMs(cooldownPeriod) ?? 0;
}

// The servers that a scale-in ends. Replicas come in the order of their creation.
function chosen({ policy: { scaleInAction } }: GroupValues, live: Standing[], count: number): Standing[] {
  const { terminationPolicy } = scaleInAction;
  const keyed = live.map((one) => ({ one, key: terminationPolicy === 'RANDOM' ? randomHex(8) : one.replica.id }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  if (terminationPolicy === 'NEWEST_SERVER_FIRST') keyed.reverse();
  return keyed.slice(0, count).map(({ one }) => one);
}

function removeReplica(draft: Draft, { resource: find }: Context, replica: Row): void {
  draft.related.push(removalOf(find('autoscalingserver'), draft.caller, [draft.before as Row], replica));
}

async function removeServers(draft: Draft, context: Context, standing: readonly Standing[]): Promise<void> {
  const {
    datacenter: { id },
    policy,
  } = draft.values as unknown as GroupValues;
  const servers = context.tools.servers();
  const datacenter = await servers.datacenter(draft.contract, id);
  for (const { replica, server } of standing) {
    if (!datacenter || !server) continue;
    draft.related.push(await servers.removal(draft, datacenter, server, policy.scaleInAction.deleteVolumes));
    removeReplica(draft, context, replica);
  }
}

async function addServers(draft: Draft, { tools, resource: find }: Context, count: number): Promise<void> {
  const {
    datacenter: { id },
    name,
  } = draft.values as unknown as GroupValues;
  const servers = tools.servers();
  const datacenter = await servers.datacenter(draft.contract, id);
  if (!datacenter) return;
  const { contract, place, id: key, version } = datacenter;
  draft.extraWrites.push({ op: 'guard', table: 'resource', key: { contract, place, id: key }, version });
  const configuration = configurationOf(draft.before as Row, tools);
  for (let made = 0; made < count; made++) {
    const called = `${name.slice(0, 246)}-${randomHex(4)}`;
    const server = servers.creation(draft, datacenter, uuid(), serverBody(called, configuration));
    const replica = creationOf(find('autoscalingserver'), draft.caller, [draft.before as Row], { name: called });
    Object.assign(replica.hidden, { server: server.id } satisfies ReplicaState);
    draft.related.push(server, replica);
  }
}

// It is SUCCESSFUL when the operation commits, and stays as it is where that is undone.
async function endAction(draft: Draft, { store, resource: find }: Context, { id }: QueuedAction): Promise<void> {
  const row = await store.get(draft.contract, `${pathOf(draft)}/actions`, id);
  if (!row) return;
  const ended = changeOf(find('autoscalingaction'), draft.caller, [draft.before as Row], row);
  ended.values.actionStatus = 'SUCCESSFUL';
  draft.related.push(ended);
}

// When all servers are decided their addresses are known: those that come are put into the target groups of their
// NICs, and those that go are taken out.
export async function retarget(draft: Draft, { tools }: Context): Promise<void> {
  const servers = tools.servers();
  const add = new Map<string, ReplicaTarget[]>();
  const remove = new Map<string, ReplicaTarget[]>();
  const { replicaConfiguration } = draft.values as unknown as GroupValues;
  const nics = Array.isArray(replicaConfiguration.nics) ? replicaConfiguration.nics.filter(isObject) : [];
  for (const part of draft.related) {
    if (part.resource.name !== 'autoscalingserver') continue;
    const state = (part.way === 'remove' ? replicaState(part.before as Row) : part.hidden) as unknown as ReplicaState;
    if (part.way === 'create') {
      const server = draft.related.find((one) => one.id === state.server) as Draft;
      const targets = targetsOf(nics, servers.addresses(server));
      if (targets.length > 0) state.targets = targets;
    }
    const to = part.way === 'remove' ? remove : add;
    for (const { group, target } of state.targets ?? []) to.set(group, [...(to.get(group) ?? []), target]);
  }
  for (const id of new Set([...add.keys(), ...remove.keys()])) {
    const change = await servers.retarget(draft, id, add.get(id) ?? [], remove.get(id) ?? []);
    if (change) draft.related.push(change);
  }
}

function targetsOf(
  nics: readonly Values[],
  addresses: readonly (string | undefined)[],
): NonNullable<ReplicaState['targets']> {
  return nics.flatMap(({ targetGroup }, at) => {
    const ip = addresses[at];
    if (!isObject(targetGroup) || ip === undefined) return [];
    const { targetGroupId, port, weight } = targetGroup;
    return [{ group: String(targetGroupId), target: { ip, port: Number(port), weight: Number(weight) } }];
  });
}

// A group goes with all its replicas.
export async function decideRemoval(draft: Draft, context: Context): Promise<void> {
  const all = await replicasOf(draft.before as Row, context);
  const gone = new Map<string, ReplicaTarget[]>();
  for (const { replica } of all)
    for (const { group, target } of replicaState(replica).targets ?? [])
      gone.set(group, [...(gone.get(group) ?? []), target]);
  const {
    datacenter: { id },
    policy,
  } = draft.values as unknown as GroupValues;
  const servers = context.tools.servers();
  const datacenter = await servers.datacenter(draft.contract, id);
  for (const { server } of all)
    if (datacenter && server)
      draft.related.push(await servers.removal(draft, datacenter, server, policy.scaleInAction.deleteVolumes));
  for (const [target, targets] of gone) {
    const change = await servers.retarget(draft, target, [], targets);
    if (change) draft.related.push(change);
  }
}
