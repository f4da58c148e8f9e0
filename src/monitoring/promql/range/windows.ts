// The sliding windows of range functions: the samples of a series that belong to each step. The edges are found for all
// steps at once; the functions then work between them.
import type { SeriesData } from '../../series.ts';
import type { RangePlan, SubqueryPlan } from '../plan.ts';
import type { Row, Scalar } from '../rows.ts';
import type { Scope } from '../scope.ts';
import { positions, withoutEnds } from '../select.ts';
import { subgridOf } from '../subquery-grid.ts';

export interface Samples extends SeriesData {
  isUnnamed: boolean;
}

export interface Windows {
  readonly first: Int32Array; // by step: the first sample in the window
  readonly after: Int32Array; // the one after its last
  readonly count: number;
  readonly endMs: number; // of the first step's window, which excludes its start
  readonly strideMs: number; // from one window to the next; 0 if all are equal
  readonly rangeMs: number;
  readonly lookbackMs: number;
  readonly startMs: number; // the time of the first step, which may differ from the end of its window
  readonly stepMs: number;
}

// Writes the results of one series into an empty row.
export type RangeFunction = (samples: Samples, windows: Windows, row: Row, scalars: readonly Scalar[]) => void;

// A generator, so that samples are still in the CPU cache for the next pass over them.
export function* samplesOf(plan: RangePlan | SubqueryPlan, scope: Scope): Generator<Samples> {
  if (plan.kind === 'range') {
    for (const series of plan.selector.load.series) yield { ...withoutEnds(series), isUnnamed: false };
    return;
  }
  const grid = subgridOf(plan, scope.grid);
  const rows = grid.count === 0 ? [] : scope.on(grid).rows(plan.body);
  for (const row of rows) yield asSamples(row, grid.startMs, grid.stepMs);
}

function asSamples({ labels, isUnnamed, values, present }: Row, startMs: number, stepMs: number): Samples {
  let count = 0;
  for (let step = 0; step < present.length; step++) count += present[step] as number;
  const times = new Float64Array(count);
  const kept = count === values.length ? values : new Float64Array(count);
  let at = 0;
  for (let step = 0; step < present.length; step++) {
    if (!present[step]) continue;
    times[at] = startMs + step * stepMs;
    kept[at++] = values[step] as number;
  }
  return { labels, isUnnamed, times, values: kept };
}

// Finds the edges for many series, reusing its arrays. A method instead of a closure, so that it is compiled once for
// all queries.
class Sliding {
  readonly windows: Windows;
  readonly #edges: Int32Array;
  readonly #after: Int32Array | undefined; // if the ends of windows are searched separately
  #known: Float64Array | undefined;

  constructor(windows: Windows, edges: Int32Array, after?: Int32Array) {
    this.windows = windows;
    this.#edges = edges;
    this.#after = after;
  }

  // Series that are scraped together share one array of times and have the same edges.
  slide({ times }: Samples): void {
    if (times === this.#known) return;
    const { endMs, rangeMs, strideMs } = this.windows;
    positions(times, endMs - rangeMs, strideMs, this.#edges);
    if (this.#after) positions(times, endMs, strideMs, this.#after);
    this.#known = times;
  }
}

export function slidingOver(plan: RangePlan | SubqueryPlan, scope: Scope): Sliding {
  const { startMs, stepMs, count } = scope.grid;
  const { atMs, offsetMs, rangeMs } = plan;
  const endMs = (atMs ?? startMs) - offsetMs;
  const strideMs = atMs === undefined ? stepMs : 0;
  const common = { count, endMs, strideMs, rangeMs, lookbackMs: scope.lookbackMs, startMs, stepMs };
  // If the range is a multiple of the step, one window starts where an earlier one ended: one search serves both.
  const steps = strideMs > 0 && rangeMs % strideMs === 0 ? rangeMs / strideMs : 0;
  if (steps > 0 && steps <= 4 * count + 16) {
    const edges = new Int32Array(count + steps);
    return new Sliding({ first: edges.subarray(0, count), after: edges.subarray(steps), ...common }, edges);
  }
  const [first, after] = [new Int32Array(count), new Int32Array(count)];
  return new Sliding({ first, after, ...common }, first, after);
}

export function show(row: Row, step: number, value: number): void {
  row.values[step] = value;
  row.present[step] = 1;
}
