// `cost`: this month's cost by product and the running rate; `cost estimate`: what a Terraform plan would cost.
import { readFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { fileError } from '../../base/file-error.ts';
import { type Json, parseJson } from '../../base/json.ts';
import { estimateOf, type ListedPrice, type PlanFacts } from '../../core/metering/cost-estimate.ts';
import { type Get, regionApi } from '../account/region-api.ts';
import { type Command, dataOption, type Input, jsonOption } from '../command.ts';
import { contractOption, wholeNumber } from '../option-values.ts';
import { dim, print, printJson, table } from '../terminal.ts';

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
    "Prints what this month has cost so far, by product, and what everything that runs costs an hour. The prices are the region's: the built-in list, or that of up --prices.",
  options: [contractOption, jsonOption, dataOption],
  examples: [['cumulet cost', 'this month']],
  async run(input) {
    const region = await connect(input);
    const told = await region.get<Cost>(`/billing/${region.contract}/cost`);
    if (input.has('json')) printJson(told);
    else printCost(told);
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
    'Prints what a Terraform plan would cost, before it is applied: an hour, and 30 days. The plan is what ' +
    '`terraform show -json PLAN_FILE` prints. Traffic and requests are not in a plan, and so not in the sum.',
  options: [contractOption, jsonOption, dataOption],
  examples: [
    ['terraform plan -out plan && terraform show -json plan > plan.json', 'make the plan'],
    ['cumulet cost estimate plan.json', 'and its cost'],
  ],
  async run(input) {
    const [file] = input.operands;
    if (file === undefined) throw new Fault('refused', 'The file of the plan is missing.');
    const plan = readPlan(file);
    const region = await connect(input);
    const { products } = await region.get<{ products: ListedPrice[] }>(`/billing/${region.contract}/products`);
    const told = estimateOf(plan, products, await factsOf(region));
    if (input.has('json')) printJson(told);
    else {
      const unit = products[0]?.unitCost.unit ?? '';
      const rows = told.resources.map(({ address, perHour, per30Days }) => [address, perHour, per30Days]);
      const total = ['Total', told.perHour, told.per30Days];
      print(table(['Resource', `${unit}/hour`, `${unit}/30 days`], [...rows, total]));
      for (const { address, note } of told.notes) print(dim(`${address}: ${note}`));
      if (told.unpriced.length > 0) print(dim(`Without a price of their own: ${told.unpriced.join(', ')}`));
    }
    return 0;
  },
};

interface Connected {
  contract: string;
  get: Get;
}

async function connect(input: Input): Promise<Connected> {
  const get = await regionApi(input.data);
  const asked = wholeNumber(input, 'contract');
  if (asked !== undefined) return { contract: String(asked), get };
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
    throw new Fault('refused', `${file} is no plan. Expected what \`terraform show -json PLAN_FILE\` prints.`);
  }
}
