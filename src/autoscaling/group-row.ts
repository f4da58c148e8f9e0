// A group as its row keeps it: the properties, and hidden beside them the sealed secrets of its volumes, what clients
// can't read, the actions that wait for their turn, and what the next decision must know of the last one. The rows of
// its actions and replicas have hidden parts as well.
import type { Values } from '../base/json.ts';
import type { Row } from '../core/state/engine.ts';
import type { Policy } from './policy-properties.ts';

export interface GroupValues {
  datacenter: { id: string };
  location: string;
  name: string;
  minReplicaCount: number;
  maxReplicaCount: number;
  policy: Policy;
  replicaConfiguration: Values;
}

export type ActionType = 'SCALE_IN' | 'SCALE_OUT';

// An action that was begun and has not started its operation. `amount` is the policy's; without it the group only comes
// back within its bounds.
export interface QueuedAction {
  id: string;
  type: ActionType;
  amount?: number;
  at?: number; // of a policy's: when it began, from which its cooldown counts
  value?: number; // of a policy's: the average that it was begun for
}

export interface GroupState {
  secrets?: string; // sealed
  unreadable?: Values; // of the replica configuration: what clients can't read, and are not shown
  queue?: QueuedAction[];
  quietUntil?: number; // no action of the policy before that: the cooldown of the last one
  failures?: number; // in a row
  retryAt?: number; // nothing is tried again before that
}

// The schema has checked them.
export const groupOf = (values: Values): GroupValues => values as unknown as GroupValues;
export const groupValues = ({ body }: Pick<Row, 'body'>): GroupValues => groupOf(JSON.parse(body) as Values);
export const groupState = ({ hidden }: Pick<Row, 'hidden'>): GroupState =>
  hidden ? (JSON.parse(hidden) as GroupState) : {};

// What an action did.
export interface ActionState {
  message?: string; // why it failed
  from?: number; // replicas
  to?: number;
  value?: number;
}

export const actionState = ({ hidden }: Pick<Row, 'hidden'>): ActionState =>
  hidden ? (JSON.parse(hidden) as ActionState) : {};

// A NIC of a replica that is a target of a target group, with the address by which it stands there now.
export interface Membership {
  group: string;
  nic: string;
  lan: number;
  port: number;
  weight: number;
  ip?: string; // absent: it has none
}

export interface ReplicaState {
  server: string;
  memberships?: Membership[];
}

export const replicaState = ({ hidden }: Pick<Row, 'hidden'>): ReplicaState => JSON.parse(hidden) as ReplicaState;

// As it is shown: BUSY while something is under way, otherwise what its machine is in unless it runs.
export function replicaStatus(replica: Row, server: Row | undefined): string {
  if (replica.state !== 'AVAILABLE' || server?.state !== 'AVAILABLE') return 'BUSY';
  const { vmState } = JSON.parse(server.body) as { vmState: string };
  return vmState === 'RUNNING' ? 'AVAILABLE' : vmState;
}
