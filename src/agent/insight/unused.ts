// `find_unused`: what costs money or attention and is used by nobody.
import type { Json, Values } from '../../base/json.ts';
import { estimateResources, type Planned } from '../../core/metering/cost-estimate.ts';
import { Failure } from '../client/failure.ts';
import { listIn } from '../client/storage-api.ts';
import { input, numberOf, optional, type Sight, type Tool, text, textOf, whole } from '../tool.ts';
import { factsOf, pricesOf } from './cost-estimate.ts';
import {
  datacenterNamed,
  datacenters,
  type Inventory,
  inventoryOf,
  itemsOf,
  mostListed,
  propertiesOf,
  wordOf,
} from './inventory.ts';
import { instant } from './metrics.ts';
import { central } from './pipelines.ts';

const mostBuckets = 100;
const leastHours = 22; // a day, but for small gaps: what was measured for less is not called idle

export const findUnused: Tool = {
  name: 'find_unused',
  group: 'insight',
  description:
    'Find what nobody uses: volumes attached to nothing, reserved addresses without a user, servers that are stopped or idle by their metrics, gateways and balancers without rules, empty datacenters and empty buckets; with what they cost in 30 days where the price list is known.',
  input: input({
    datacenter_id: optional(text('Only in this datacenter (id or name); addresses and buckets are left out then')),
    idle_below_percent: optional(
      whole('A server below this average of its processors counts as idle; 2 by default', 1, 100),
    ),
    idle_days: optional(whole('Over how many days; 7 by default', 1, 30)),
  }),
  read: find,
};

interface Finding {
  kind: string;
  id: string;
  name: string;
  where: string;
  why: string;
  plan?: Omit<Planned, 'address'>;
}

async function find(args: Values, sight: Sight): Promise<Json> {
  const only = textOf(args, 'datacenter_id');
  const places = only === undefined ? await datacenters(sight) : [await datacenterNamed(sight, only)];
  const findings: Finding[] = [];
  const running = new Map<string, Finding>();
  for (const { id } of places) {
    const inventory = await inventoryOf(sight, id);
    findings.push(...inDatacenter(inventory));
    for (const one of runningIn(inventory)) running.set(one.id, one);
  }
  const notes: string[] = [];
  findings.push(...(await idleAmong(sight, running, args, notes)));
  if (only === undefined) findings.push(...(await addresses(sight)), ...(await emptyBuckets(sight, notes)));
  return { count: findings.length, ...(await priced(sight, findings, notes)), ...(notes.length > 0 && { notes }) };
}

function inDatacenter({ id, name, servers, volumes, balancers, lans }: Inventory): Finding[] {
  const where = name || id;
  if (servers.length + volumes.length + balancers.length + lans.length === 0)
    return [{ kind: 'datacenter', id, name, where, why: 'It is empty.' }];
  return [
    ...volumes
      .filter(({ attached }) => !attached)
      .map((one) => ({
        ...{ kind: 'volume', id: one.id, name: one.name, where, why: 'It is attached to no server.' },
        plan: { type: 'volume', values: { disk_type: one.type, size: one.sizeGb } },
      })),
    ...servers
      .filter(({ state, type }) => state !== 'RUNNING' && type !== 'CUBE')
      .map((one) => ({
        ...{ kind: 'server', id: one.id, name: one.name, where },
        why: `It is ${one.state}: only its volumes cost.`,
      })),
    ...servers
      .filter(({ state, type }) => state !== 'RUNNING' && type === 'CUBE')
      .map((one) => ({
        ...{
          kind: 'server',
          id: one.id,
          name: one.name,
          where,
          why: `It is ${one.state}, and a Cube costs all the same.`,
        },
        plan: { type: 'cube_server', values: { template_uuid: one.templateId } },
      })),
    ...balancers
      .filter(({ rules }) => rules === 0)
      .map(({ kind, id: own, name: called }) => ({
        ...{ kind, id: own, name: called, where, why: 'It has no rule, so nothing passes it.' },
        plan: { type: kind === 'applicationloadbalancer' ? 'application_loadbalancer' : kind, values: {} },
      })),
  ];
}

const runningIn = ({ id, name, servers }: Inventory): Finding[] =>
  servers
    .filter(({ state }) => state === 'RUNNING')
    .map((one) => ({
      ...{ kind: 'server', id: one.id, name: one.name, where: name || id, why: '' },
      plan: one.templateId
        ? { type: 'cube_server', values: { template_uuid: one.templateId } }
        : {
            type: one.type === 'VCPU' ? 'vcpu_server' : 'server',
            values: { cores: one.cores, ram: one.ramMb, cpu_family: one.cpuFamily },
          },
    }));

// By central monitoring, which has the load of every server, where it is on.
async function idleAmong(
  sight: Sight,
  running: ReadonlyMap<string, Finding>,
  args: Values,
  notes: string[],
): Promise<Finding[]> {
  if (running.size === 0) return [];
  const own = await orNote(notes, 'Idle servers are not known', () => central(sight, 'monitoring'));
  if (!own) {
    notes.push('Idle servers are not known: central monitoring is switched off, or not yours to read.');
    return [];
  }
  const [percent, days] = [numberOf(args, 'idle_below_percent', 2), numberOf(args, 'idle_days', 7)];
  const metric = 'instance_cpu_utilization_average';
  const total = 'sum by (instance_id) '; // a server that was renamed has several series
  const ask = async (query: string) => byInstance((await instant(sight, own, query, sight.now())).result);
  const told = await orNote(notes, 'Idle servers are not known', () =>
    Promise.all([
      ask(`${total}(sum_over_time(${metric}[${days}d])) / ${total}(count_over_time(${metric}[${days}d]))`),
      ask(`${total}(count_over_time(${metric}[${days}d:1h]))`),
    ]),
  );
  if (!told) return [];
  const [averages, hours] = told;
  const known = [...running.values()].filter(({ id }) => (hours.get(id) ?? 0) >= leastHours);
  if (known.length < running.size)
    notes.push(
      `Running servers that may be idle or not, because they were measured for less than a day: ${running.size - known.length}.`,
    );
  return known.flatMap((server) => {
    const average = averages.get(server.id);
    if (average === undefined || average >= percent) return [];
    const period = periodOf(hours.get(server.id) ?? 0, days);
    return { ...server, why: `It used ${average.toFixed(2)} % of its processors on average ${period}.` };
  });
}

const byInstance = (rows: readonly Json[]): Map<string, number> =>
  new Map(
    (rows as { metric: { instance_id?: string }; value: string }[]).map(({ metric, value }) => [
      metric.instance_id ?? '',
      Number(value),
    ]),
  );

// A server that is younger, or did not always run, was measured for less than what was asked for.
function periodOf(hours: number, days: number): string {
  const asked = days === 1 ? 'the last day' : `the last ${days} days`;
  return hours >= 0.9 * days * 24 ? `over ${asked}` : `over the ${hours} hours of ${asked} in which it was measured`;
}

async function addresses({ api }: Sight): Promise<Finding[]> {
  const blocks = itemsOf(await api.object('cloudapi', '/ipblocks', { depth: 1, limit: mostListed }));
  return blocks.flatMap((item) => {
    const { ips, ipConsumers, name, location } = propertiesOf(item);
    const used = new Set((Array.isArray(ipConsumers) ? ipConsumers : []).map((one) => (one as { ip?: string }).ip));
    const free = (Array.isArray(ips) ? ips.map(String) : []).filter((ip) => !used.has(ip));
    if (free.length === 0) return [];
    const shown = `${free.slice(0, 10).join(', ')}${free.length > 10 ? ' …' : ''}`;
    const why = `Nobody uses ${free.length} of ${used.size + free.length} addresses: ${shown}.`;
    return {
      ...{ kind: 'ip_block', id: String(item.id), name: wordOf(name), where: wordOf(location), why },
      plan: { type: 'ipblock', values: { size: free.length } },
    };
  });
}

async function emptyBuckets({ storage }: Sight, notes: string[]): Promise<Finding[]> {
  if (storage.missingKey !== undefined) {
    notes.push(`Buckets are not looked at. ${storage.missingKey}`);
    return [];
  }
  const told = await orNote(notes, 'Buckets are not looked at', () => storage.get({}));
  if (!told) return [];
  const buckets = listIn((told.Buckets as Values | undefined)?.Bucket).map(({ Name }) => String(Name));
  if (buckets.length > mostBuckets)
    notes.push(`Only the first ${mostBuckets} of ${buckets.length} buckets are looked at.`);
  const empty: Finding[] = [];
  for (const bucket of buckets.slice(0, mostBuckets)) {
    const listed = await orNote(notes, `The bucket ${JSON.stringify(bucket)} can't be listed`, () =>
      storage.get({ bucket, query: { 'list-type': 2, 'max-keys': 1 } }),
    );
    if (!listed || listIn(listed.Contents).length > 0) continue;
    const kept = await orNote(notes, `The versions in the bucket ${JSON.stringify(bucket)} are not known`, () =>
      storage.get({ bucket, query: { versions: '', 'max-keys': 1 } }),
    );
    const hasVersions = kept && [...listIn(kept.Version), ...listIn(kept.DeleteMarker)].length > 0;
    const why = hasVersions ? 'All of its objects are deleted, but older versions of them are kept.' : 'It is empty.';
    empty.push({ kind: 'bucket', id: bucket, name: bucket, where: 'object storage', why });
  }
  return empty;
}

async function priced(sight: Sight, findings: readonly Finding[], notes: string[]): Promise<Values> {
  const known = findings.some(({ plan }) => plan)
    ? await orNote(notes, 'Costs are not known', async () => ({
        ...(await pricesOf(sight)),
        facts: await factsOf(sight),
      }))
    : undefined;
  const planned = findings.flatMap(({ id, plan }) => (plan ? [{ address: id, ...plan }] : []));
  const estimate = known && estimateResources(planned, known.prices, known.facts);
  const costs = new Map(estimate?.resources.map(({ address, per30Days }) => [address, per30Days]));
  const found = findings.map(({ plan: _, ...finding }) => {
    const cost = costs.get(finding.id);
    return { ...finding, ...(cost !== undefined && { per_30_days: cost }) };
  });
  return { found, ...(estimate && { per_30_days: estimate.per30Days, currency: known.currency }) };
}

// A part that the caller may not read is told, and the rest goes on.
async function orNote<T>(notes: string[], what: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notes.push(`${what}: ${error.message.slice(0, 300)}`);
    return undefined;
  }
}
