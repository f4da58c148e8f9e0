// Operators between two scalars, and between a scalar and every value of a vector.
import type { BinaryPlan } from '../plan.ts';
import { isEmptyRow, type Row, type Scalar, unnamed } from '../rows.ts';
import type { Scope } from '../scope.ts';
import { isSetOperation } from '../syntax/tree.ts';
import { matched } from './matching.ts';
import { arithmetic, comparison } from './operators.ts';
import { combined } from './sets.ts';

export function binaryRows(plan: BinaryPlan, scope: Scope): Row[] {
  const { left, right, op } = plan;
  if (left.type === 'scalar') return withScalar(plan, scope.rows(right), scope.scalar(left), true, scope);
  if (right.type === 'scalar') return withScalar(plan, scope.rows(left), scope.scalar(right), false, scope);
  const [leftRows, rightRows] = [scope.rows(left), scope.rows(right)];
  if (isSetOperation(op)) return combined(plan, leftRows, rightRows, scope);
  if (isTrim(plan)) return nothing(plan, scope);
  return matched(plan, leftRows, rightRows, scope);
}

export function binaryScalar({ op, left, right }: BinaryPlan, scope: Scope): Scalar {
  const [one, other] = [scope.scalar(left), scope.scalar(right)];
  const holds = comparison[op];
  const operate = arithmetic[op] ?? ((a: number, b: number): number => (holds?.(a, b) ? 1 : 0));
  return one.map((value, step) => operate(value, other[step] as number));
}

const isTrim = ({ op }: BinaryPlan): boolean => op === '</' || op === '>/';

// Only native histograms can be trimmed.
function nothing({ op, span }: BinaryPlan, { notes }: Scope): Row[] {
  const message = `incompatible sample types encountered for binary operator "${op}": float ${op} float`;
  notes.hint(message, span);
  return [];
}

function withScalar(plan: BinaryPlan, rows: Row[], scalar: Scalar, isSwapped: boolean, scope: Scope): Row[] {
  if (isTrim(plan)) return nothing(plan, scope);
  const operate = arithmetic[plan.op];
  if (operate) {
    for (const row of rows) calculate(row, scalar, isSwapped, operate);
    return unnamed(rows, scope.lateNames);
  }
  const holds = comparison[plan.op] as (left: number, right: number) => boolean;
  for (const row of rows) compare(row, scalar, isSwapped, holds, plan.isBool);
  return plan.isBool ? unnamed(rows, scope.lateNames) : rows.filter((row) => !isEmptyRow(row));
}

function calculate(
  { values, present }: Row,
  scalar: Scalar,
  isSwapped: boolean,
  operate: (left: number, right: number) => number,
): void {
  for (let step = 0; step < values.length; step++) {
    if (present[step] === 0) continue;
    const value = values[step] as number;
    const other = scalar[step] as number;
    values[step] = isSwapped ? operate(other, value) : operate(value, other);
  }
}

// A comparison keeps the value of the vector, on whichever side it is.
function compare(
  { values, present }: Row,
  scalar: Scalar,
  isSwapped: boolean,
  holds: (left: number, right: number) => boolean,
  isBool: boolean,
): void {
  for (let step = 0; step < values.length; step++) {
    if (present[step] === 0) continue;
    const value = values[step] as number;
    const other = scalar[step] as number;
    const isTrue = isSwapped ? holds(other, value) : holds(value, other);
    if (isBool) values[step] = isTrue ? 1 : 0;
    else if (!isTrue) present[step] = 0;
  }
}
