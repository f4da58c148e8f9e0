// The arguments of template functions: what Go's functions take, and how those that take anything convert it.
import { parseFloat64 } from '../syntax/units.ts';
import { shown } from './printf.ts';
import { fail, GoTime, typeOf, type Value } from './values.ts';

export function text(value: Value): string {
  return typeof value === 'string' ? value : fail(`wrong type for value; expected string; got ${typeOf(value)}`);
}

export function whole(value: Value): number {
  return typeof value === 'bigint' ? Number(value) : fail(`wrong type for value; expected int; got ${typeOf(value)}`);
}

export function moment(value: Value): GoTime {
  return value instanceof GoTime ? value : fail(`wrong type for value; expected time.Time; got ${typeOf(value)}`);
}

// What has no number in it counts as zero.
export function toWhole(value: Value): bigint {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value);
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt.asIntN(64, BigInt(Math.trunc(value))) : 0n;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value !== 'string') return 0n;
  const cut = value.replace(/(?<=\d)\.\d*$/, ''); // what stands behind the point does not count
  const [, sign, digits = ''] = /^([-+]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO][0-7]+|\d+)$/.exec(cut) ?? [];
  if (sign === undefined) return 0n;
  // A leading zero means octal.
  const isOctal = /^0\d/.test(digits);
  if (isOctal && !/^0[0-7]+$/.test(digits)) return 0n;
  const found = BigInt(isOctal ? `0o${digits.slice(1)}` : digits);
  return BigInt.asIntN(64, sign === '-' ? -found : found);
}

export function toFloat(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return 0;
  try {
    return parseFloat64(value);
  } catch {
    return 0;
  }
}

export const toText = (value: Value): string => (value === undefined ? '' : shown(value));
