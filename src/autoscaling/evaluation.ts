// The scaling rule, without state: from the metric's average and the number of replicas to the necessary change.
import { durationMs } from '../base/iso-duration.ts';
import type { ServerUsage } from '../surface/ports.ts';
import type { ActionType, GroupValues } from './group-row.ts';
import type { Metric, Policy, ScaleAction, Unit } from './policy-properties.ts';

export interface Wish {
  type: ActionType;
  amount: number; // of replicas
  cooldownMs: number;
}

// Undefined: no change is necessary.
export function wishOf(
  { policy, minReplicaCount, maxReplicaCount }: GroupValues,
  value: number,
  count: number,
): Wish | undefined {
  if (value > policy.scaleOutThreshold)
    return wishTo('SCALE_OUT', policy.scaleOutAction, count, maxReplicaCount - count);
  if (value < policy.scaleInThreshold) return wishTo('SCALE_IN', policy.scaleInAction, count, count - minReplicaCount);
  return undefined;
}

function wishTo(type: ActionType, action: ScaleAction, count: number, room: number): Wish | undefined {
  const amount = Math.min(amountOf(action, count), room);
  return amount > 0 ? { type, amount, cooldownMs: durationMs(action.cooldownPeriod) ?? 0 } : undefined;
}

// A percentage of the current count is rounded down; at least one replica is added or removed.
export const amountOf = ({ amount, amountType }: ScaleAction, count: number): number =>
  amountType === 'ABSOLUTE' ? amount : Math.max(1, Math.floor((count * amount) / 100));

export const rangeOf = ({ range }: Policy): number => durationMs(range) ?? 0;

const msIn: Record<Unit, number> = { PER_HOUR: 3_600_000, PER_MINUTE: 60_000, PER_SECOND: 1000, TOTAL: 0 };

const countedIn: Record<Exclude<Metric, 'INSTANCE_CPU_UTILIZATION_AVERAGE'>, (usage: ServerUsage) => number> = {
  INSTANCE_NETWORK_IN_BYTES: (usage) => usage.networkInBytes,
  INSTANCE_NETWORK_IN_PACKETS: (usage) => usage.networkInPackets,
  INSTANCE_NETWORK_OUT_BYTES: (usage) => usage.networkOutBytes,
  INSTANCE_NETWORK_OUT_PACKETS: (usage) => usage.networkOutPackets,
};

// The average over all replicas and over the time that they ran within `rangeMs`. Undefined: none of them ran.
export function averageOf(
  { metric, unit }: Policy,
  usages: readonly ServerUsage[],
  rangeMs: number,
): number | undefined {
  let runningMs = 0;
  let ran = 0; // replicas that ran: those stopped all the time do not count
  for (const usage of usages) {
    runningMs += usage.runningMs;
    if (usage.runningMs > 0) ran += 1;
  }
  if (ran === 0) return undefined;
  let sum = 0;
  if (metric === 'INSTANCE_CPU_UTILIZATION_AVERAGE') {
    for (const usage of usages) sum += usage.cpuPercent * rangeMs;
    return sum / runningMs; // of CPU time a unit has no meaning: it is a percentage
  }
  for (const usage of usages) sum += countedIn[metric](usage);
  return unit === 'TOTAL' ? sum / ran : (sum * msIn[unit]) / runningMs;
}
