// The context of an evaluation over one grid of steps.
import type { Labels } from '../series.ts';
import type { Annotations } from './annotations.ts';
import type { Plan } from './plan.ts';
import type { Grid, Row, Scalar } from './rows.ts';

export interface Scope {
  readonly grid: Grid;
  readonly notes: Annotations;
  readonly lookbackMs: number;
  // Whether metric names are kept until the end of the evaluation, for label functions.
  readonly lateNames: boolean;
  // The caller owns the result and may change it in place.
  rows(plan: Plan): Row[];
  scalar(plan: Plan): Scalar;
  on(grid: Grid): Scope;
  // An empty row, possibly in leased memory.
  row(labels: Labels, isUnnamed?: boolean): Row;
  // Throws if this many more points exceed the limit.
  take(points: number): void;
}
