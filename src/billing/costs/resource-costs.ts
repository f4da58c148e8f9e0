// What each resource has cost in a month, by product and day. Amounts of money are integers with ten decimal places.
import { decimalText, rounded } from '../../base/decimal.ts';
import { type Item, itemsOf, partOf } from '../bill.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { dayMs, minuteMs, type Period } from '../period.ts';
import { costOf, type Price, type PriceList, quantityOf } from '../prices/price-list.ts';

export const places = 10;

type Sums = Map<Price, bigint[]>; // sums of usage by the days of the month

export interface ResourceCosts {
  id: string;
  name: string;
  kind: string;
  datacenter: { id: string; name: string };
  product: string;
  exists: boolean;
  sums: Sums;
}

export function resourceCostsOf(ledger: Ledger, prices: PriceList, month: Period): ResourceCosts[] {
  const found = new Map<string, ResourceCosts>();
  for (const item of itemsOf(ledger, prices)) {
    const { price, stay, use, partId } = item;
    const path = (stay ?? use)?.path ?? '';
    const key = `${path} ${price.productGroup}`;
    const known = found.get(key) ?? {
      id: path.slice(path.lastIndexOf('/') + 1),
      name: '',
      kind: price.kind,
      datacenter: { id: partId, name: partOf(ledger, partId).name },
      product: price.productGroup,
      exists: !ledger.removed.has(path),
      sums: new Map(),
    };
    found.set(key, known);
    known.name = stay?.name || known.name;
    addDays(known.sums, item, month);
  }
  return [...found.values()].map((one) => ({ ...one, name: one.name || one.id }));
}

function addDays(sums: Sums, item: Item, { from, to }: Period): void {
  const days = sums.get(item.price) ?? new Array<bigint>((to - from) / dayMs).fill(0n);
  sums.set(item.price, days);
  for (const [time, sum] of daysOf(item, from)) {
    const day = Math.floor((time - from) / dayMs);
    days[day] = (days[day] ?? 0n) + sum;
  }
}

// The parts of a stay on each of its days.
function* daysOf({ stay, use, sum }: Item, monthStart: number): Generator<[time: number, sum: bigint]> {
  if (!stay) return yield [use?.time ?? monthStart, sum];
  const amount = sum / BigInt(stay.minutes);
  for (let from = stay.from; from < stay.to; ) {
    const to = Math.min(stay.to, from - ((from - monthStart) % dayMs) + dayMs);
    yield [from, amount * BigInt(Math.floor(to / minuteMs) - Math.floor(from / minuteMs))];
    from = to;
  }
}

const sumOf = (days: readonly bigint[], day: number | undefined): bigint =>
  day === undefined ? days.reduce((all, one) => all + one, 0n) : (days[day] ?? 0n);

// Of the month or one of its days.
export function amountOf({ sums }: Pick<ResourceCosts, 'sums'>, day?: number): bigint {
  let amount = 0n;
  for (const [price, days] of sums) amount += rounded(costOf(price, sumOf(days, day)), places);
  return amount;
}

export const usesOf = ({ sums }: ResourceCosts, day?: number) =>
  [...sums]
    .map(([price, days]) => ({ price, sum: sumOf(days, day) }))
    .filter(({ sum }) => sum > 0n)
    .map(({ price, sum }) => ({
      meter: price.description,
      unit: price.unit,
      quantity: Number(decimalText(quantityOf(price, sum), places)),
    }));

// The usage of all resources together, by product.
export function productsOf(costs: readonly ResourceCosts[]): Map<string, Sums> {
  const products = new Map<string, Sums>();
  for (const { product, sums } of costs) {
    const together = products.get(product) ?? new Map<Price, bigint[]>();
    products.set(product, together);
    for (const [price, days] of sums) {
      const before = together.get(price) ?? [];
      together.set(
        price,
        days.map((sum, day) => sum + (before[day] ?? 0n)),
      );
    }
  }
  return products;
}
