// The steps of a subquery: multiples of its own step, independent of the query's.
import type { SubqueryPlan } from './plan.ts';
import { endOf, type Grid } from './rows.ts';

export function subgridOf({ atMs, offsetMs, rangeMs, stepMs }: SubqueryPlan, grid: Grid): Grid {
  const beforeMs = (atMs ?? grid.startMs) - offsetMs - rangeMs; // exclusive
  const endMs = (atMs ?? endOf(grid)) - offsetMs;
  const startMs = (Math.floor(beforeMs / stepMs) + 1) * stepMs;
  return { startMs, stepMs, count: endMs < startMs ? 0 : Math.floor((endMs - startMs) / stepMs) + 1 };
}
