// Numbers between two bounds, as digits.
import { anyOf, type Expression, literal } from './rules.ts';

export interface NumberBounds {
  least?: number;
  most?: number;
  isLeastExcluded?: boolean;
  isMostExcluded?: boolean;
  multipleOf?: number;
}

const maxListed = 2000;
const maxDecimals = 6;

// The digits that are allowed at each position.
type Places = [from: number, to: number][];

export function integerBetween(bounds: NumberBounds, mostDigits: number): Expression | undefined {
  const largest = 10 ** mostDigits - 1;
  let least = Math.ceil(bounds.least ?? -largest);
  let most = Math.floor(bounds.most ?? largest);
  if (bounds.isLeastExcluded && least === bounds.least) least++;
  if (bounds.isMostExcluded && most === bounds.most) most--;
  // Allows values outside of the preferred range only if necessary.
  if (most > largest && least <= largest) most = largest;
  if (least < -largest && most >= -largest) least = -largest;
  if (!Number.isSafeInteger(least) || !Number.isSafeInteger(most) || least > most) return undefined;
  if (bounds.multipleOf !== undefined && bounds.multipleOf !== 1) return listed(least, most, bounds.multipleOf);
  return scaled(BigInt(least), BigInt(most), 0);
}

export function numberBetween(bounds: NumberBounds, mostDigits: number): Expression | undefined {
  const largest = 10 ** mostDigits - 1;
  const { least = -largest, most = largest, multipleOf } = bounds;
  if (multipleOf !== undefined && Number.isInteger(multipleOf)) return integerBetween(bounds, mostDigits);
  if (multipleOf !== undefined) return listed(least, most, multipleOf, bounds);
  const decimals = Math.min(maxDecimals, 2 + Math.max(decimalsOf(least), decimalsOf(most)));
  const unit = 10n ** BigInt(decimals);
  const low = BigInt(Math.ceil(least * Number(unit))) + (bounds.isLeastExcluded ? 1n : 0n);
  const high = BigInt(Math.floor(most * Number(unit))) - (bounds.isMostExcluded ? 1n : 0n);
  const whole = integerBetween(bounds, mostDigits);
  return low > high ? whole : anyOf([whole, scaled(low, high, decimals)]);
}

function decimalsOf(value: number): number {
  return Number.isInteger(value) ? 0 : (value.toFixed(maxDecimals).replace(/0+$/, '').split('.')[1]?.length ?? 0);
}

function listed(
  least: number,
  most: number,
  multipleOf: number,
  { isLeastExcluded, isMostExcluded }: NumberBounds = {},
): Expression | undefined {
  const values: number[] = [];
  const last = Math.floor(most / multipleOf);
  for (let step = Math.ceil(least / multipleOf); step <= last && values.length < maxListed; step++) {
    const value = Number((step * multipleOf).toPrecision(15));
    const isBelow = isLeastExcluded ? value <= least : value < least;
    const isAbove = isMostExcluded ? value >= most : value > most;
    if (Number.isInteger(value / multipleOf) && !isBelow && !isAbove) values.push(value);
  }
  return anyOf(values.map((value) => literal(String(value === 0 ? 0 : value))));
}

// Whole numbers between two bounds, written with a point before their last places.
function scaled(least: bigint, most: bigint, decimals: number): Expression | undefined {
  const negative = least < 0n ? positive(most < 0n ? -most : 1n, -least, decimals) : [];
  const positives = most >= 0n ? positive(least > 0n ? least : 0n, most, decimals) : [];
  return anyOf([...positives, ...negative.map((one) => `"-" ${one}`)]);
}

function positive(least: bigint, most: bigint, decimals: number): Expression[] {
  if (least > most) return [];
  const width = (value: bigint): number => Math.max(decimals + 1, value.toString().length);
  const expressions: Expression[] = [];
  for (let places = width(least); places <= width(most); places++) {
    const smallest = places === decimals + 1 ? 0n : 10n ** BigInt(places - 1);
    const low = least > smallest ? least : smallest;
    const largest = 10n ** BigInt(places) - 1n;
    const high = most < largest ? most : largest;
    if (low > high) continue;
    const texts = [low, high].map((value) => value.toString().padStart(places, '0')) as [string, string];
    expressions.push(...between(...texts).map((each) => textOf(each, decimals)));
  }
  return expressions;
}

// Texts of digits of one length between two others: [23, 58] is 2[3-9], [3-4][0-9] and 5[0-8].
function between(low: string, high: string): Places[] {
  if (low === '') return [[]];
  const [first, last] = [Number(low[0]), Number(high[0])];
  const rest = low.length - 1;
  const any: Places = Array.from({ length: rest }, () => [0, 9]);
  const nines = '9'.repeat(rest);
  const zeros = '0'.repeat(rest);
  if (first === last) return between(low.slice(1), high.slice(1)).map((places) => [[first, first], ...places]);
  const isLowWhole = low.slice(1) === zeros;
  const isHighWhole = high.slice(1) === nines;
  const from = isLowWhole ? first : first + 1;
  const to = isHighWhole ? last : last - 1;
  const begin: Places[] = isLowWhole ? [] : between(low.slice(1), nines).map((places) => [[first, first], ...places]);
  const middle: Places[] = from <= to ? [[[from, to], ...any]] : [];
  const end: Places[] = isHighWhole ? [] : between(zeros, high.slice(1)).map((places) => [[last, last], ...places]);
  return [...begin, ...middle, ...end];
}

function textOf(places: Places, decimals: number): Expression {
  const parts = places.map(([from, to]) => (from === to ? `"${from}"` : `[${from}-${to}]`));
  if (decimals > 0) parts.splice(places.length - decimals, 0, '"."');
  return runs(parts).join(' ');
}

// [0-9] [0-9] [0-9] is [0-9]{3}.
function runs(parts: string[]): string[] {
  const joined: { part: string; times: number }[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.part === part) last.times++;
    else joined.push({ part, times: 1 });
  }
  return joined.map(({ part, times }) => (times === 1 ? part : `${part}{${times}}`));
}
