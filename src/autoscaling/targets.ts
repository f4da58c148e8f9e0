// Replicas as targets of application load balancers. An action adds the targets of new replicas and removes those of
// deleted ones. Between actions the scaler keeps them correct when a NIC or a target group changes. Foreign targets in
// the same group are never touched. Of a replica's target only address and port are set: a weight or maintenance flag
// that a user has set is kept.
import { Fault } from '../base/fault.ts';
import { uuid } from '../base/ids.ts';
import { isObject, type Values } from '../base/json.ts';
import { actorOf, type Caller } from '../core/access.ts';
import { isBusy } from '../core/operation/busy.ts';
import { performChange } from '../core/operation/perform-change.ts';
import type { DecisionContext, Draft } from '../core/resource.ts';
import type { Row, Write } from '../core/state/engine.ts';
import type { Machinery } from '../surface/machinery.ts';
import type { ReplicaNic, ReplicaServers, ReplicaTarget } from '../surface/ports.ts';
import { type GroupReplica, replicasOf } from './group-replicas.ts';
import { groupOf, type Membership, type ReplicaState, replicaState } from './group-row.ts';
import { listOf } from './server-body.ts';
import type { AutoscalingTools } from './tools.ts';

type Context = DecisionContext<AutoscalingTools>;

// The addresses are known once all servers of an action are decided.
export async function retarget(draft: Draft, { tools }: Context): Promise<void> {
  const servers = tools.servers();
  const configured = listOf(groupOf(draft.values).replicaConfiguration.nics);
  const joining: Membership[] = [];
  const leaving: Membership[] = [];
  for (const part of draft.related) {
    if (part.resource.name !== 'autoscalingserver') continue;
    if (part.way === 'remove') leaving.push(...(replicaState(part.before as Row).memberships ?? []));
    if (part.way !== 'create') continue;
    const state = part.hidden as Values & ReplicaState;
    const server = draft.related.find((one) => one.id === state.server) as Draft;
    const memberships = membershipsOf(configured, servers.plannedNics(server));
    if (memberships.length > 0) Object.assign(state, { memberships });
    joining.push(...memberships);
  }
  const changes = await changesOf(servers, draft.caller, joining, leaving);
  // Balancers must stop sending to a replica before its server is removed.
  const atOnce = joining.length === 0;
  draft.related.push(...changes.map((change) => (atOnce ? { ...change, atOnce } : change)));
}

// The NICs of a new server are those of the configuration, in its order.
function membershipsOf(configured: readonly Values[], nics: readonly ReplicaNic[]): Membership[] {
  return configured.flatMap(({ targetGroup }, at) => {
    const nic = nics[at];
    if (!isObject(targetGroup) || !nic) return [];
    const { targetGroupId, port, weight } = targetGroup;
    const fixed = { group: String(targetGroupId), port: Number(port), weight: Number(weight) };
    return [memberOf(fixed, nic)];
  });
}

const memberOf = (
  { group, port, weight }: Omit<Membership, 'nic' | 'lan'>,
  { id, lan, ip }: ReplicaNic,
): Membership => ({
  group,
  nic: id,
  lan,
  port,
  weight,
  ...(ip !== undefined && { ip }),
});

// When a group is deleted, its targets are removed at once, before its servers: the user may delete the target group
// next, and balancers must stop sending to them.
export async function leaveTargets(draft: Draft, { tools }: Context, replicas: readonly Row[]): Promise<void> {
  const leaving = replicas.flatMap((replica) => replicaState(replica).memberships ?? []);
  for (const change of await changesOf(tools.servers(), draft.caller, [], leaving))
    draft.related.push({ ...change, atOnce: true });
}

async function changesOf(
  servers: ReplicaServers,
  caller: Caller,
  joining: readonly Membership[],
  leaving: readonly Membership[],
): Promise<Draft[]> {
  const [add, remove] = [targetsByGroup(joining), targetsByGroup(leaving)];
  const changes: Draft[] = [];
  for (const id of new Set([...add.keys(), ...remove.keys()])) {
    const change = await servers.retarget(caller, id, add.get(id) ?? [], remove.get(id) ?? []);
    if (change) changes.push(change);
  }
  return changes;
}

function targetsByGroup(memberships: readonly Membership[]): Map<string, ReplicaTarget[]> {
  const targets = new Map<string, ReplicaTarget[]>();
  for (const { group, ip, port, weight } of memberships) {
    if (ip === undefined) continue;
    const known = targets.get(group);
    if (known) known.push({ ip, port, weight });
    else targets.set(group, [{ ip, port, weight }]);
  }
  return targets;
}

interface Repair {
  changes: Draft[]; // of target groups
  rows: Write[]; // of replicas
}

type KeepTools = Machinery & { tools: AutoscalingTools };

// Sets the targets of a group's replicas to the addresses of their NICs, in a separate request. The target group is not
// BUSY for clients in that time. The next pass retries what failed. True: nothing had to change.
export async function keepTargets(options: KeepTools, group: Row, replicas: readonly GroupReplica[]): Promise<boolean> {
  const found = await repairOf(options, group, replicas);
  if (found.changes.length > 0) await repair(options, group, found.changes);
  else if (found.rows.length > 0) await options.store.apply(found.rows);
  return found.changes.length === 0 && found.rows.length === 0;
}

async function repair(options: KeepTools, group: Row, found: readonly Draft[]): Promise<void> {
  const { store } = options;
  const { contract, place, id } = group;
  const caller = actorOf(group);
  const blank = { method: 'PATCH', headers: {}, address: '', host: '', service: 'autoscaling' };
  const url = `/cloudapi/v6/targetgroups/${found[0]?.id}`;
  const requestInfo = { ...blank, id: uuid(), url, operation: 'targetgroup_change', caller };
  const draft = async (): Promise<Draft> => {
    const fresh = await store.get(contract, place, id);
    if (fresh?.state !== 'AVAILABLE') throw new Fault('conflict', 'Another node changes this group');
    const { changes, rows } = await repairOf(options, fresh, await replicasOf(fresh, options));
    const [first, ...others] = changes.map((change) => ({ ...change, atOnce: true }));
    if (!first) throw new Fault('conflict', 'The targets are already correct');
    first.related.push(...others);
    first.extraWrites.push(...rows, { op: 'guard', table: 'resource', key: fresh, version: fresh.version });
    return first;
  };
  const input = { requestInfo, bounds: await options.bounds(contract), sentBody: '', wait: neverWaits, draft };
  try {
    await performChange(options, input);
  } catch (error) {
    if (!isBusy(error) && !(error instanceof Fault && error.kind === 'conflict')) throw error;
  }
}

const neverWaits = { isAbandoned: () => true };

async function repairOf(options: KeepTools, group: Row, replicas: readonly GroupReplica[]): Promise<Repair> {
  const servers = options.tools.servers();
  const joining: Membership[] = [];
  const leaving: Membership[] = [];
  const rows: Write[] = [];
  for (const { replica, server } of replicas) {
    const state = replicaState(replica);
    if (!server || !state.memberships) continue; // one without a server is replaced by an action
    const memberships = membersNow(state.memberships, await servers.nics(server));
    joining.push(...memberships);
    if (JSON.stringify(memberships) === JSON.stringify(state.memberships)) continue;
    leaving.push(...state.memberships.filter(({ ip }, at) => ip !== memberships[at]?.ip));
    rows.push({
      op: 'update',
      table: 'resource',
      row: { ...replica, hidden: JSON.stringify({ ...state, memberships }) },
    });
  }
  return { changes: await changesOf(servers, actorOf(group), joining, leaving), rows };
}

// A deleted NIC is replaced by another one of the same server in the same LAN, once there is one.
function membersNow(memberships: readonly Membership[], nics: readonly ReplicaNic[]): Membership[] {
  const taken = new Set(memberships.map(({ nic }) => nic));
  return memberships.map((one) => {
    const nic = nics.find(({ id }) => id === one.nic) ?? nics.find(({ id, lan }) => lan === one.lan && !taken.has(id));
    if (nic) taken.add(nic.id);
    return memberOf(one, nic ?? { id: one.nic, lan: one.lan });
  });
}
