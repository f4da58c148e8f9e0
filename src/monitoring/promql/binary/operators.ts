// Arithmetic and comparisons of two numbers, by the rules of Go where they differ from JavaScript.
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

// 1 to any power is 1, even for NaN.
function power(base: number, exponent: number): number {
  if (base === 1) return 1;
  if (base === -1 && (exponent === Number.POSITIVE_INFINITY || exponent === Number.NEGATIVE_INFINITY)) return 1;
  return base ** exponent;
}
