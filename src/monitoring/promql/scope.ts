// What the parts of an expression know while they are evaluated over one grid of moments.
import type { Labels } from '../series.ts';
import type { Annotations } from './annotations.ts';
import type { Plan } from './plan.ts';
import type { Grid, Row, Scalar } from './rows.ts';

export interface Scope {
  readonly grid: Grid;
  readonly notes: Annotations;
  readonly lookbackMs: number;
  // Whether the name of a metric stays until the end, for label functions to see, where an operation takes it away.
  readonly lateNames: boolean;
  // The result belongs to whoever asked for it and may be changed in place.
  rows(plan: Plan): Row[];
  scalar(plan: Plan): Scalar;
  on(grid: Grid): Scope;
  // A row without values; it may lie in memory that the next query uses.
  row(labels: Labels, isUnnamed?: boolean): Row;
  // Throws where so many points more would be too many.
  take(points: number): void;
}
