// Amounts of money, and the costs of a month. Sums are exact to ten places and rounded for display only. An invoice
// rounds each line, so it can differ by cents.
import { decimalText, fractionOf, rounded, times } from '../../src/base/decimal.ts';
import type { Cost, Money, MonthCosts, ResourceCost, Use } from './billing-api.ts';

const places = 10;
export type Amount = bigint; // of the currency, with ten places

export const amountText = (amount: Amount, shown = 2): string =>
  decimalText({ over: amount, under: 10n ** BigInt(places) }, shown, shown);

export const amountOf = (decimal: string): Amount => rounded(fractionOf(decimal), places);

// Amounts shown together have the same number of places: four while their sum is small, as at the beginning of a month.
export const placesFor = (total: Amount): number => (total < 10n ** BigInt(places) ? 4 : 2);

export function costText(amount: Amount, shown: number): string {
  const isTooSmall = amount > 0n && rounded({ over: amount, under: 10n ** BigInt(places) }, shown) === 0n;
  return isTooSmall ? `under ${amountText(10n ** BigInt(places - shown), shown)}` : amountText(amount, shown);
}

// Money with separators: 1,204.50 EUR.
export const moneyText = (amount: Amount, unit: string, shown = 2): string =>
  `${costText(amount, shown).replace(/\d(?=(?:\d{3})+\.)/g, '$&,')} ${unit}`;

// The API returns a month's costs in cents. If resources run, a sum below a cent is shown as such.
export function spentText(amount: Money, perHour: Money): string {
  const isUnderCent = amountOf(amount.quantity) === 0n && amountOf(perHour.quantity) > 0n;
  return moneyText(isUnderCent ? 1n : amountOf(amount.quantity), amount.unit);
}

// Rounds parts so that they add up to their rounded sum: the parts that lose most are rounded up.
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

// All products of the days, the most expensive first. The order defines their colours.
export function productsOf(days: MonthCosts['days']): { product: string; total: Amount }[] {
  const totals = new Map<string, Amount>();
  for (const { products } of days)
    for (const [product, amount] of Object.entries(products))
      totals.set(product, (totals.get(product) ?? 0n) + amountOf(amount));
  return [...totals].map(([product, total]) => ({ product, total })).sort((a, b) => Number(b.total - a.total));
}

export const totalOf = (days: MonthCosts['days']): Amount => days.reduce((sum, { total }) => sum + amountOf(total), 0n);

// The choices of the page.
export const groupingsOf = (labels: readonly string[]): [grouping: string, title: string][] => [
  ['resource', 'Resource'],
  ['kind', 'Kind'],
  ['datacenter', 'Datacenter'],
  ...labels.map((key): [string, string] => [`label:${key}`, `Label ${key}`]),
];

const hoursOfUnit: Readonly<Record<string, number>> = { '1hour': 1, '1G*hour': 1, '30Days': 720, '1G*30Days': 720 };
const piecesOfUnit: Readonly<Record<string, number>> = { '1000': 1000, '1M': 1_000_000 };

// `1 core Intel Skylake × 48 hours`, `1 GB RAM × 8 minutes`, `0.5 GB outgoing traffic`, `1,234 requests`.
export function useText({ meter, unit, quantity }: Use): string {
  const hours = hoursOfUnit[unit];
  if (hours !== undefined) return `${meter} × ${timeText(quantity * hours, hours > 1)}`;
  if (unit === '1G') return `${quantityText(quantity)} GB ${meter.replace(/^1 GB /, '')}`;
  const pieces = piecesOfUnit[unit];
  if (pieces === undefined) return `${quantityText(quantity)} × ${meter}`;
  return `${Math.round(quantity * pieces).toLocaleString('en')} ${meter.replace(/^1\S* /, '')}`;
}

function timeText(hours: number, hasDays: boolean): string {
  if (hasDays && hours >= 24) return timesText(hours / 24, 'day');
  if (hours >= 1) return timesText(hours, 'hour');
  return hours * 60 < 1 ? 'under 1 minute' : timesText(hours * 60, 'minute');
}

function timesText(count: number, unit: string): string {
  const text = Number(count.toFixed(1)).toLocaleString('en');
  return `${text} ${unit}${text === '1' ? '' : 's'}`;
}

// The time that a price is for; empty: it is for a piece or a gigabyte, which the description names.
export const timeOfUnit = (unit: string): string =>
  unit.endsWith('30Days') ? '30 days' : unit.endsWith('hour') ? 'hour' : '';

// Rounded to three places.
export const quantityText = (quantity: number): string =>
  quantity > 0 && quantity < 0.001 ? 'under 0.001' : Number(quantity.toFixed(3)).toLocaleString('en');

const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
export const periodOf = (ms: number): string => isoDay(ms).slice(0, 7);

// The cost of the whole month if everything that runs now keeps running.
export function forecastOf({ total, perHour, metadata }: Cost, nowMs: number): Amount {
  const [year = 0, month = 1] = metadata.period.split('-').map(Number);
  const hoursLeft = Math.max(0, Date.UTC(year, month, 1) - nowMs) / 3_600_000;
  const rest = times(fractionOf(perHour.quantity), fractionOf(hoursLeft.toFixed(6)));
  return amountOf(total.quantity) + rounded(rest, places);
}

// The costs of resources as a table for spreadsheets. They would run a name that begins like a formula.
export function csvOf(resources: readonly ResourceCost[], unit: string): string {
  const cell = (text: string): string => `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
  const rows = resources.map(({ name, kind, datacenter, product, uses, amount }) => [
    ...[name, kind, datacenter.name, product, uses.map(useText).join('; ')].map(cell),
    amount,
  ]);
  const head = ['Resource', 'Kind', 'Datacenter', 'Product', 'Used', `Cost in ${unit}`].map(cell);
  return [head, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}
