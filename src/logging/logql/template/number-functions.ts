// Functions of numbers: whole ones (add, div, …) and floats (addf, …), and conversions.

import { text } from '../../../core/go-template/arguments.ts';
import type { Entry, TemplateFunction } from '../../../core/go-template/function-entry.ts';
import { fail, type Value } from '../../../core/go-template/values.ts';
import { parseBytes, parseGoDuration, secondsOf, UnitError } from '../syntax/units.ts';
import { toFloat, toWhole } from './arguments.ts';

const many = 1000;
const wrapped = (value: bigint): bigint => BigInt.asIntN(64, value);

const wholes = (name: string, least: number, most: number, reduce: (a: bigint, b: bigint) => bigint): Entry => [
  name,
  least,
  most,
  (args) => args.map(toWhole).reduce((a, b) => wrapped(reduce(a, b))),
];

// Sprig computes these with decimals: 7.681 + 1.5 is 9.181, which no sum of two floats is.
const decimals = (name: string, least: number, exact: typeof sum, inexact: (a: number, b: number) => number): Entry => [
  name,
  least,
  many,
  (args) =>
    args.map(toFloat).reduce((a, b) => {
      const [one, other] = [decimalOf(a), decimalOf(b)];
      return one && other ? numberOf(exact(one, other)) : inexact(a, b);
    }),
];

interface Decimal {
  digits: bigint;
  places: number; // decimal places
}

// Undefined: not finite, or in a range that only floats have.
function decimalOf(value: number): Decimal | undefined {
  const [, whole, part = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(String(value)) ?? [];
  return whole === undefined ? undefined : { digits: BigInt(whole + part), places: part.length };
}

const numberOf = ({ digits, places }: Decimal): number => Number(`${digits}e-${places}`);

function sum(a: Decimal, b: Decimal): Decimal {
  const places = Math.max(a.places, b.places);
  const scaled = (one: Decimal): bigint => one.digits * 10n ** BigInt(places - one.places);
  return { digits: scaled(a) + scaled(b), places };
}

const difference = (a: Decimal, b: Decimal): Decimal => sum(a, { ...b, digits: -b.digits });
const product = (a: Decimal, b: Decimal): Decimal => ({ digits: a.digits * b.digits, places: a.places + b.places });

const floats = (name: string, least: number, reduce: (a: number, b: number) => number): Entry => [
  name,
  least,
  many,
  (args) => args.map(toFloat).reduce(reduce),
];

const divided = (a: bigint, b: bigint): bigint => (b === 0n ? fail('runtime error: integer divide by zero') : a / b);
const rest = (a: bigint, b: bigint): bigint => (b === 0n ? fail('runtime error: integer divide by zero') : a % b);

// Halves are rounded up, whatever the sign is.
function rounded(value: Value, places: Value, on: Value): number {
  const number = toFloat(value);
  const power = 10 ** Number(toWhole(places));
  const digit = power * number;
  const part = digit % 1;
  return (part >= (on === undefined ? 0.5 : toFloat(on)) ? Math.ceil(digit) : Math.floor(digit)) / power;
}

function converted(read: (value: string) => number): TemplateFunction<unknown>['call'] {
  return ([value]) => {
    try {
      return read(text(value));
    } catch (error) {
      return error instanceof UnitError ? fail(error.message) : fail(String(error));
    }
  };
}

export const numberFunctions: Entry[] = [
  ['int', 1, 1, ([value]) => toWhole(value)],
  ['float64', 1, 1, ([value]) => toFloat(value)],
  wholes('add', 0, many, (a, b) => a + b),
  wholes('sub', 2, 2, (a, b) => a - b),
  wholes('mul', 1, many, (a, b) => a * b),
  wholes('div', 2, 2, divided),
  wholes('mod', 2, 2, rest),
  wholes('max', 1, many, (a, b) => (a > b ? a : b)),
  wholes('min', 1, many, (a, b) => (a < b ? a : b)),
  decimals('addf', 0, sum, (a, b) => a + b),
  decimals('subf', 1, difference, (a, b) => a - b),
  decimals('mulf', 1, product, (a, b) => a * b),
  floats('divf', 1, (a, b) => a / b),
  floats('maxf', 1, (a, b) => Math.max(a, b)),
  floats('minf', 1, (a, b) => Math.min(a, b)),
  ['ceil', 1, 1, ([value]) => Math.ceil(toFloat(value))],
  ['floor', 1, 1, ([value]) => Math.floor(toFloat(value))],
  ['round', 2, 3, ([value, places, on]) => rounded(value, places, on)],
  ['bytes', 1, 1, converted(parseBytes)],
  ['duration', 1, 1, converted((value) => secondsOf(parseGoDuration(value)))],
  ['duration_seconds', 1, 1, converted((value) => secondsOf(parseGoDuration(value)))],
];
