// Exact decimal arithmetic for money and quantities, which are never floats: a number is a fraction of two integers
// until it is rounded to be shown.
import { Fault } from './fault.ts';

export interface Fraction {
  over: bigint;
  under: bigint; // positive
}

const form = /^(\d{1,12})(?:\.(\d{1,12}))?$/;

// '0.025' is 25/1000.
export function fractionOf(text: string): Fraction {
  const match = form.exec(text);
  if (!match) throw new Fault('refused', `Expected a decimal number such as 0.0250, got '${text.slice(0, 40)}'.`);
  const [, whole = '', decimals = ''] = match;
  return { over: BigInt(whole + decimals), under: 10n ** BigInt(decimals.length) };
}

// Rounded half up.
export function rounded({ over, under }: Fraction, places: number): bigint {
  return (over * 10n ** BigInt(places) * 2n + under) / (under * 2n);
}

// Without zeros at the end, but for `least` places.
export function decimalText(fraction: Fraction, places: number, least = 0): string {
  return fixedText(rounded(fraction, places), places, least);
}

// 1234 with 2 places is 12.34.
export function fixedText(digits: bigint, places: number, least = places): string {
  const text = digits.toString().padStart(places + 1, '0');
  const whole = text.slice(0, text.length - places);
  let decimals = text.slice(text.length - places);
  while (decimals.length > least && decimals.endsWith('0')) decimals = decimals.slice(0, -1);
  return decimals === '' ? whole : `${whole}.${decimals}`;
}

export const times = (a: Fraction, b: Fraction): Fraction => ({ over: a.over * b.over, under: a.under * b.under });

export const zero: Fraction = { over: 0n, under: 1n };

export const plus = (a: Fraction, b: Fraction): Fraction => ({
  over: a.over * b.under + b.over * a.under,
  under: a.under * b.under,
});
