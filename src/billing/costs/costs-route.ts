// GET /console/month-costs/{contract}/{month}: the costs of a month for the console, by day and product, and those of a
// selection by group and resource, one page at a time. The billing API has usage and prices only.
import { fixedText } from '../../base/decimal.ts';
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import type { Label } from '../../surface/ports.ts';
import { readLedger } from '../ledger/ledger.ts';
import { dateText, dayMs, dayOf, monthOf, type Period } from '../period.ts';
import { type BillingTools, contractOf } from '../service.ts';
import { descending, groupKeyOf, groupsOf, labelPrefix } from './cost-groups.ts';
import { amountOf, places, productsOf, type ResourceCosts, resourceCostsOf, usesOf } from './resource-costs.ts';

export interface CostsTools extends BillingTools {
  labelsOf(contract: number): Promise<readonly Label[]>;
}

const usualPage = 20;
const maxPage = 1000;

export const costsRoute = (tools: CostsTools): Route => ({
  method: 'GET',
  path: '/month-costs/{contractNumber}/{month}',
  operation: 'webconsole_costs',
  summary: 'Costs of a month by day, product, group and resource',
  call: (x) => answer(x, tools),
});

async function answer(x: Exchange, tools: CostsTools): Promise<Reply> {
  const { store, prices, now } = tools;
  const contract = await contractOf(x, tools);
  const month = monthOf(x.params[1] ?? '');
  const to = Math.max(month.from, Math.min(month.to, now()));
  const ledger = await readLedger(store, contract, { from: month.from, to });
  const costs = resourceCostsOf(ledger, prices, month);
  const labels = await tools.labelsOf(contract);
  return json(200, {
    currency: prices.currency,
    days: daysOf(costs, month, to),
    labels: [...new Set(labels.map(({ key }) => key))].sort(),
    ...selected(x, costs, month, labels),
  });
}

// The days that have started.
function daysOf(costs: readonly ResourceCosts[], { from }: Period, to: number): Values[] {
  const products = [...productsOf(costs)];
  return Array.from({ length: Math.ceil((to - from) / dayMs) }, (_, day) => {
    const amounts = products.map(([product, sums]) => [product, amountOf({ sums }, day)] as const);
    return {
      date: dateText(from + day * dayMs),
      products: Object.fromEntries(
        amounts.filter(([, amount]) => amount > 0n).map(([product, amount]) => [product, text(amount)]),
      ),
      total: text(amounts.reduce((sum, [, amount]) => sum + amount, 0n)),
    };
  });
}

// The costs of one day or product, if the query names one: their groups, and a page of the resources of one group.
function selected(x: Exchange, costs: readonly ResourceCosts[], month: Period, labels: readonly Label[]): Values {
  const day = dayIn(x.search.get('day'), month);
  const product = x.search.get('product');
  const grouping = groupingIn(x.search.get('group'));
  const [offset, limit] = [countIn(x, 'offset', 0, 1e6), countIn(x, 'limit', usualPage, maxPage)];
  const all = costs
    .filter((one) => product === null || one.product === product)
    .map((one) => ({ ...one, amount: amountOf(one, day) }))
    .filter(({ amount, sums }) => amount > 0n || day === undefined || [...sums.values()].some((days) => days[day]))
    .sort((a, b) => descending(a.amount, b.amount));
  const total = sumOf(all);
  const keyOf = groupKeyOf(grouping ?? '', labels);
  const within = x.search.get('within');
  const listed = grouping !== undefined && within !== null ? all.filter((one) => keyOf(one) === within) : all;
  const page = grouping !== undefined && within === null ? [] : listed.slice(offset, offset + limit);
  return {
    total: text(total),
    ...(grouping !== undefined && {
      groups: groupsOf(all, grouping, keyOf).map((one) => ({ ...one, amount: text(one.amount) })),
    }),
    resources: {
      count: listed.length,
      rest: text(sumOf(listed.slice(offset + limit))), // after the page
      items: page.map((one) => shown(one, day)),
    },
  };
}

function shown(cost: ResourceCosts & { amount: bigint }, day: number | undefined): Values {
  const { id, name, kind, datacenter, product, exists, amount } = cost;
  return { id, name, kind, datacenter, product, exists, amount: text(amount), uses: usesOf(cost, day) };
}

const sumOf = (costs: readonly { amount: bigint }[]): bigint => costs.reduce((sum, { amount }) => sum + amount, 0n);
const text = (amount: bigint): string => fixedText(amount, places);

function dayIn(sent: string | null, { from, to }: Period): number | undefined {
  if (sent === null) return undefined;
  const day = dayOf(sent);
  if (day.from < from || day.from >= to) throw new Fault('refused', `The day ${sent} is not in the month.`);
  return (day.from - from) / dayMs;
}

function groupingIn(sent: string | null): string | undefined {
  if (sent === null || sent === 'resource') return undefined;
  if (sent === 'kind' || sent === 'datacenter' || sent.startsWith(labelPrefix)) return sent;
  throw new Fault(
    'refused',
    `Expected a group of resource, kind, datacenter or label:<key>, got '${sent.slice(0, 40)}'.`,
  );
}

function countIn(x: Exchange, name: string, usual: number, most: number): number {
  const sent = x.search.get(name);
  const count = sent === null ? usual : Number(sent);
  if (!Number.isSafeInteger(count) || count < 0 || count > most)
    throw new Fault('refused', `Expected ${name} to be a whole number from 0 to ${most}, got '${sent?.slice(0, 20)}'.`);
  return count;
}
