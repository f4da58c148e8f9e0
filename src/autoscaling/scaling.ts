// The operation of an action: how many replicas are added or removed, and all resources that are created, changed and
// removed for it, as parts of one operation. It is completed or undone as a whole, and continues after a crash.
import { randomHex, uuid } from '../base/ids.ts';
import { durationMs } from '../base/iso-duration.ts';
import { changeOf, creationOf, removalOf } from '../core/operation/draft.ts';
import { type DecisionContext, type Draft, pathOf } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import { type GroupReplica, replicasOf } from './group-replicas.ts';
import {
  type ActionState,
  type GroupState,
  type GroupValues,
  groupOf,
  groupState,
  groupValues,
  type QueuedAction,
  type ReplicaState,
} from './group-row.ts';
import type { VolumeSecrets } from './replica-properties.ts';
import { type ReplicaConfiguration, serverBody } from './server-body.ts';
import { leaveTargets } from './targets.ts';
import type { AutoscalingTools } from './tools.ts';

type Context = DecisionContext<AutoscalingTools>;

export function configurationOf(
  group: Pick<Row, 'body' | 'hidden'>,
  { seal }: Pick<AutoscalingTools, 'seal'>,
): ReplicaConfiguration {
  const { secrets, unreadable } = groupState(group);
  const { replicaConfiguration } = groupValues(group);
  return {
    configuration: { ...replicaConfiguration, ...unreadable },
    secrets: secrets === undefined ? [] : (JSON.parse(seal.open(secrets)) as VolumeSecrets),
  };
}

// The desired number of replicas: deleted replicas are replaced, and the bounds always hold.
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
  const values = groupOf(draft.values);
  const state = draft.hidden as GroupState;
  const [next, ...others] = state.queue ?? [];
  if (!next) throw new Error('the group has no queued action');
  const datacenter = await context.tools.servers().datacenter(draft.contract, values.datacenter.id);
  const all = await replicasOf(group, context);
  const live = all.filter(({ server }) => server !== undefined);
  const wanted = datacenter ? wantedCount(values, next, all.length) : live.length;
  for (const { replica } of all.filter(({ server }) => server === undefined)) removeReplica(draft, context, replica);
  if (datacenter && wanted < live.length)
    await removeServers(draft, context, datacenter, chosen(values, live, live.length - wanted));
  if (datacenter && wanted > live.length) await addServers(draft, context, datacenter, wanted - live.length);
  await endAction(draft, context, next, { from: all.length, to: wanted });
  Object.assign(state, { queue: others, failures: 0, retryAt: 0 });
  if (next.at !== undefined) state.quietUntil = next.at + cooldownOf(values, next);
}

function cooldownOf({ policy }: GroupValues, { type }: QueuedAction): number {
  const { cooldownPeriod } = type === 'SCALE_OUT' ? policy.scaleOutAction : policy.scaleInAction;
  return durationMs(cooldownPeriod) ?? 0;
}

// The servers that a scale-in ends. Replicas come in the order of their creation.
function chosen({ policy: { scaleInAction } }: GroupValues, live: GroupReplica[], count: number): GroupReplica[] {
  const { terminationPolicy } = scaleInAction;
  const keyed = live.map((one) => ({ one, key: terminationPolicy === 'RANDOM' ? randomHex(8) : one.replica.id }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  if (terminationPolicy === 'NEWEST_SERVER_FIRST') keyed.reverse();
  return keyed.slice(0, count).map(({ one }) => one);
}

function removeReplica(draft: Draft, { resource: find }: Context, replica: Row): void {
  draft.related.push(removalOf(find('autoscalingserver'), draft.caller, [draft.before as Row], replica));
}

async function removeServers(draft: Draft, context: Context, datacenter: Row, leaving: GroupReplica[]): Promise<void> {
  const { deleteVolumes } = groupOf(draft.values).policy.scaleInAction;
  const servers = context.tools.servers();
  for (const { replica, server } of leaving) {
    if (!server) continue;
    draft.related.push(await servers.removal(draft, datacenter, server, deleteVolumes));
    removeReplica(draft, context, replica);
  }
}

async function addServers(draft: Draft, context: Context, datacenter: Row, count: number): Promise<void> {
  const { tools, resource: find } = context;
  const { name } = groupOf(draft.values);
  const servers = tools.servers();
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

// It becomes SUCCESSFUL when the operation commits, and is unchanged when that is undone.
async function endAction(draft: Draft, context: Context, action: QueuedAction, did: ActionState): Promise<void> {
  const { store, resource: find } = context;
  const { id, value } = action;
  const row = await store.get(draft.contract, `${pathOf(draft)}/actions`, id);
  if (!row) return;
  const ended = changeOf(find('autoscalingaction'), draft.caller, [draft.before as Row], row);
  ended.values.actionStatus = 'SUCCESSFUL';
  Object.assign(ended.hidden, did, value !== undefined && { value });
  draft.related.push(ended);
}

// Deleting a group deletes all its replicas.
export async function decideRemoval(draft: Draft, context: Context): Promise<void> {
  const all = await replicasOf(draft.before as Row, context);
  const { datacenter, policy } = groupOf(draft.values);
  const servers = context.tools.servers();
  const place = await servers.datacenter(draft.contract, datacenter.id);
  for (const { server } of all)
    if (place && server)
      draft.related.push(await servers.removal(draft, place, server, policy.scaleInAction.deleteVolumes));
  const replicas = all.map(({ replica }) => replica);
  await leaveTargets(draft, context, replicas);
}
