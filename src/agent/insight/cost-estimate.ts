// `estimate_cost`: what resources would cost, computed here from the platform's price list.
import { isObject, type Json, type Values } from '../../base/json.ts';
import {
  type Estimate,
  estimateResources,
  type ListedPrice,
  type PlanFacts,
  type Planned,
} from '../../core/metering/cost-estimate.ts';
import { Failure } from '../client/failure.ts';
import { contractOf } from '../contract.ts';
import { contract, input, type Sight, type Tool, text, whole } from '../tool.ts';
import { itemsOf, propertiesOf, wordOf } from './inventory.ts';

const kinds = {
  server: 'server',
  vcpu_server: 'vcpu_server',
  cube: 'cube_server',
  volume: 'volume',
  snapshot: 'snapshot',
  ip_block: 'ipblock',
  nat_gateway: 'natgateway',
  network_loadbalancer: 'networkloadbalancer',
  application_loadbalancer: 'application_loadbalancer',
} as const;

export const estimateCost: Tool = {
  name: 'estimate_cost',
  group: 'insight',
  description:
    "Tell what resources would cost an hour and in 30 days, by the contract's price list, before they are created. Traffic and requests are not in it.",
  input: input({
    resources: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      description: 'What is planned',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kind'],
        properties: {
          kind: text('What it is', { enum: Object.keys(kinds) }),
          count: whole('How many of it; 1 by default', 1, 1000),
          cores: whole('Of a server or vcpu_server', 1, 1000),
          ram_gb: { type: 'number', minimum: 0.25, maximum: 10_000, description: 'Of a server or vcpu_server' },
          cpu_family: text('Of a server, such as INTEL_ICELAKE; that of the first location by default'),
          template: text('Of a cube: the name or id of its template, such as "Basic Cube XS"'),
          size_gb: whole('Of a volume or snapshot; of a server, that of its volume', 1, 10_000_000),
          storage_type: text('Of a volume', { enum: ['HDD', 'SSD', 'SSD Standard', 'SSD Premium'] }),
          addresses: whole('Of an ip_block', 1, 1000),
        },
      },
    },
    contract,
  }),
  read: estimate,
};

async function estimate(args: Values, sight: Sight): Promise<Json> {
  const asked = (Array.isArray(args.resources) ? args.resources : []).filter(isObject);
  const { prices, currency } = await pricesOf(sight, args.contract as number | undefined);
  const facts = await factsOf(sight);
  const planned = asked.map((one, at) => plannedOf(one, at, facts));
  const whole = estimateResources(planned.flat(), prices, facts);
  const lines = asked.map((one, at) => lineOf(one, estimateResources(planned[at] ?? [], prices, facts)));
  return { currency, per_hour: whole.perHour, per_30_days: whole.per30Days, resources: lines };
}

function lineOf(asked: Values, { resources, perHour, per30Days, notes }: Estimate): Values {
  if (resources.length === 0)
    return { ...asked, note: 'There is no price for this: check the sizes, the CPU family and the price list.' };
  const note = notes.map((one) => one.note).join(' ');
  return { ...asked, per_hour: perHour, per_30_days: per30Days, ...(note !== '' && { note }) };
}

export async function pricesOf(sight: Sight, asked?: number): Promise<{ prices: ListedPrice[]; currency: string }> {
  const number = asked ?? (await contractOf(sight));
  const told = await sight.api.object('billing', `/${number}/products`);
  const prices = (Array.isArray(told.products) ? told.products : []) as unknown as ListedPrice[];
  if (!prices.some(({ countedAs }) => countedAs !== undefined))
    throw new Failure(
      'The price list of this endpoint does not say how its meters count: the cost can not be computed.',
    );
  return { prices, currency: prices[0]?.unitCost.unit ?? '' };
}

export async function factsOf({ api }: Sight): Promise<PlanFacts> {
  const [templates, locations] = await Promise.all([
    api.object('cloudapi', '/templates', { depth: 1 }),
    api.object('cloudapi', '/locations', { depth: 1 }),
  ]);
  const [first] = itemsOf(locations);
  const families = first ? propertiesOf(first).cpuArchitecture : undefined;
  const family = Array.isArray(families) && isObject(families[0]) ? families[0].cpuFamily : '';
  return {
    templates: new Map(itemsOf(templates).map((one) => [String(one.id), wordOf(propertiesOf(one).name)])),
    cpuFamily: wordOf(family),
  };
}

// In the words of the Terraform provider, one for each that is counted.
function plannedOf(asked: Values, at: number, facts: PlanFacts): Planned[] {
  const { kind, count = 1, cores = 0, ram_gb: ram = 0, size_gb: size, storage_type: storage, template } = asked;
  const disk = { disk_type: storage ?? 'SSD', size: size ?? 0 };
  const hasDisk = typeof size === 'number' && (kind === 'server' || kind === 'vcpu_server');
  const values: Values = {
    ...(kind === 'volume' ? disk : {}),
    ...(kind === 'snapshot' ? { size: size ?? 0 } : {}),
    ...(kind === 'ip_block' ? { size: asked.addresses ?? 1 } : {}),
    ...(kind === 'cube' ? { template_uuid: templateId(wordOf(template), facts) } : {}),
    ...(kind === 'server' || kind === 'vcpu_server' ? { cores, ram: Math.round(Number(ram) * 1024) } : {}),
    ...(asked.cpu_family !== undefined && { cpu_family: asked.cpu_family }),
    ...(hasDisk && { volume: [disk] }),
  };
  const type = kinds[kind as keyof typeof kinds];
  return Array.from({ length: Number(count) }, () => ({ address: String(at), type, values }));
}

function templateId(word: string, { templates }: PlanFacts): string {
  const found = [...templates].find(([id, name]) => id === word || name.toLowerCase() === word.toLowerCase());
  if (!found)
    throw new Failure(`There is no template ${JSON.stringify(word.slice(0, 60))}: list_templates shows them.`);
  return found[0];
}
