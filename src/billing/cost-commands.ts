// `cost`: this month's cost by product and the running rate; `cost estimate`: what a Terraform plan would cost.
import { readFileSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { fileError } from '../base/file-error.ts';
import { type Json, parseJson } from '../base/json.ts';
import { type Command, dataOption, type Host, type Input, jsonOption } from '../command/command.ts';
import { contractOption, wholeNumber } from '../command/option-values.ts';
import { type Get, regionApi } from '../command/region-api.ts';
import { dim, print, printJson, table } from '../command/terminal.ts';
import { estimateOf, type ListedPrice, type PlanFacts } from '../core/metering/cost-estimate.ts';

interface Money {
  quantity: string;
  unit: string;
}
interface Cost {
  metadata: { contractId: string; period: string };
  products: { productGroup: string; amount: Money; perHour: Money }[];
  total: Money;
  perHour: Money;
}

export const cost: Command = {
  name: 'cost',
  about:
    "Prints this month's cost by product, and the current cost per hour. The region's price list applies: the built-in one, or that of `up --prices`.",
  options: [contractOption, jsonOption, dataOption],
  examples: [['cumulet cost', 'this month']],
  async run(input, host) {
    const region = await connect(host, input);
    const cost = await region.get<Cost>(`/billing/${region.contract}/cost`);
    if (input.has('json')) printJson(cost);
    else printCost(cost);
    return 0;
  },
};

function printCost({ metadata, products, total, perHour }: Cost): void {
  const rows = products.map((one) => [one.productGroup, one.amount.quantity, one.perHour.quantity]);
  print(
    table([metadata.period, total.unit, `${total.unit}/hour`], [...rows, ['Total', total.quantity, perHour.quantity]]),
  );
}

export const estimate: Command = {
  name: 'cost estimate',
  operands: 'PLAN.json',
  mostOperands: 1,
  about:
    'Estimates the cost of a Terraform plan per hour and per 30 days, before it is applied. The plan is the output of ' +
    '`terraform show -json PLAN_FILE`. A plan has no traffic and requests, so the sum does not include them.',
  options: [contractOption, jsonOption, dataOption],
  examples: [
    ['terraform plan -out plan && terraform show -json plan > plan.json', 'create the plan'],
    ['cumulet cost estimate plan.json', 'and its cost'],
  ],
  async run(input, host) {
    const [file] = input.operands;
    if (file === undefined) throw new Fault('refused', 'Name the file of the plan.');
    const plan = readPlan(file);
    const region = await connect(host, input);
    const { products } = await region.get<{ products: ListedPrice[] }>(`/billing/${region.contract}/products`);
    const estimate = estimateOf(plan, products, await factsOf(region));
    if (input.has('json')) printJson(estimate);
    else {
      const unit = products[0]?.unitCost.unit ?? '';
      const rows = estimate.resources.map(({ address, perHour, per30Days }) => [address, perHour, per30Days]);
      const total = ['Total', estimate.perHour, estimate.per30Days];
      print(table(['Resource', `${unit}/hour`, `${unit}/30 days`], [...rows, total]));
      for (const { address, note } of estimate.notes) print(dim(`${address}: ${note}`));
      if (estimate.unpriced.length > 0) print(dim(`No price in the list: ${estimate.unpriced.join(', ')}`));
    }
    return 0;
  },
};

interface Connected {
  contract: string;
  get: Get;
}

async function connect(host: Host, input: Input): Promise<Connected> {
  const get = await regionApi(host, input.data);
  const contract = wholeNumber(input, 'contract');
  if (contract !== undefined) return { contract: String(contract), get };
  const { companies } = await get<{ companies: { contractId: string }[] }>('/billing/profile');
  return { contract: companies[0]?.contractId ?? '', get };
}

interface Collection {
  items: { id: string; properties: { name?: string; cpuArchitecture?: { cpuFamily: string }[] } }[];
}

async function factsOf({ get }: Connected): Promise<PlanFacts> {
  const templates = await get<Collection>('/cloudapi/v6/templates?depth=1');
  const locations = await get<Collection>('/cloudapi/v6/locations?depth=1');
  return {
    templates: new Map(templates.items.map(({ id, properties }) => [id, properties.name ?? ''])),
    cpuFamily: locations.items[0]?.properties.cpuArchitecture?.[0]?.cpuFamily ?? '',
  };
}

function readPlan(file: string): Json {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new Fault('refused', `${file} can't be read: ${fileError(error)}.`);
  }
  try {
    return parseJson(bytes);
  } catch {
    throw new Fault(
      'refused',
      `${file} is not a Terraform plan. Expected the output of \`terraform show -json PLAN_FILE\`.`,
    );
  }
}
