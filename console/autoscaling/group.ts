// The model of an auto scaling group's tab: the policy in words, its metric as PromQL expressions, and the results of
// its actions.
import { durationMs } from '../../src/base/iso-duration.ts';
import { formatValue, type Unit } from '../plot/units.ts';
import type { Dependent } from '../resources/dependent.ts';
import type { Item } from '../resources/model.ts';
import { resourceUrl } from '../urls.ts';

export interface Policy {
  metric: string;
  unit: string;
  range: string;
  scaleInThreshold: number;
  scaleOutThreshold: number;
  scaleInAction: ScaleAction;
  scaleOutAction: ScaleAction;
}

interface ScaleAction {
  amount: number;
  amountType: string;
  cooldownPeriod: string;
}

export interface Group {
  name: string;
  datacenter: string; // its id
  location: string;
  least: number;
  most: number;
  policy: Policy;
}

// A group without its datacenter can't scale any more. Undefined: the datacenter exists.
export const orphanText = ({ metadata }: Pick<Item, 'metadata'>): string | undefined =>
  metadata?.state === 'INACTIVE' ? 'Its datacenter was deleted. Delete the group.' : undefined;

// The groups whose replicas are in this datacenter.
export const groupsIn = (items: readonly Item[], datacenter: string): Dependent[] =>
  items
    .filter((item) => groupOf(item).datacenter === datacenter)
    .map(({ id, properties }) => ({
      kind: 'auto scaling group',
      name: String(properties.name),
      url: resourceUrl('autoscaling', `/groups/${id}`),
    }));

export function groupOf({ properties }: Item): Group {
  const { name, datacenter, location, minReplicaCount, maxReplicaCount, policy } = properties;
  return {
    name: String(name),
    datacenter: (datacenter as { id: string }).id,
    location: String(location ?? ''),
    least: Number(minReplicaCount),
    most: Number(maxReplicaCount),
    policy: policy as Policy,
  };
}

const metricNames: Record<string, string> = {
  INSTANCE_CPU_UTILIZATION_AVERAGE: 'CPU',
  INSTANCE_NETWORK_IN_BYTES: 'Incoming bytes',
  INSTANCE_NETWORK_IN_PACKETS: 'Incoming packets',
  INSTANCE_NETWORK_OUT_BYTES: 'Outgoing bytes',
  INSTANCE_NETWORK_OUT_PACKETS: 'Outgoing packets',
};
const isCpu = ({ metric }: Policy): boolean => metric === 'INSTANCE_CPU_UTILIZATION_AVERAGE';

// CPU utilization is a percentage, so it has no unit of time.
export function metricTitle(policy: Policy): string {
  const name = metricNames[policy.metric] ?? policy.metric;
  if (isCpu(policy)) return name;
  const per = { PER_SECOND: ' per second', PER_MINUTE: ' per minute', PER_HOUR: ' per hour' }[policy.unit];
  return `${name}${per ?? ` in ${durationText(policy.range)}`}`;
}

export function unitOfMetric(policy: Policy): Unit {
  if (isCpu(policy)) return 'percent';
  return policy.metric.endsWith('_BYTES') ? 'bytes' : 'number';
}

export const metricText = (policy: Policy, value: number): string => formatValue(value, unitOfMetric(policy));

// PT2M: `2 minutes`.
export function durationText(iso: string): string {
  const seconds = (durationMs(iso) ?? 0) / 1000;
  const [size, noun] = (
    [
      [86_400, 'day'],
      [3600, 'hour'],
      [60, 'minute'],
      [1, 'second'],
    ] as const
  ).find(([one]) => seconds >= one && seconds % one === 0) ?? [1, 'second'];
  const count = seconds / size;
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// Matches the machines of all replicas, also deleted ones, which were named after the group. Existing replicas are
// matched by id, too, because the group may have been renamed since.
function machines(metric: string, { name, datacenter }: Group, servers: readonly string[]): string {
  const named = `${name.slice(0, 246).replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')}-[0-9a-f]{8}`;
  const inside = `datacenter_id=${JSON.stringify(datacenter)}`;
  const byName = `${metric}{${inside},instance_name=~${JSON.stringify(named)}}`;
  if (servers.length === 0) return byName;
  return `${byName} or ${metric}{${inside},instance_id=~${JSON.stringify(servers.join('|'))}}`;
}

const perMinute: Record<string, string> = { PER_SECOND: ' / 60', PER_HOUR: ' * 60' };

// The value that the policy compares with its thresholds: the average over all replicas and the policy's range. The
// region counts per minute.
export function metricExpression(group: Group, servers: readonly string[]): string {
  const { policy } = group;
  const range = `[${Math.max(60, (durationMs(policy.range) ?? 0) / 1000)}s:1m]`;
  const chosen = machines(policy.metric.toLowerCase(), group, servers);
  if (isCpu(policy)) return `avg(avg_over_time((${chosen})${range}))`;
  if (policy.unit === 'TOTAL') return `avg(sum_over_time((${chosen})${range}))`;
  return `avg(avg_over_time((${chosen})${range}))${perMinute[policy.unit] ?? ''}`;
}

export const countExpression = (group: Group, servers: readonly string[]): string =>
  `count(${machines('instance_cpu_utilization_average', group, servers)})`;

const amountText = ({ amount, amountType }: ScaleAction): string =>
  amountType === 'PERCENTAGE' ? `${amount} %` : `${amount} ${amount === 1 ? 'replica' : 'replicas'}`;

export function rulesOf({ policy }: Group): string[] {
  const { scaleOutAction: out, scaleInAction: back, scaleOutThreshold: high, scaleInThreshold: low } = policy;
  const pause = (action: ScaleAction): string => `then a cooldown of ${durationText(action.cooldownPeriod)}`;
  return [
    `Above ${metricText(policy, high)}: ${amountText(out)} more, ${pause(out)}`,
    `Below ${metricText(policy, low)}: ${amountText(back)} less, ${pause(back)}`,
  ];
}

export interface Action {
  id: string;
  type: string;
  status: string;
  began: string;
  message: string;
  from?: number; // replicas; known if the caller may use the lab
  to?: number;
  value?: number; // the average that triggered the action
}

// The lab's view of a group (GET /lab/groups/{id}).
export interface LabLook {
  value: number | null;
  cooldownUntil: string | null;
  retryAt: string | null;
  actions: readonly { id: string; from?: number; to?: number; value?: number }[];
}

export function actionsOf(items: readonly Item[], look: LabLook | undefined): Action[] {
  const known = new Map(look?.actions.map((one) => [one.id, one]));
  return items.map(({ id, metadata, properties }) => {
    const { from, to, value } = known.get(id) ?? {};
    return {
      id,
      type: String(properties.actionType),
      status: String(properties.actionStatus),
      began: String(metadata?.createdDate ?? ''),
      message: String(metadata?.statusMessage ?? ''),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(value !== undefined && { value }),
    };
  });
}

export function whatOf({ type, from, to }: Action): string {
  const name = type === 'SCALE_IN' ? 'Scale in' : 'Scale out';
  if (from === undefined || to === undefined) return name;
  return from === to ? `${name}: already ${to}` : `${name}: ${from} → ${to}`;
}

// Only the lab returns the value. Without it, the API does not show why an action started.
export function reasonOf({ type, value, from, to }: Action, policy: Policy): string {
  const isIn = type === 'SCALE_IN';
  if (value !== undefined) {
    const threshold = metricText(policy, isIn ? policy.scaleInThreshold : policy.scaleOutThreshold);
    return `${metricTitle(policy)} was ${metricText(policy, value)}, ${isIn ? 'below' : 'above'} ${threshold}`;
  }
  if (to === 0) return 'Its servers were deleted with their datacenter'; // a group always wants at least one
  return from === undefined ? 'The policy, or a change of the group' : 'The group was created or changed';
}

export interface Replica {
  id: string;
  name: string;
  state: string;
  server: string; // its id
  path: string; // of the server, below the core's prefix
}

export const replicasOf = (items: readonly Item[]): Replica[] =>
  items.map(({ id, metadata, properties }) => {
    const { id: server, href } = properties.datacenterServer as { id: string; href: string };
    return {
      id,
      name: String(properties.name ?? id),
      state: String(metadata?.state ?? ''),
      server,
      path: href.replace(/^.*?(?=\/datacenters\/)/, ''),
    };
  });
