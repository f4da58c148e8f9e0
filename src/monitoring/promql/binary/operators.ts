// What operators do to two numbers, by Go's rules where they differ from JavaScript's.
import type { BinaryOp } from '../syntax/tree.ts';

type Operator = (left: number, right: number) => number;

export const arithmetic: Readonly<Partial<Record<BinaryOp, Operator>>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '^': power,
  atan2: Math.atan2,
};

export const comparison: Readonly<Partial<Record<BinaryOp, (left: number, right: number) => boolean>>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
};

// One to whatever power is one, even to what is not a number.
function power(base: number, exponent: number): number {
  if (base === 1) return 1;
  if (base === -1 && (exponent === Number.POSITIVE_INFINITY || exponent === Number.NEGATIVE_INFINITY)) return 1;
  return base ** exponent;
}
