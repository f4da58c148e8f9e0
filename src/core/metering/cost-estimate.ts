// The cost of planned resources: their meters, priced by the list of a region. Resources have the names of the
// Terraform provider. Pure, and free of Node, because the console's forms use it too. The caller fetches the price
// list.
import { decimalText, type Fraction, fractionOf, plus, times, zero } from '../../base/decimal.ts';
import { Fault } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/values.ts';

export interface ListedPrice {
  meterId: string;
  meterDesc: string;
  unitCost: { quantity: string; unit: string };
  countedAs: { kind: string; meters: string[] };
  per: { minutes: number | null; amount: number };
}

// Facts that a plan does not contain until it is applied.
export interface PlanFacts {
  templates: ReadonlyMap<string, string>; // names of Cube templates by their ids
  cpuFamily: string; // of servers that name none
}

export interface Estimate {
  resources: { address: string; perHour: string; per30Days: string }[];
  perHour: string;
  per30Days: string;
  unpriced: string[]; // addresses of resources that the list has no price for
  notes: { address: string; note: string }[]; // parts of a resource that its cost does not include
}

interface Counted {
  kind: string;
  meters: Record<string, number>;
  note?: string; // what else is to be known of its cost
}
type Count = (values: Values, facts: PlanFacts) => Counted[];

const hour = 60n;
const month = 43_200n; // minutes of 30 days

export function estimateOf(plan: Json, prices: readonly ListedPrice[], facts: PlanFacts): Estimate {
  const root = isObject(plan) && isObject(plan.planned_values) ? plan.planned_values.root_module : undefined;
  if (!isObject(root))
    throw new Fault(
      'refused',
      'This is not a Terraform plan in JSON. Create one with `terraform show -json PLAN_FILE > plan.json`.',
    );
  return estimateResources(resourcesOf(root), prices, facts);
}

export function estimateResources(
  planned: readonly Planned[],
  prices: readonly ListedPrice[],
  facts: PlanFacts,
): Estimate {
  const estimate: Estimate = { resources: [], perHour: '', per30Days: '', unpriced: [], notes: [] };
  let total = zero; // of a minute
  for (const { address, type, values } of planned) {
    const counted = counts[type]?.(values, facts) ?? [];
    const cost = counted.map((one) => costOfMinute(one, prices)).reduce(plus, zero);
    for (const note of counted.flatMap((one) => [...(one.note ? [one.note] : []), ...missingIn(one, prices)]))
      if (!estimate.notes.some((one) => one.address === address && one.note === note))
        estimate.notes.push({ address, note });
    if (cost.over === 0n) {
      estimate.unpriced.push(address);
      continue;
    }
    total = plus(total, cost);
    estimate.resources.push({ address, perHour: text(cost, hour, 4), per30Days: text(cost, month, 2) });
  }
  return { ...estimate, perHour: text(total, hour, 4), per30Days: text(total, month, 2) };
}

// A resource of the platform's APIs, in the provider's words; undefined: it has no separate cost.
export function plannedResource(name: string, properties: Values): Omit<Planned, 'address'> | undefined {
  const { type, size } = properties;
  switch (name) {
    case 'server':
      return plannedServer(properties);
    case 'volume':
      return { type: 'volume', values: { disk_type: type ?? '', size: size ?? 0 } };
    case 'snapshot':
    case 'ipblock':
      return { type: name, values: { size: size ?? 0 } };
    case 'natgateway':
    case 'networkloadbalancer':
      return { type: name, values: {} };
    case 'applicationloadbalancer':
      return { type: 'application_loadbalancer', values: {} };
    case 'cluster':
      return { type: 'kafka_cluster', values: { size: size ?? '' } };
    case 'autoscalinggroup':
      return plannedGroup(properties);
    default:
      return undefined;
  }
}

function plannedServer({ type, cores = 0, ram = 0, cpuFamily, templateUuid }: Values): Omit<Planned, 'address'> {
  if (type === 'GPU') return { type: 'gpu_server', values: { template_uuid: templateUuid ?? '' } };
  if (type === 'CUBE') return { type: 'cube_server', values: { template_uuid: templateUuid ?? '' } };
  if (type === 'VCPU') return { type: 'vcpu_server', values: { cores, ram } };
  return { type: 'server', values: { cores, ram, cpu_family: cpuFamily ?? '' } };
}

function plannedGroup({ minReplicaCount, maxReplicaCount, replicaConfiguration }: Values): Omit<Planned, 'address'> {
  const { cores = 0, ram = 0, cpuFamily = '', volumes } = isObject(replicaConfiguration) ? replicaConfiguration : {};
  const volume = listOf(volumes).map(({ type = '', size = 0 }) => ({ type, size }));
  return {
    type: 'autoscaling_group',
    values: {
      min_replica_count: minReplicaCount ?? 0,
      max_replica_count: maxReplicaCount ?? 0,
      replica_configuration: [{ cores, ram, cpu_family: cpuFamily, volume }],
    },
  };
}

const text = (ofMinute: Fraction, minutes: bigint, places: number): string =>
  decimalText(times(ofMinute, { over: minutes, under: 1n }), places, places);

function costOfMinute({ kind, meters }: Counted, prices: readonly ListedPrice[]): Fraction {
  let cost = zero;
  for (const [meter, amount] of Object.entries(meters)) {
    const price = priceOf(kind, meter, prices);
    if (!price?.per.minutes) continue;
    const under = BigInt(price.per.minutes) * BigInt(price.per.amount);
    cost = plus(cost, times(fractionOf(price.unitCost.quantity), { over: BigInt(Math.round(amount)), under }));
  }
  return cost;
}

const priceOf = (kind: string, meter: string, prices: readonly ListedPrice[]): ListedPrice | undefined =>
  prices.find(({ countedAs }) => countedAs.kind === kind && countedAs.meters.includes(meter));

function missingIn({ kind, meters }: Counted, prices: readonly ListedPrice[]): string[] {
  return Object.entries(meters).flatMap(([meter, amount]) => {
    if (amount === 0) return `The amount of ${meter} is unknown, so the cost does not include it.`;
    if (priceOf(kind, meter, prices)?.per.minutes) return [];
    return `The price list has no ${meter}, so the cost does not include ${amount} of it.`;
  });
}

export interface Planned {
  address: string; // the name of the resource in the estimate
  type: string; // as the provider calls it, without its prefix
  values: Values;
}

function resourcesOf(module: Values): Planned[] {
  const found: Planned[] = [];
  for (const one of listOf(module.resources)) {
    if (one.mode !== 'managed' || typeof one.type !== 'string' || !one.type.startsWith('ionoscloud_')) continue;
    const values = isObject(one.values) ? one.values : {};
    found.push({ address: String(one.address), type: one.type.slice('ionoscloud_'.length), values });
  }
  for (const child of listOf(module.child_modules)) found.push(...resourcesOf(child));
  return found;
}

const listOf = (value: Json | undefined): Values[] => (Array.isArray(value) ? value.filter(isObject) : []);
const numberOf = (value: Json | undefined): number => (Number.isFinite(value) ? Number(value) : 0);
const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

// By the provider's names of resources, without their prefix.
const counts: Readonly<Record<string, Count>> = {
  server: (values, facts) =>
    textIn(values.template_uuid)
      ? templateCounts('cube')(values, facts)
      : [...serverCounts(values, facts), ...volumesIn(values)],
  cube_server: (values, facts) => templateCounts('cube')(values, facts),
  gpu_server: (values, facts) => templateCounts('gpu')(values, facts),
  vcpu_server: (values) => [
    { kind: 'server', meters: { vcpus: numberOf(values.cores), ramMb: numberOf(values.ram) } },
    ...volumesIn(values),
  ],
  volume: (values) => [volumeCount(textIn(values.disk_type), numberOf(values.size))],
  snapshot: (values) => [{ kind: 'snapshot', meters: { snapshotGb: numberOf(values.size) } }],
  ipblock: (values) => [{ kind: 'ipblock', meters: { ipv4: numberOf(values.size) } }],
  natgateway: () => [{ kind: 'natgateway', meters: { natGateway: 1 } }],
  networkloadbalancer: () => [{ kind: 'networkloadbalancer', meters: { networkLoadBalancer: 1 } }],
  application_loadbalancer: () => [{ kind: 'applicationloadbalancer', meters: { applicationLoadBalancer: 1 } }],
  kafka_cluster: ({ size }) => [{ kind: 'cluster', meters: { [`size ${textIn(size)}`]: 1 } }],
  autoscaling_group: (values, facts) => groupCounts(values, facts),
};

const serverCounts: Count = ({ cores, ram, cpu_family }, { cpuFamily }) => [
  {
    kind: 'server',
    meters: { [`cores ${textIn(cpu_family).toUpperCase() || cpuFamily}`]: numberOf(cores), ramMb: numberOf(ram) },
  },
];
const templateCounts =
  (kind: 'cube' | 'gpu'): Count =>
  ({ template_uuid }, { templates }) => [
    { kind: 'server', meters: { [`${kind} ${templates.get(textIn(template_uuid)) ?? ''}`]: 1 } },
  ];
// The fewest replicas that a group has; how long it will have more is not known.
function groupCounts(values: Values, facts: PlanFacts): Counted[] {
  const [replica = {}] = listOf(values.replica_configuration);
  const [least, most] = [numberOf(values.min_replica_count), numberOf(values.max_replica_count)];
  const volumes = listOf(replica.volume).map(({ type, size }) => ({
    disk_type: diskType(textIn(type)),
    size: size ?? 0,
  }));
  const ofOne = [...serverCounts(replica, facts), ...volumesIn({ volume: volumes })];
  const note = `This is the cost of ${least} replica${least === 1 ? '' : 's'}; up to ${most} cost more.`;
  return ofOne.map(({ kind, meters }) => ({
    kind,
    meters: Object.fromEntries(Object.entries(meters).map(([meter, amount]) => [meter, amount * least])),
    ...(most > least && { note }),
  }));
}

// As the core API spells it.
const diskType = (type: string): string => type.replace('SSD_STANDARD', 'SSD Standard').replace('_PREMIUM', ' Premium');

const volumesIn = ({ volume }: Values): Counted[] =>
  listOf(volume).map(({ disk_type, size }) => volumeCount(textIn(disk_type), numberOf(size)));

function volumeCount(type: string, size: number): Counted {
  const meter = type === 'HDD' ? 'hddGb' : type === 'SSD Standard' ? 'ssdStandardGb' : 'ssdPremiumGb';
  return { kind: 'volume', meters: { [meter]: size } };
}
