// Converts arguments of functions that accept values of any type.

import { shown } from '../../../core/go-template/printf.ts';
import type { Value } from '../../../core/go-template/values.ts';
import { parseFloat64 } from '../syntax/units.ts';

// A value without a number counts as zero.
export function toWhole(value: Value): bigint {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value);
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt.asIntN(64, BigInt(Math.trunc(value))) : 0n;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value !== 'string') return 0n;
  const cut = value.replace(/(?<=\d)\.\d*$/, ''); // ignores decimals
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
