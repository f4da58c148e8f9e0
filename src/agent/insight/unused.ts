// `find_unused`: resources that cost money or attention and that no one uses.
import type { Json, Values } from '../../base/json.ts';
import { estimateResources, type Planned } from '../../core/metering/cost-estimate.ts';
import { Failure } from '../client/failure.ts';
import { listIn } from '../client/storage-api.ts';
import { input, numberOf, optional, type Tool, type ToolContext, text, textOf, whole } from '../tool.ts';
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

const maxBuckets = 100;
const minHours = 22; // a day minus small gaps: a server with fewer measurements is not called idle

export const findUnused: Tool = {
  name: 'find_unused',
  group: 'insight',
  description:
    'Find unused resources: unattached volumes, unused reserved addresses, stopped or idle servers, gateways and load balancers without rules, empty datacenters and empty buckets. Shows their cost in 30 days if the price list is known.',
  input: input({
    datacenter_id: optional(text('Only in this datacenter (id or name); without addresses and buckets')),
    idle_below_percent: optional(
      whole('A server below this average CPU usage in percent counts as idle; 2 by default', 1, 100),
    ),
    idle_days: optional(whole('Number of days to average over; 7 by default', 1, 30)),
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

async function find(args: Values, context: ToolContext): Promise<Json> {
  const only = textOf(args, 'datacenter_id');
  const places = only === undefined ? await datacenters(context) : [await datacenterNamed(context, only)];
  const findings: Finding[] = [];
  const running = new Map<string, Finding>();
  for (const { id } of places) {
    const inventory = await inventoryOf(context, id);
    findings.push(...inDatacenter(inventory));
    for (const one of runningIn(inventory)) running.set(one.id, one);
  }
  const notes: string[] = [];
  findings.push(...(await idleAmong(context, running, args, notes)));
  if (only === undefined) findings.push(...(await addresses(context)), ...(await emptyBuckets(context, notes)));
  return { count: findings.length, ...(await priced(context, findings, notes)), ...(notes.length > 0 && { notes }) };
}

// They cost until they are deleted, even if they are stopped.
const isTemplated = (type: unknown): boolean => type === 'CUBE' || type === 'GPU';

function inDatacenter({ id, name, servers, volumes, balancers, lans }: Inventory): Finding[] {
  const where = name || id;
  if (servers.length + volumes.length + balancers.length + lans.length === 0)
    return [{ kind: 'datacenter', id, name, where, why: 'It is empty.' }];
  return [
    ...volumes
      .filter(({ attached }) => !attached)
      .map((one) => ({
        ...{ kind: 'volume', id: one.id, name: one.name, where, why: 'It is not attached to a server.' },
        plan: { type: 'volume', values: { disk_type: one.type, size: one.sizeGb } },
      })),
    ...servers
      .filter(({ state, type }) => state !== 'RUNNING' && !isTemplated(type))
      .map((one) => ({
        ...{ kind: 'server', id: one.id, name: one.name, where },
        why: `It is ${one.state}. Only its volumes cost money.`,
      })),
    ...servers
      .filter(({ state, type }) => state !== 'RUNNING' && isTemplated(type))
      .map((one) => ({
        ...{
          kind: 'server',
          id: one.id,
          name: one.name,
          where,
          why: `It is ${one.state}, and ${one.type === 'GPU' ? 'a GPU server' : 'a Cube'} still costs money.`,
        },
        plan: { type: one.type === 'GPU' ? 'gpu_server' : 'cube_server', values: { template_uuid: one.templateId } },
      })),
    ...balancers
      .filter(({ rules }) => rules === 0)
      .map(({ kind, id: own, name: called }) => ({
        ...{ kind, id: own, name: called, where, why: 'It has no rule, so it forwards no traffic.' },
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

// Central monitoring has the load of every server, if it is switched on.
async function idleAmong(
  context: ToolContext,
  running: ReadonlyMap<string, Finding>,
  args: Values,
  notes: string[],
): Promise<Finding[]> {
  if (running.size === 0) return [];
  const own = await orNote(notes, 'Idle servers are unknown', () => central(context, 'monitoring'));
  if (!own) {
    notes.push('Idle servers are unknown: central monitoring is switched off, or you may not read it.');
    return [];
  }
  const [percent, days] = [numberOf(args, 'idle_below_percent', 2), numberOf(args, 'idle_days', 7)];
  const metric = 'instance_cpu_utilization_average';
  const total = 'sum by (instance_id) '; // a server that was renamed has several series
  const ask = async (query: string) => byInstance((await instant(context, own, query, await context.now())).result);
  const answer = await orNote(notes, 'Idle servers are unknown', () =>
    Promise.all([
      ask(`${total}(sum_over_time(${metric}[${days}d])) / ${total}(count_over_time(${metric}[${days}d]))`),
      ask(`${total}(count_over_time(${metric}[${days}d:1h]))`),
    ]),
  );
  if (!answer) return [];
  const [averages, hours] = answer;
  const known = [...running.values()].filter(({ id }) => (hours.get(id) ?? 0) >= minHours);
  if (known.length < running.size)
    notes.push(`Running servers measured for less than a day, which may be idle: ${running.size - known.length}.`);
  return known.flatMap((server) => {
    const average = averages.get(server.id);
    if (average === undefined || average >= percent) return [];
    const period = periodOf(hours.get(server.id) ?? 0, days);
    return { ...server, why: `It used ${average.toFixed(2)} % of its CPU on average ${period}.` };
  });
}

const byInstance = (rows: readonly Json[]): Map<string, number> =>
  new Map(
    (rows as { metric: { instance_id?: string }; value: string }[]).map(({ metric, value }) => [
      metric.instance_id ?? '',
      Number(value),
    ]),
  );

// A server that is younger, or did not always run, was measured for less time than requested.
function periodOf(hours: number, days: number): string {
  const period = days === 1 ? 'the last day' : `the last ${days} days`;
  return hours >= 0.9 * days * 24 ? `over ${period}` : `over the ${hours} hours of ${period} in which it was measured`;
}

async function addresses({ api }: ToolContext): Promise<Finding[]> {
  const blocks = itemsOf(await api.object('cloudapi', '/ipblocks', { depth: 1, limit: mostListed }));
  return blocks.flatMap((item) => {
    const { ips, ipConsumers, name, location } = propertiesOf(item);
    const used = new Set((Array.isArray(ipConsumers) ? ipConsumers : []).map((one) => (one as { ip?: string }).ip));
    const free = (Array.isArray(ips) ? ips.map(String) : []).filter((ip) => !used.has(ip));
    if (free.length === 0) return [];
    const shown = `${free.slice(0, 10).join(', ')}${free.length > 10 ? ' …' : ''}`;
    const why = `${free.length} of ${used.size + free.length} addresses are unused: ${shown}.`;
    return {
      ...{ kind: 'ip_block', id: String(item.id), name: wordOf(name), where: wordOf(location), why },
      plan: { type: 'ipblock', values: { size: free.length } },
    };
  });
}

async function emptyBuckets({ storage }: ToolContext, notes: string[]): Promise<Finding[]> {
  if (storage.missingKey !== undefined) {
    notes.push(`Buckets were not checked. ${storage.missingKey}`);
    return [];
  }
  const answer = await orNote(notes, 'Buckets were not checked', () => storage.get({}));
  if (!answer) return [];
  const buckets = listIn((answer.Buckets as Values | undefined)?.Bucket).map(({ Name }) => String(Name));
  if (buckets.length > maxBuckets)
    notes.push(`Only the first ${maxBuckets} of ${buckets.length} buckets were checked.`);
  const empty: Finding[] = [];
  for (const bucket of buckets.slice(0, maxBuckets)) {
    const listed = await orNote(notes, `Bucket ${JSON.stringify(bucket)} can't be listed`, () =>
      storage.get({ bucket, query: { 'list-type': 2, 'max-keys': 1 } }),
    );
    if (!listed || listIn(listed.Contents).length > 0) continue;
    const kept = await orNote(notes, `The versions in bucket ${JSON.stringify(bucket)} are unknown`, () =>
      storage.get({ bucket, query: { versions: '', 'max-keys': 1 } }),
    );
    const hasVersions = kept && [...listIn(kept.Version), ...listIn(kept.DeleteMarker)].length > 0;
    const why = hasVersions ? 'All its objects are deleted, but it still keeps older versions.' : 'It is empty.';
    empty.push({ kind: 'bucket', id: bucket, name: bucket, where: 'object storage', why });
  }
  return empty;
}

async function priced(context: ToolContext, findings: readonly Finding[], notes: string[]): Promise<Values> {
  const known = findings.some(({ plan }) => plan)
    ? await orNote(notes, 'Costs are unknown', async () => ({
        ...(await pricesOf(context)),
        facts: await factsOf(context),
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

// A part that the caller may not read becomes a note, and the rest continues.
async function orNote<T>(notes: string[], what: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notes.push(`${what}: ${error.message.slice(0, 300)}`);
    return undefined;
  }
}
