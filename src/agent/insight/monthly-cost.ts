// `monthly_cost`: the cost of a month, highest first, by product, datacenter and resource. The sums are the invoice's;
// the cost of a resource is its usage times the rate of the invoice, which is not rounded line by line.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { Failure } from '../client/failure.ts';
import { pathOf } from '../client/platform-api.ts';
import { contractOf } from '../contract.ts';
import { contract, input, numberOf, optional, type Tool, type ToolContext, textOf, whole } from '../tool.ts';
import {
  byAmount,
  listOf,
  monthOf,
  ofDatacenter,
  period,
  quantityIn,
  quantityOf,
  unitOf,
  wanted,
} from '../tools/bill.ts';
import { noneOf } from './audit-resources.ts';
import { quote } from './inventory.ts';

const hoursOf30Days = 720;
const defaultResources = 20;

export const monthlyCost: Tool = {
  name: 'monthly_cost',
  group: 'insight',
  description:
    'Show the cost of a month: the total, by product, by datacenter and by resource, highest first, compared with the previous month. For the current month, also shows the current cost per hour.',
  input: input({
    period: optional({ ...period, description: 'The month, YYYY-MM; the current one by default' }),
    contract,
    datacenter_id: ofDatacenter,
    limit: optional(whole(`Maximum number of resources; ${defaultResources} by default`, 1, 500)),
    offset: optional(whole('Number of resources to skip', 0, 1_000_000)),
  }),
  read: explain,
};

interface Line {
  datacenterId: string;
  datacenter: string;
  product: string;
  meterId: string;
  rate: number;
  amount: number;
}

async function explain(args: Values, context: ToolContext): Promise<Json> {
  const number = Number(args.contract ?? (await contractOf(context)));
  const period = textOf(monthOf(args), 'period');
  const used = await context.api.object(
    'billing',
    `/${number}/utilization${period ? pathOf('/{period}', { period }) : ''}`,
  );
  const month = String(used.startDate ?? period ?? '').slice(0, 7); // by the platform's clock
  const invoice = await invoiceOf(context, number, month);
  const place = textOf(args, 'datacenter_id');
  const isThere = (one: Values): boolean => wanted(args, one);
  const datacenters = listOf(invoice.datacenters);
  if (!datacenters.some(isThere) && place !== undefined) {
    const known = JSON.stringify(datacenters.map(placeOf));
    throw new Failure(`Datacenter ${quote(place)} has no costs in ${month}. Datacenters with costs: ${known}.`);
  }
  const lines = datacenters.filter(isThere).flatMap(linesOf);
  const resources = resourcesOf(listOf(used.datacenters).filter(isThere), lines);
  const [offset, limit] = [numberOf(args, 'offset', 0), numberOf(args, 'limit', defaultResources)];
  const shown = resources.slice(offset, offset + limit);
  const rest = resources.slice(offset + shown.length);
  const { unit: currency = null } = isObject(invoice.total) ? invoice.total : {};
  const isCurrent = isObject(invoice.metadata) && invoice.metadata.finallyPosted === false;
  return {
    period: month,
    contract: number,
    currency,
    total: money(sumOf(lines)),
    ...(isCurrent && { so_far: true }),
    ...(place === undefined && (await comparison(context, number, month))),
    ...(place === undefined && isCurrent && (await running(context, number))),
    by_product: shares(lines, ({ product }) => ({ name: product })),
    by_datacenter: shares(lines, ({ datacenterId, datacenter }) => ({ id: datacenterId, name: datacenter })),
    resources: shown,
    ...(rest.length > 0 && {
      next_offset: offset + shown.length,
      rest: { resources: rest.length, cost: fine(rest.reduce((sum, { cost }) => sum + Number(cost), 0)) },
    }),
  };
}

async function invoiceOf({ api }: ToolContext, number: number, month: string): Promise<Values> {
  const answer = await api.json('billing', pathOf('/invoices/{month}', { month }), { contractid: number });
  const own = listOf(answer).find(
    ({ metadata }) => isObject(metadata) && String(metadata.contractId) === String(number),
  );
  if (!own) throw new Failure(`The contract ${number} has no invoice for ${month}: no resource was used.`);
  return own;
}

function linesOf({ id, name, meters }: Values): Line[] {
  return listOf(meters).map(({ meterId, productGroup, rate, amount }) => ({
    datacenterId: String(id),
    datacenter: placeOf({ id, name }),
    product: String(productGroup ?? ''),
    meterId: String(meterId),
    rate: quantityIn(rate),
    amount: quantityIn(amount),
  }));
}

const contractPart = '00000000-0000-0000-0000-000000000000'; // the id of the part of a bill that belongs to no datacenter
const placeOf = ({ id, name }: { [property: string]: Json | undefined }): string =>
  id === contractPart ? '(in no datacenter)' : String(name ?? id);
const sumOf = (lines: readonly Line[]): number => lines.reduce((sum, { amount }) => sum + amount, 0);
const money = (amount: number): string => amount.toFixed(2);
const fine = (amount: number): string => amount.toFixed(amount < 1 ? 4 : 2);

function shares(lines: readonly Line[], by: (line: Line) => Values): Values[] {
  const total = sumOf(lines);
  return [...Map.groupBy(lines, (line) => JSON.stringify(by(line))).values()]
    .map((own) => ({ label: by(own[0] as Line), amount: sumOf(own) }))
    .toSorted(byAmount)
    .map(({ label, amount }) => ({
      ...label,
      cost: money(amount),
      ...(total > 0 && { percent: Math.round((100 * amount) / total) }),
    }));
}

interface Part {
  what: string;
  quantity: number;
  unit: Json;
  amount: number;
}

// Rows without costs are skipped.
function resourcesOf(datacenters: readonly Values[], lines: readonly Line[]): Values[] {
  const rates = new Map(lines.map(({ datacenterId, meterId, rate }) => [`${datacenterId} ${meterId}`, rate]));
  const found = new Map<string, { own: Values; parts: Part[] }>();
  for (const { id, name, meters } of datacenters)
    for (const meter of listOf(meters)) {
      const { resourceId, type, name: called, meterId, meterDesc, exists } = meter;
      const own = { type: type ?? '', id: resourceId ?? '', name: called ?? '', datacenter: placeOf({ id, name }) };
      const known = found.get(String(resourceId)) ?? {
        own: { ...own, ...(exists === false && { now: 'gone' }) },
        parts: [],
      };
      found.set(String(resourceId), known);
      const quantity = quantityOf(meter);
      const amount = quantity * (rates.get(`${id} ${meterId}`) ?? 0);
      known.parts.push({ what: String(meterDesc ?? meterId), quantity, unit: unitOf(meter), amount });
    }
  return [...found.values()]
    .map(({ own, parts }) => ({ own, parts, amount: parts.reduce((sum, part) => sum + part.amount, 0) }))
    .filter(({ amount }) => amount > 0)
    .toSorted((a, b) => b.amount - a.amount)
    .map(({ own, parts, amount }) => ({ ...own, cost: fine(amount), parts: parts.toSorted(byAmount).map(drawn) }));
}

const drawn = ({ what, quantity, unit, amount }: Part): Values => ({
  what,
  quantity: Number(quantity.toPrecision(4)),
  unit,
  cost: fine(amount),
});

async function comparison(context: ToolContext, number: number, month: string): Promise<Values> {
  const [year = 0, at = 1] = month.split('-').map(Number);
  const before = at === 1 ? `${year - 1}-12` : `${year}-${String(at - 1).padStart(2, '0')}`;
  const old = await invoiceOf(context, number, before).catch(noneOf);
  return isObject(old.total) ? { month_before: { period: before, total: money(quantityIn(old.total)) } } : {};
}

async function running({ api }: ToolContext, number: number): Promise<Values> {
  const { perHour } = await api.object('billing', `/${number}/cost`).catch(noneOf);
  const rate = quantityIn(perHour);
  return isObject(perHour) ? { now: { per_hour: fine(rate), per_30_days: money(rate * hoursOf30Days) } } : {};
}
