// A group as stored in its row: the properties and, hidden, the sealed secrets of its volumes, what clients can't read,
// the queued actions, and what the next decision must know of the last one. The rows of its actions and replicas have
// hidden parts as well.
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

// An action that was created and has not started its operation. `amount` is the policy's; without it the group only
// returns to its bounds.
export interface QueuedAction {
  id: string;
  type: ActionType;
  amount?: number;
  at?: number; // of a policy's: when it began, from which its cooldown counts
  value?: number; // of a policy's: the average that it was begun for
}

export interface GroupState {
  secrets?: string; // sealed
  unreadable?: Values; // parts of the replica configuration that clients can't read
  queue?: QueuedAction[];
  quietUntil?: number; // cooldown: no action of the policy begins before
  failures?: number; // in a row
  retryAt?: number; // the next attempt is not before
}

// The schema has checked them.
export const groupOf = (values: Values): GroupValues => values as unknown as GroupValues;
export const groupValues = ({ body }: Pick<Row, 'body'>): GroupValues => groupOf(JSON.parse(body) as Values);
export const groupState = ({ hidden }: Pick<Row, 'hidden'>): GroupState =>
  hidden ? (JSON.parse(hidden) as GroupState) : {};

// The effect of an action.
export interface ActionState {
  message?: string; // why it failed
  from?: number; // replicas
  to?: number;
  value?: number;
}

export const actionState = ({ hidden }: Pick<Row, 'hidden'>): ActionState =>
  hidden ? (JSON.parse(hidden) as ActionState) : {};

// A NIC of a replica that is a target of a target group, with its current address there.
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

// The displayed state: BUSY while an operation runs, otherwise that of the machine unless it runs.
export function replicaStatus(replica: Row, server: Row | undefined): string {
  if (replica.state !== 'AVAILABLE' || server?.state !== 'AVAILABLE') return 'BUSY';
  const { vmState } = JSON.parse(server.body) as { vmState: string };
  return vmState === 'RUNNING' ? 'AVAILABLE' : vmState;
}
