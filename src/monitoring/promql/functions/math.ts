// Functions of a single value.
import type { CallPlan, Plan } from '../plan.ts';
import { type Row, type Scalar, unnamed } from '../rows.ts';
import type { Scope } from '../scope.ts';

const degree = Math.PI / 180;

const simple: ReadonlyMap<string, (value: number) => number> = new Map([
  ['abs', Math.abs],
  ['acos', Math.acos],
  ['acosh', Math.acosh],
  ['asin', Math.asin],
  ['asinh', Math.asinh],
  ['atan', Math.atan],
  ['atanh', Math.atanh],
  ['ceil', Math.ceil],
  ['cos', Math.cos],
  ['cosh', Math.cosh],
  ['deg', (value: number) => (value * 180) / Math.PI],
  ['exp', Math.exp],
  ['floor', Math.floor],
  ['ln', Math.log],
  ['log10', Math.log10],
  ['log2', Math.log2],
  ['rad', (value: number) => value * degree],
  ['sgn', (value: number) => (value < 0 ? -1 : value > 0 ? 1 : value)],
  ['sin', Math.sin],
  ['sinh', Math.sinh],
  ['sqrt', Math.sqrt],
  ['tan', Math.tan],
  ['tanh', Math.tanh],
]);

export const mathNames: readonly string[] = [...simple.keys()];

export function math(plan: CallPlan, scope: Scope): Row[] {
  const change = simple.get(plan.name) as (value: number) => number;
  return mapped(scope.rows(plan.args[0] as Plan), scope, (value) => change(value));
}

export function round(plan: CallPlan, scope: Scope): Row[] {
  const [given, nearest] = plan.args as [Plan, Plan?];
  const inverse = (nearest ? scope.scalar(nearest) : new Float64Array(scope.grid.count).fill(1)).map((to) => 1 / to);
  const rows = scope.rows(given);
  // Multiplying by the inverse loses less precision than dividing.
  return mapped(rows, scope, (value, step) => Math.floor(value * at(inverse, step) + 0.5) / at(inverse, step));
}

export function clamp(plan: CallPlan, scope: Scope): Row[] {
  const [given, first, second] = plan.args as [Plan, Plan, Plan?];
  const { count } = scope.grid;
  const fixed = (value: number): Scalar => new Float64Array(count).fill(value);
  const low = plan.name === 'clamp_max' ? fixed(Number.NEGATIVE_INFINITY) : scope.scalar(first);
  const high = plan.name === 'clamp_min' ? fixed(Number.POSITIVE_INFINITY) : scope.scalar(second ?? first);
  const rows = scope.rows(given);
  for (const { present } of rows)
    for (let step = 0; step < count; step++) if (at(high, step) < at(low, step)) present[step] = 0;
  return mapped(rows, scope, (value, step) => larger(at(low, step), smaller(at(high, step), value)));
}

const at = (scalar: Scalar, step: number): number => scalar[step] as number;

// Infinity wins even over NaN, as in Go.
function larger(a: number, b: number): number {
  return a === Number.POSITIVE_INFINITY || b === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : Math.max(a, b);
}

function smaller(a: number, b: number): number {
  return a === Number.NEGATIVE_INFINITY || b === Number.NEGATIVE_INFINITY ? Number.NEGATIVE_INFINITY : Math.min(a, b);
}

export function mapped(rows: Row[], scope: Scope, change: (value: number, step: number) => number): Row[] {
  for (const { values, present } of rows)
    for (let step = 0; step < values.length; step++)
      if (present[step]) values[step] = change(values[step] as number, step);
  return unnamed(rows, scope.lateNames);
}
