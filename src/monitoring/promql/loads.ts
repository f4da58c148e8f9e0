// The samples that a query needs, determined before the evaluation and fetched all at once. Selectors with the same
// matchers and touching time ranges share one fetch.

import type { BufferLease } from '../engine/buffer-pool.ts';
import type { MetricReader } from '../engine/engine.ts';
import type { Matcher, SeriesData } from '../series.ts';
import { type Load, type Plan, partsOf } from './plan.ts';
import { failing } from './query-error.ts';
import { endOf, type Grid } from './rows.ts';
import { subgridOf } from './subquery-grid.ts';

export const tooManySamples = 'query processing would load too many samples into memory in query execution';

export class Loads {
  readonly #loads: Load[] = [];

  create(matchers: readonly Matcher[]): Load {
    const load: Load = { matchers, fromMs: Number.POSITIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY, series: [] };
    this.#loads.push(load);
    return load;
  }

  // Extends the time range of each selector of the plan to what its evaluation over the grid needs.
  need(plan: Plan, given: Grid, lookbackMs: number): void {
    if (given.count < 1) return;
    const grid = plan.isFixed && plan.type !== 'matrix' ? { ...given, count: 1 } : given;
    if (plan.kind === 'selector') this.#widen(plan, grid, 0, lookbackMs);
    if (plan.kind === 'info') this.#widen(plan.selector, grid, 0, lookbackMs);
    if (plan.kind === 'range') {
      this.#widen(plan.selector, grid, plan.rangeMs, lookbackMs);
      return;
    }
    const inner = plan.kind === 'subquery' ? subgridOf(plan, grid) : grid;
    for (const part of partsOf(plan)) this.need(part, inner, lookbackMs);
  }

  async fetch(
    reader: MetricReader,
    tenant: string,
    mostSamples: number,
    buffers: BufferLease | undefined,
  ): Promise<void> {
    const shared = new Map<string, Load[]>();
    for (const load of this.#loads) {
      if (load.fromMs > load.toMs) continue;
      const key = JSON.stringify(load.matchers);
      const groups = shared.get(key);
      if (groups) groups.push(load);
      else shared.set(key, [load]);
    }
    let left = mostSamples;
    const fill = (loads: Load[], series: SeriesData[]): void => {
      for (const { times } of series) left -= times.length;
      if (left < 0) throw failing(tooManySamples);
      for (const load of loads) load.series = series;
    };
    const one = async (loads: Load[]): Promise<void> => {
      const fromMs = Math.min(...loads.map((load) => load.fromMs));
      const toMs = Math.max(...loads.map((load) => load.toMs));
      const matchers = (loads[0] as Load).matchers;
      const selection = { tenant, matchers, fromMs, toMs, mostSamples: left, ...(buffers && { buffers }) };
      const areConsumed = loads.every(({ consume }) => consume);
      for await (const part of (areConsumed && reader.parts?.(selection)) || [await reader.select(selection)]) {
        fill(loads, part);
        for (const { consume } of loads) consume?.();
      }
      if (areConsumed) fill(loads, []);
    };
    await Promise.all([...shared.values()].flatMap(touching).map(one));
  }

  #widen(plan: Extract<Plan, { kind: 'selector' }>, grid: Grid, rangeMs: number, lookbackMs: number): void {
    const { load, atMs, offsetMs, extension } = plan;
    const before = rangeMs === 0 || extension ? lookbackMs + rangeMs : rangeMs; // excludes the left end
    const after = extension === 'smoothed' ? lookbackMs : 0;
    load.fromMs = Math.min(load.fromMs, (atMs ?? grid.startMs) - offsetMs - before + 1);
    load.toMs = Math.max(load.toMs, (atMs ?? endOf(grid)) - offsetMs + after);
  }
}

// Groups of overlapping loads, by time.
function touching(loads: Load[]): Load[][] {
  const groups: Load[][] = [];
  let endMs = Number.NEGATIVE_INFINITY;
  for (const load of loads.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (load.fromMs <= endMs) groups.at(-1)?.push(load);
    else groups.push([load]);
    endMs = Math.max(endMs, load.toMs);
  }
  return groups;
}
