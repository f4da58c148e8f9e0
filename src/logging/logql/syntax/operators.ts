// The results of binary operators. A comparison returns 1 or 0; division by zero returns NaN.
import type { BinaryOp } from './tree.ts';

export function compute(op: BinaryOp, left: number, right: number): number {
  switch (op) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? Number.NaN : left / right;
    case '%':
      return right === 0 ? Number.NaN : left % right;
    case '^':
      // A base of one gives one in Go, for any exponent.
      return left === 1 || (left === -1 && !Number.isFinite(right) && !Number.isNaN(right)) ? 1 : left ** right;
    case '==':
      return Number(left === right);
    case '!=':
      return Number(left !== right);
    case '>':
      return Number(left > right);
    case '>=':
      return Number(left >= right);
    case '<':
      return Number(left < right);
    case '<=':
      return Number(left <= right);
    default:
      throw new Error(`${op} computes no number`);
  }
}
