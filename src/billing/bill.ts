// The bill of a period: usage and cost by datacenter and meter. Usage outside of datacenters, such as addresses and
// buckets, is in a separate part of the contract.
import { type Fraction, rounded } from '../base/decimal.ts';
import type { Ledger, Stay, Use } from './ledger/ledger.ts';
import { costOf, type Price, type PriceList, quantityOf } from './prices/price-list.ts';

export interface Line {
  price: Price;
  sum: bigint; // amount · minutes, or a consumed amount
}

export interface Part {
  id: string; // of the datacenter
  name: string;
  location: string;
  lines: Line[];
}

export interface Item {
  partId: string;
  price: Price;
  stay?: Stay;
  use?: Use;
  sum: bigint;
}

export const contractPart = '00000000-0000-0000-0000-000000000000';

// Usage that has a price, item by item.
export function itemsOf({ stays, uses }: Ledger, prices: PriceList): Item[] {
  const items: Item[] = [];
  for (const stay of stays) {
    const price = prices.find(stay.kind, stay.meter);
    if (price && stay.minutes > 0)
      items.push({ partId: partIdOf(stay.path), price, stay, sum: whole(stay.amount) * BigInt(stay.minutes) });
  }
  for (const use of uses) {
    const price = prices.find(use.kind, use.meter);
    if (price) items.push({ partId: partIdOf(use.path), price, use, sum: whole(use.amount) });
  }
  return items;
}

export function billOf(ledger: Ledger, prices: PriceList): Part[] {
  const sums = new Map<string, Map<Price, bigint>>();
  for (const { partId, price, sum } of itemsOf(ledger, prices)) {
    const lines = sums.get(partId) ?? new Map<Price, bigint>();
    sums.set(partId, lines);
    lines.set(price, (lines.get(price) ?? 0n) + sum);
  }
  const byId = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
  return byId.map(([id, lines]) => ({
    ...partOf(ledger, id),
    lines: [...lines]
      .map(([price, sum]) => ({ price, sum }))
      .sort((a, b) => (a.price.meterId < b.price.meterId ? -1 : 1)),
  }));
}

export const partOf = ({ places }: Pick<Ledger, 'places'>, id: string): Omit<Part, 'lines'> =>
  id === contractPart ? { id, name: 'Contract', location: '' } : { id, name: id, location: '', ...places.get(id) };

export const quantityOfLine = ({ price, sum }: Line): Fraction => quantityOf(price, sum);

// Each line is rounded to the cent, half up, and the total is the sum of the shown lines.
export const centsOf = ({ price, sum }: Line): bigint => rounded(costOf(price, sum), 2);

export function partIdOf(path: string): string {
  const [first, id] = path.split('/');
  return first === 'datacenters' && id !== undefined ? id : contractPart;
}

const whole = (amount: number): bigint => BigInt(Math.round(amount));
