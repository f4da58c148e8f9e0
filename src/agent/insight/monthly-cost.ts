// `monthly_cost`: what a month cost, dearest first, by product, datacenter and resource. The sums are the invoice's;
// what a resource cost is what it used times the rate of the invoice, which is not rounded line by line.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { Failure } from '../client/failure.ts';
import { pathOf } from '../client/platform-api.ts';
import { contractOf } from '../contract.ts';
import { contract, input, numberOf, optional, type Sight, type Tool, textOf, whole } from '../tool.ts';
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
import { quote } from './inventory.ts';
import { noneOf } from './things.ts';

const hoursOf30Days = 720;
const usualResources = 20;

export const monthlyCost: Tool = {
  name: 'monthly_cost',
  group: 'insight',
  description:
    'What a month cost: the total, by product, by datacenter and by resource, dearest first, against the month before; for the current month also what everything that runs costs now.',
  input: input({
    period: optional({ ...period, description: 'The month, YYYY-MM; the current one by default' }),
    contract,
    datacenter_id: ofDatacenter,
    limit: optional(whole(`How many resources at most; ${usualResources} by default`, 1, 500)),
    offset: optional(whole('How many resources to pass over', 0, 1_000_000)),
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

async function explain(args: Values, sight: Sight): Promise<Json> {
  const number = Number(args.contract ?? (await contractOf(sight)));
  const asked = textOf(monthOf(args), 'period');
  const used = await sight.api.object('billing', `/${number}/utilization${asked ? pathOf('/{asked}', { asked }) : ''}`);
  const month = String(used.startDate ?? asked ?? '').slice(0, 7); // by the platform's clock
  const invoice = await invoiceOf(sight, number, month);
  const place = textOf(args, 'datacenter_id');
  const isThere = (one: Values): boolean => wanted(args, one);
  const datacenters = listOf(invoice.datacenters);
  if (!datacenters.some(isThere) && place !== undefined) {
    const known = JSON.stringify(datacenters.map(placeOf));
    throw new Failure(`Nothing in a datacenter ${quote(place)} cost anything in ${month}. There are ${known}.`);
  }
  const lines = datacenters.filter(isThere).flatMap(linesOf);
  const resources = resourcesOf(listOf(used.datacenters).filter(isThere), lines);
  const [offset, limit] = [numberOf(args, 'offset', 0), numberOf(args, 'limit', usualResources)];
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
    ...(place === undefined && (await comparison(sight, number, month))),
    ...(place === undefined && isCurrent && (await running(sight, number))),
    by_product: shares(lines, ({ product }) => ({ name: product })),
    by_datacenter: shares(lines, ({ datacenterId, datacenter }) => ({ id: datacenterId, name: datacenter })),
    resources: shown,
    ...(rest.length > 0 && {
      next_offset: offset + shown.length,
      rest: { resources: rest.length, cost: fine(rest.reduce((sum, { cost }) => sum + Number(cost), 0)) },
    }),
  };
}

async function invoiceOf({ api }: Sight, number: number, month: string): Promise<Values> {
  const told = await api.json('billing', pathOf('/invoices/{month}', { month }), { contractid: number });
  const own = listOf(told).find(({ metadata }) => isObject(metadata) && String(metadata.contractId) === String(number));
  if (!own) throw new Failure(`The contract ${number} has no invoice for ${month}: nothing was used.`);
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

const contractPart = '00000000-0000-0000-0000-000000000000'; // of a bill
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

// What costs nothing is left out.
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

async function comparison(sight: Sight, number: number, month: string): Promise<Values> {
  const [year = 0, at = 1] = month.split('-').map(Number);
  const before = at === 1 ? `${year - 1}-12` : `${year}-${String(at - 1).padStart(2, '0')}`;
  const old = await invoiceOf(sight, number, before).catch(noneOf);
  return isObject(old.total) ? { month_before: { period: before, total: money(quantityIn(old.total)) } } : {};
}

async function running({ api }: Sight, number: number): Promise<Values> {
  const { perHour } = await api.object('billing', `/${number}/cost`).catch(noneOf);
  const rate = quantityIn(perHour);
  return isObject(perHour) ? { now: { per_hour: fine(rate), per_30_days: money(rate * hoursOf30Days) } } : {};
}
