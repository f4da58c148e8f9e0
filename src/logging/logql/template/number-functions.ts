// Functions of numbers: whole ones (add, div, …) and floats (addf, …), and conversions.
import { parseBytes, parseGoDuration, secondsOf, UnitError } from '../syntax/units.ts';
import { text, toFloat, toWhole } from './arguments.ts';
import type { Entry, TemplateFunction } from './function-entry.ts';
import { fail, type Value } from './values.ts';

const many = 1000;
const wrapped = (value: bigint): bigint => BigInt.asIntN(64, value);

const wholes = (name: string, least: number, most: number, reduce: (a: bigint, b: bigint) => bigint): Entry => [
  name,
  least,
  most,
  (args) => args.map(toWhole).reduce((a, b) => wrapped(reduce(a, b))),
];

const floats = (name: string, least: number, reduce: (a: number, b: number) => number): Entry => [
  name,
  least,
  many,
  (args) => args.map(toFloat).reduce(reduce),
];

const divided = (a: bigint, b: bigint): bigint => (b === 0n ? fail('runtime error: integer divide by zero') : a / b);
const rest = (a: bigint, b: bigint): bigint => (b === 0n ? fail('runtime error: integer divide by zero') : a % b);

// Halves go up, whatever the sign is.
function rounded(value: Value, places: Value, on: Value): number {
  const number = toFloat(value);
  const power = 10 ** Number(toWhole(places));
  const digit = power * number;
  const part = digit % 1;
  return (part >= (on === undefined ? 0.5 : toFloat(on)) ? Math.ceil(digit) : Math.floor(digit)) / power;
}

function converted(read: (value: string) => number): TemplateFunction['call'] {
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
  floats('addf', 0, (a, b) => a + b),
  floats('subf', 1, (a, b) => a - b),
  floats('mulf', 1, (a, b) => a * b),
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
