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
import { contract, input, type Tool, type ToolContext, text, whole } from '../tool.ts';
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
    "Estimate the cost of resources per hour and per 30 days by the contract's price list, before you create them. Traffic and requests are not included.",
  input: input({
    resources: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      description: 'The planned resources',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kind'],
        properties: {
          kind: text('The kind of resource', { enum: Object.keys(kinds) }),
          count: whole('The number of these resources; 1 by default', 1, 1000),
          cores: whole('For a server or vcpu_server', 1, 1000),
          ram_gb: { type: 'number', minimum: 0.25, maximum: 10_000, description: 'For a server or vcpu_server' },
          cpu_family: text('For a server, such as INTEL_ICELAKE; the family of the first location by default'),
          template: text('For a cube: the name or id of its template, such as "Basic Cube XS"'),
          size_gb: whole('For a volume or snapshot; for a server, the size of its volume', 1, 10_000_000),
          storage_type: text('For a volume', { enum: ['HDD', 'SSD', 'SSD Standard', 'SSD Premium'] }),
          addresses: whole('For an ip_block: the number of addresses', 1, 1000),
        },
      },
    },
    contract,
  }),
  read: estimate,
};

async function estimate(args: Values, context: ToolContext): Promise<Json> {
  const requested = (Array.isArray(args.resources) ? args.resources : []).filter(isObject);
  const { prices, currency } = await pricesOf(context, args.contract as number | undefined);
  const facts = await factsOf(context);
  const planned = requested.map((one, at) => plannedOf(one, at, facts));
  const whole = estimateResources(planned.flat(), prices, facts);
  const lines = requested.map((one, at) => lineOf(one, estimateResources(planned[at] ?? [], prices, facts)));
  return { currency, per_hour: whole.perHour, per_30_days: whole.per30Days, resources: lines };
}

function lineOf(request: Values, { resources, perHour, per30Days, notes }: Estimate): Values {
  if (resources.length === 0)
    return {
      ...request,
      note: 'The price list has no price for this. Check the sizes, the CPU family and the price list.',
    };
  const note = notes.map((one) => one.note).join(' ');
  return { ...request, per_hour: perHour, per_30_days: per30Days, ...(note !== '' && { note }) };
}

export async function pricesOf(
  context: ToolContext,
  requestedContract?: number,
): Promise<{ prices: ListedPrice[]; currency: string }> {
  const number = requestedContract ?? (await contractOf(context));
  const answer = await context.api.object('billing', `/${number}/products`);
  const prices = (Array.isArray(answer.products) ? answer.products : []) as unknown as ListedPrice[];
  if (!prices.some(({ countedAs }) => countedAs !== undefined))
    throw new Failure("The price list of this endpoint does not describe its meters, so the cost can't be computed.");
  return { prices, currency: prices[0]?.unitCost.unit ?? '' };
}

export async function factsOf({ api }: ToolContext): Promise<PlanFacts> {
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

// Named as in the Terraform provider, one entry per meter.
function plannedOf(request: Values, at: number, facts: PlanFacts): Planned[] {
  const { kind, count = 1, cores = 0, ram_gb: ram = 0, size_gb: size, storage_type: storage, template } = request;
  const disk = { disk_type: storage ?? 'SSD', size: size ?? 0 };
  const hasDisk = typeof size === 'number' && (kind === 'server' || kind === 'vcpu_server');
  const values: Values = {
    ...(kind === 'volume' ? disk : {}),
    ...(kind === 'snapshot' ? { size: size ?? 0 } : {}),
    ...(kind === 'ip_block' ? { size: request.addresses ?? 1 } : {}),
    ...(kind === 'cube' ? { template_uuid: templateId(wordOf(template), facts) } : {}),
    ...(kind === 'server' || kind === 'vcpu_server' ? { cores, ram: Math.round(Number(ram) * 1024) } : {}),
    ...(request.cpu_family !== undefined && { cpu_family: request.cpu_family }),
    ...(hasDisk && { volume: [disk] }),
  };
  const type = kinds[kind as keyof typeof kinds];
  return Array.from({ length: Number(count) }, () => ({ address: String(at), type, values }));
}

function templateId(word: string, { templates }: PlanFacts): string {
  const found = [...templates].find(([id, name]) => id === word || name.toLowerCase() === word.toLowerCase());
  if (!found)
    throw new Failure(
      `Template ${JSON.stringify(word.slice(0, 60))} does not exist. Call list_templates for the valid names.`,
    );
  return found[0];
}
