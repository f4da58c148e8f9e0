// A group as its row keeps it: the properties, and hidden beside them the sealed secrets of its volumes, the actions
// that wait for their turn, and what the next decision must know of the last one.
import type { Values } from '../base/json.ts';
import type { Row } from '../core/state/engine.ts';
import type { ReplicaTarget } from '../surface/ports.ts';
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
}

export interface GroupState {
  secrets?: string; // sealed
  zone?: string; // of the replicas
  queue?: QueuedAction[];
  quietUntil?: number; // no action of the policy before that: the cooldown of the last one
  failures?: number; // in a row
  retryAt?: number; // nothing is tried again before that
}

export const groupValues = ({ body }: Pick<Row, 'body'>): GroupValues => JSON.parse(body) as GroupValues;
export const groupState = ({ hidden }: Pick<Row, 'hidden'>): GroupState =>
  hidden ? (JSON.parse(hidden) as GroupState) : {};

// A replica's row: its server, and the targets that stand for it in target groups.
export interface ReplicaState {
  server: string;
  targets?: { group: string; target: ReplicaTarget }[];
}

export const replicaState = ({ hidden }: Pick<Row, 'hidden'>): ReplicaState => JSON.parse(hidden) as ReplicaState;
