// Evaluates a query in two phases: first all samples are fetched, for all selectors at once; then the expression is
// computed synchronously, each node over all steps.

import { type BufferLease, leaseBuffers } from '../engine/buffer-pool.ts';
import type { MetricReader } from '../engine/engine.ts';
import { byLabels } from '../label-order.ts';
import type { Labels } from '../series.ts';
import { aggregate } from './aggregate/aggregate.ts';
import { Annotations } from './annotations.ts';
import { binaryRows, binaryScalar } from './binary/binary.ts';
import { scalarCall, vectorCall } from './functions/calls.ts';
import { info } from './functions/info.ts';
import { Loads, tooManySamples } from './loads.ts';
import { type Plan, planOf, type RangePlan, type SubqueryPlan } from './plan.ts';
import { failing, QueryError } from './query-error.ts';
import { extendedSamples } from './range/extended.ts';
import { samplesOf, slidingOver } from './range/windows.ts';
import { broadcast, createRow, createRowIn, finished, type Grid, type Row, type Scalar, unnamed } from './rows.ts';
import type { Scope } from './scope.ts';
import { selectRows } from './select.ts';
import { streamAggregates } from './streaming.ts';
import type { Node } from './syntax/tree.ts';

export interface EvaluationOptions {
  startMs: number;
  endMs: number;
  stepMs: number; // 0: at one time, and then the two above are equal
  lookbackMs?: number;
  mostSamples: number;
  buffers?: BufferLease; // results may lie in it
  signal?: AbortSignal;
  lateNames?: boolean; // Prometheus' promql-delayed-name-removal, which is disabled there by default
  defaultStepMs?: number;
}

export interface RawSeries {
  labels: Labels;
  times: Float64Array;
  values: Float64Array;
}

export type Result =
  | { type: 'vector'; rows: Row[] } // at one time, in the order of the answer
  | { type: 'rows'; rows: Row[] } // over steps
  | { type: 'matrix'; series: RawSeries[] } // raw samples
  | { type: 'scalar'; value: number }
  | { type: 'string'; value: string };

const defaultLookbackMs = 300_000;
const subqueryStepMs = 60_000;

export interface Evaluated {
  result: Result;
  grid: Grid;
  notes: Annotations;
}

export async function evaluate(
  reader: MetricReader,
  tenant: string,
  node: Node,
  options: EvaluationOptions,
): Promise<Evaluated> {
  const { startMs, endMs, stepMs, mostSamples } = options;
  const isRange = stepMs > 0;
  const grid = { startMs, stepMs: stepMs || 1, count: isRange ? Math.floor((endMs - startMs) / stepMs) + 1 : 1 };
  const lookbackMs = options.lookbackMs || defaultLookbackMs;
  const loads = new Loads();
  const defaultStepMs = options.defaultStepMs ?? subqueryStepMs;
  const plan = planOf(node, {
    startMs,
    endMs,
    stepMs,
    defaultStepMs,
    createLoad: (matchers) => loads.create(matchers),
  });
  loads.need(plan, grid, lookbackMs);
  if (grid.count > mostSamples) throw failing(tooManySamples);
  const shared: Shared = { options, lookbackMs, notes: new Annotations(), budget: { left: mostSamples } };
  const endParts = streamAggregates(plan, grid, (partial, body, own) => {
    using buffers = leaseBuffers();
    partial.add(new Evaluation(own, { ...shared, options: { ...options, buffers } }).rows(body));
  });
  await loads.fetch(reader, tenant, mostSamples, options.buffers);
  demandTime(options.signal);
  endParts();
  const evaluation = new Evaluation(grid, shared);
  return { result: resultOf(plan, evaluation, isRange), grid, notes: evaluation.notes };
}

function resultOf(plan: Plan, evaluation: Evaluation, isRange: boolean): Result {
  if (plan.kind === 'string') return { type: 'string', value: plan.value };
  if (plan.kind === 'range' || plan.kind === 'subquery') return { type: 'matrix', series: raw(plan, evaluation) };
  if (plan.type === 'scalar' && !isRange) return { type: 'scalar', value: evaluation.scalar(plan)[0] as number };
  const rows = finished(evaluation.rows(plan));
  if (!isRange) return { type: 'vector', rows };
  return { type: 'rows', rows: rows.sort(byLabels) };
}

// A range selector as the whole query: its samples with their own times.
function raw(plan: RangePlan | SubqueryPlan, scope: Scope): RawSeries[] {
  const sliding = slidingOver(plan, scope);
  const { windows } = sliding;
  const extension = plan.kind === 'range' ? plan.selector.extension : undefined;
  const shown: RawSeries[] = [];
  for (const samples of samplesOf(plan, scope)) {
    sliding.slide(samples);
    const { labels, times, values } = samples;
    const [from, to] = [windows.first[0] as number, windows.after[0] as number];
    const cut = extension
      ? extendedSamples(samples, windows, extension === 'smoothed')
      : { times: times.subarray(from, to), values: values.subarray(from, to) };
    if (cut.times.length > 0) shown.push({ labels, ...cut });
  }
  return shown.sort(byLabels);
}

interface Shared {
  options: EvaluationOptions;
  lookbackMs: number;
  notes: Annotations;
  budget: { left: number };
}

class Evaluation implements Scope {
  readonly grid: Grid;
  readonly #shared: Shared;

  constructor(grid: Grid, shared: Shared) {
    this.grid = grid;
    this.#shared = shared;
  }

  get notes(): Annotations {
    return this.#shared.notes;
  }

  get lookbackMs(): number {
    return this.#shared.lookbackMs;
  }

  get lateNames(): boolean {
    return this.#shared.options.lateNames ?? false;
  }

  on(grid: Grid): Scope {
    if (grid.count > this.#shared.options.mostSamples) throw failing(tooManySamples);
    return new Evaluation(grid, this.#shared);
  }

  row(labels: Labels, isUnnamed = false): Row {
    const { buffers } = this.#shared.options;
    const { count } = this.grid;
    return buffers ? createRowIn(buffers, labels, count, isUnnamed) : createRow(labels, count, isUnnamed);
  }

  take(points: number): void {
    this.#shared.budget.left -= points;
    if (this.#shared.budget.left < 0) throw failing(tooManySamples);
  }

  rows(plan: Plan): Row[] {
    demandTime(this.#shared.options.signal);
    if (plan.type === 'scalar') return [rowOf(this.scalar(plan))];
    const { count } = this.grid;
    if (!plan.isFixed || count === 1) return this.#rows(plan);
    const once = this.on({ ...this.grid, count: 1 }).rows(plan);
    this.take(once.length * count);
    return broadcast(once, count);
  }

  scalar(plan: Plan): Scalar {
    const { count } = this.grid;
    if (plan.kind === 'number') return new Float64Array(count).fill(plan.value);
    if (plan.isFixed && count > 1) {
      const [value] = this.on({ ...this.grid, count: 1 }).scalar(plan);
      return new Float64Array(count).fill(value as number);
    }
    if (plan.kind === 'negate') return this.scalar(plan.body).map((value) => -value);
    if (plan.kind === 'binary') return binaryScalar(plan, this);
    if (plan.kind === 'call') return scalarCall(plan, this);
    throw new Error(`${plan.kind} is not a scalar`);
  }

  #rows(plan: Plan): Row[] {
    switch (plan.kind) {
      case 'selector':
        return selectRows(plan, this);
      case 'call':
        return vectorCall(plan, this);
      case 'aggregate':
        return aggregate(plan, this);
      case 'binary':
        return binaryRows(plan, this);
      case 'info':
        return info(plan, this);
      case 'negate':
        return negated(this.rows(plan.body), this.lateNames);
      default:
        throw new Error(`${plan.kind} is not a vector`);
    }
  }
}

function rowOf(values: Scalar): Row {
  return { labels: [], isUnnamed: false, values, present: new Uint8Array(values.length).fill(1) };
}

function negated(rows: Row[], lateNames: boolean): Row[] {
  for (const { values } of rows)
    for (let step = 0; step < values.length; step++) values[step] = -(values[step] as number);
  return unnamed(rows, lateNames);
}

function demandTime(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  const isTimeout = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
  if (isTimeout) throw new QueryError('timeout', 'query timed out in expression evaluation');
  throw new QueryError('canceled', 'query was canceled in expression evaluation');
}
