// The policy of a group: the metric, its time range, the thresholds, and the actions beyond them.
import { durationMs, isoDuration } from '../base/iso-duration.ts';
import { isObject, type Values } from '../base/json.ts';
import type { Report } from '../core/resource.ts';
import { decimal, flag, type Properties, shape, text } from '../core/schema.ts';

export const metrics = [
  'INSTANCE_CPU_UTILIZATION_AVERAGE',
  'INSTANCE_NETWORK_IN_BYTES',
  'INSTANCE_NETWORK_IN_PACKETS',
  'INSTANCE_NETWORK_OUT_BYTES',
  'INSTANCE_NETWORK_OUT_PACKETS',
] as const;
export type Metric = (typeof metrics)[number];

export const units = ['PER_HOUR', 'PER_MINUTE', 'PER_SECOND', 'TOTAL'] as const;
export type Unit = (typeof units)[number];

export const terminationPolicies = ['OLDEST_SERVER_FIRST', 'NEWEST_SERVER_FIRST', 'RANDOM'] as const;

export interface ScaleAction {
  amount: number;
  amountType: 'ABSOLUTE' | 'PERCENTAGE';
  cooldownPeriod: string;
}

export interface Policy {
  metric: Metric;
  range: string;
  scaleInThreshold: number;
  scaleOutThreshold: number;
  unit: Unit;
  scaleInAction: ScaleAction & { terminationPolicy: (typeof terminationPolicies)[number]; deleteVolumes: boolean };
  scaleOutAction: ScaleAction;
}

const amount: Properties = {
  amount: decimal({ required: true, min: 1, description: 'ABSOLUTE: 1 to 10 replicas; PERCENTAGE: 1 to 200' }),
  amountType: text({ required: true, oneOf: ['ABSOLUTE', 'PERCENTAGE'] }),
  cooldownPeriod: text({
    rare: true,
    default: 'PT5M',
    max: 40,
    description: 'Minimum time between the start of this action and the next one: PT2M to PT24H',
  }),
};

export const policyProperties: Properties = {
  metric: text({ required: true, oneOf: metrics }),
  range: text({ default: 'PT2M', max: 40, description: 'The time over which the metric is averaged; PT2M at least' }),
  scaleInThreshold: decimal({ required: true, min: 0, description: 'Below it, the group scales in' }),
  scaleOutThreshold: decimal({ required: true, min: 0, description: 'Above it, the group scales out' }),
  unit: text({ rare: true, oneOf: units, aliases: { PERCENTAGE: 'TOTAL' }, default: 'TOTAL' }),
  scaleInAction: shape(
    {
      ...amount,
      terminationPolicy: text({ rare: true, oneOf: terminationPolicies, default: 'OLDEST_SERVER_FIRST' }),
      deleteVolumes: flag({ default: false, description: 'Delete the volumes of a removed replica' }),
    },
    { required: true },
  ),
  scaleOutAction: shape(amount, { required: true }),
};

export const policyExample: Values = {
  metric: 'INSTANCE_CPU_UTILIZATION_AVERAGE',
  range: 'PT10M',
  scaleInThreshold: 33,
  scaleOutThreshold: 77,
  unit: 'TOTAL',
  scaleInAction: {
    amount: 1,
    amountType: 'ABSOLUTE',
    cooldownPeriod: 'PT5M',
    terminationPolicy: 'OLDEST_SERVER_FIRST',
    deleteVolumes: true,
  },
  scaleOutAction: { amount: 1, amountType: 'ABSOLUTE', cooldownPeriod: 'PT5M' },
};

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const leastTotal = 40;

// Types may still be wrong: the schema reports those.
export function policyRules(policy: Values, report: Report): void {
  spellDuration(policy, 'range', 2 * minuteMs, 30 * dayMs, 'PT2M to P30D', 'policy', report);
  const { metric, unit, scaleInThreshold: low, scaleOutThreshold: high } = policy;
  if (typeof low === 'number' && typeof high === 'number' && high <= low)
    report('policy.scaleOutThreshold', `Attribute value ${high} is not above the scaleInThreshold of ${low}`);
  if (metric === metrics[0] && unit === 'TOTAL' && typeof high === 'number' && high < leastTotal)
    report('policy.scaleOutThreshold', `Attribute value ${high} is below the minimum of ${leastTotal} of CPU in TOTAL`);
  for (const name of ['scaleInAction', 'scaleOutAction']) {
    const action = policy[name];
    if (isObject(action)) actionRules(action, `policy.${name}`, report);
  }
}

function actionRules(action: Values, at: string, report: Report): void {
  spellDuration(action, 'cooldownPeriod', 2 * minuteMs, dayMs, 'PT2M to PT24H', at, report);
  const { amount: sent, amountType } = action;
  const most = amountType === 'PERCENTAGE' ? 200 : 10;
  if (typeof sent !== 'number') return;
  if (sent > most) report(`${at}.amount`, `Attribute value ${sent} is above the maximum of ${most} of ${amountType}`);
  if (amountType === 'ABSOLUTE' && !Number.isInteger(sent))
    report(`${at}.amount`, `Attribute value ${sent} is not a whole number of replicas`);
}

function spellDuration(
  values: Values,
  name: string,
  least: number,
  most: number,
  bounds: string,
  at: string,
  report: Report,
): void {
  const sent = values[name];
  if (typeof sent !== 'string') return;
  const text = isoDuration(sent);
  values[name] = text;
  const ms = durationMs(text);
  if (ms === undefined) report(`${at}.${name}`, `'${sent.slice(0, 40)}' is not an ISO 8601 duration, such as PT5M`);
  else if (ms < least || ms > most) report(`${at}.${name}`, `'${sent}' is not within ${bounds}`);
}
