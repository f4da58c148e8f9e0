// An auto scaling group as its tab shows it: the policy in words, the metric that it follows as expressions of central
// monitoring, and what its actions did.
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

// A group outlives its datacenter, and can do nothing any more. Undefined: its datacenter is there.
export const orphanText = ({ metadata }: Pick<Item, 'metadata'>): string | undefined =>
  metadata?.state === 'INACTIVE' ? 'Its datacenter was deleted. Delete the group.' : undefined;

// Those of all groups that have their replicas in a datacenter.
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

// Of CPU time a unit has no meaning: it is a percentage.
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

// The machines of replicas, also of those that are gone: they were named after the group. Those that it has now are
// named by their ids as well, for it may have had another name when they were made.
function machines(metric: string, { name, datacenter }: Group, servers: readonly string[]): string {
  const named = `${name.slice(0, 246).replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')}-[0-9a-f]{8}`;
  const inside = `datacenter_id=${JSON.stringify(datacenter)}`;
  const byName = `${metric}{${inside},instance_name=~${JSON.stringify(named)}}`;
  if (servers.length === 0) return byName;
  return `${byName} or ${metric}{${inside},instance_id=~${JSON.stringify(servers.join('|'))}}`;
}

const perMinute: Record<string, string> = { PER_SECOND: ' / 60', PER_HOUR: ' * 60' };

// What the policy compares with its thresholds: the average over all replicas and over its range of time. The region
// counts per minute.
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
  const pause = (action: ScaleAction): string => `then nothing for ${durationText(action.cooldownPeriod)}`;
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
  from?: number; // replicas; known where the lab is open
  to?: number;
  value?: number; // the average that it was begun for
}

// What the lab knows of a group (GET /lab/groups/{id}).
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
  return from === to ? `${name}: nothing to do at ${to}` : `${name}: ${from} → ${to}`;
}

// Only the lab tells the value; without it the API does not say what an action was begun for.
export function reasonOf({ type, value, from, to }: Action, policy: Policy): string {
  const isIn = type === 'SCALE_IN';
  if (value !== undefined) {
    const threshold = metricText(policy, isIn ? policy.scaleInThreshold : policy.scaleOutThreshold);
    return `${metricTitle(policy)} was ${metricText(policy, value)}, ${isIn ? 'below' : 'above'} ${threshold}`;
  }
  if (to === 0) return 'Its servers were deleted with their datacenter'; // the least that a group can want is one
  return from === undefined
    ? 'Its policy, or a change of the group'
    : 'The group was made or changed: back within its bounds';
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
