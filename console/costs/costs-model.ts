// Costs of a month by product and day, from what was used and the price list. Sums are exact to ten places and rounded
// only to be shown; an invoice rounds each of its lines, so it may differ by cents.
import { decimalText, fractionOf, rounded, times } from '../../src/base/decimal.ts';
import type { Cost, Money, Price, UsedMeter, Utilization } from './billing-api.ts';

const places = 10;
export type Amount = bigint; // of the currency, with ten places

export const amountText = (amount: Amount, shown = 2): string =>
  decimalText({ over: amount, under: 10n ** BigInt(places) }, shown, shown);

export const amountOf = (decimal: string): Amount => rounded(fractionOf(decimal), places);

// Amounts that stand together have as many places as their sum needs: the first cents of a month have hundredths.
export const placesFor = (total: Amount): number => (total < 10n ** BigInt(places) ? 4 : 2);

export function costText(amount: Amount, shown: number): string {
  const isTooSmall = amount > 0n && rounded({ over: amount, under: 10n ** BigInt(places) }, shown) === 0n;
  return isTooSmall ? `under ${amountText(10n ** BigInt(places - shown), shown)}` : amountText(amount, shown);
}

// As people read money: 1,204.50 EUR.
export const moneyText = (amount: Amount, unit: string, shown = 2): string =>
  `${costText(amount, shown).replace(/\d(?=(?:\d{3})+\.)/g, '$&,')} ${unit}`;

// Of a month that the API tells in cents: what runs has cost something already.
export function spentText(amount: Money, perHour: Money): string {
  const isUnderCent = amountOf(amount.quantity) === 0n && amountOf(perHour.quantity) > 0n;
  return moneyText(isUnderCent ? 1n : amountOf(amount.quantity), amount.unit);
}

// Parts that are rounded so that they add up to their rounded sum: those that lose most by it are rounded up.
export function fitted(parts: readonly Amount[], shown: number): Amount[] {
  const step = 10n ** BigInt(places - shown);
  const sum = parts.reduce((all, one) => all + one, 0n);
  const floors = parts.map((one) => one - (one % step));
  const missing = Number(((sum + step / 2n) / step) * step - floors.reduce((all, one) => all + one, 0n)) / Number(step);
  const byLoss = parts.map((one, at) => ({ at, loss: one % step })).sort((a, b) => Number(b.loss - a.loss));
  for (const { at } of byLoss.slice(0, missing)) floors[at] = (floors[at] ?? 0n) + step;
  return floors;
}

export const amountNumber = (amount: Amount): number => Number(amount) / 10 ** places;

export type Prices = ReadonlyMap<string, Price>; // by the id of the meter

export const pricesById = (prices: readonly Price[]): Prices => new Map(prices.map((one) => [one.meterId, one]));

// What has no price any more costs nothing.
function costOfUse({ meterId, quantity }: UsedMeter, prices: Prices): Amount {
  const price = prices.get(meterId);
  if (!price || !(quantity.quantity > 0)) return 0n;
  return rounded(times(fractionOf(price.unitCost.quantity), fractionOf(quantity.quantity.toFixed(places))), places);
}

export interface Day {
  date: string; // 2026-11-17
  byProduct: ReadonlyMap<string, Amount>;
  total: Amount;
}

export function dayOf(date: string, used: Utilization, prices: Prices): Day {
  const byProduct = new Map<string, Amount>();
  let total = 0n;
  for (const meter of used.datacenters.flatMap(({ meters }) => meters)) {
    const product = prices.get(meter.meterId)?.productGroup ?? 'Others';
    const amount = costOfUse(meter, prices);
    byProduct.set(product, (byProduct.get(product) ?? 0n) + amount);
    total += amount;
  }
  return { date, byProduct, total };
}

// All products of the days, the most expensive first: their order gives them their colours.
export function productsOf(days: readonly Day[]): { product: string; total: Amount }[] {
  const totals = new Map<string, Amount>();
  for (const [product, amount] of days.flatMap(({ byProduct }) => [...byProduct]))
    totals.set(product, (totals.get(product) ?? 0n) + amount);
  return [...totals].map(([product, total]) => ({ product, total })).sort((a, b) => Number(b.total - a.total));
}

export interface ResourceCost {
  id: string;
  name: string;
  kind: string; // the name of the resource: server
  datacenter: { id: string; name: string };
  product: string;
  exists: boolean;
  amount: Amount;
  uses: readonly string[]; // `48 hours of 1 core Intel Skylake`
}

// The most expensive first; `product`: of it alone.
export function resourcesOf(used: Utilization, prices: Prices, product = ''): ResourceCost[] {
  const found = new Map<string, ResourceCost>();
  for (const { id: datacenterId, name: datacenterName, meters } of used.datacenters)
    for (const meter of meters) {
      const price = prices.get(meter.meterId);
      const group = price?.productGroup ?? 'Others';
      if (product !== '' && group !== product) continue;
      const key = `${datacenterId} ${meter.resourceId} ${group}`;
      const known = found.get(key);
      found.set(key, {
        id: meter.resourceId,
        name: meter.name,
        kind: price?.countedAs.kind ?? meter.type.toLowerCase(),
        datacenter: { id: datacenterId, name: datacenterName },
        product: group,
        exists: meter.exists,
        amount: (known?.amount ?? 0n) + costOfUse(meter, prices),
        uses: [...(known?.uses ?? []), useText(meter)],
      });
    }
  return [...found.values()].sort((a, b) => Number(b.amount - a.amount));
}

const unitTexts: Readonly<Record<string, string>> = {
  '1hour': ' hours',
  '30Days': ' × 30 days',
  '1G': ' GB',
  '1G*hour': ' GB for an hour',
  '1G*30Days': ' GB for 30 days',
};

// `48 hours of 1 core Intel Skylake`. Other units are in the description: 1M tokens.
function useText({ quantity: { quantity, unit }, meterDesc }: UsedMeter): string {
  const known = unitTexts[unit];
  return known === undefined
    ? `${quantityText(quantity)} × ${meterDesc}`
    : `${quantityText(quantity)}${known} of ${meterDesc}`;
}

// Of what was used, as far as people read it.
export const quantityText = (quantity: number): string =>
  quantity > 0 && quantity < 0.001 ? 'under 0.001' : Number(quantity.toFixed(3)).toLocaleString('en');

const dayMs = 86_400_000;

// The days of a month that have begun, in UTC as the bills count.
export function datesOf(period: string, nowMs: number): string[] {
  const first = Date.parse(`${period}-01T00:00:00Z`);
  const dates: string[] = [];
  for (let at = first; at <= nowMs && isoDay(at).startsWith(period); at += dayMs) dates.push(isoDay(at));
  return dates;
}

const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
export const periodOf = (ms: number): string => isoDay(ms).slice(0, 7);

// What the month will have cost if everything goes on as it runs now.
export function forecastOf({ total, perHour, metadata }: Cost, nowMs: number): Amount {
  const [year = 0, month = 1] = metadata.period.split('-').map(Number);
  const hoursLeft = Math.max(0, Date.UTC(year, month, 1) - nowMs) / 3_600_000;
  const rest = times(fractionOf(perHour.quantity), fractionOf(hoursLeft.toFixed(6)));
  return amountOf(total.quantity) + rounded(rest, places);
}
