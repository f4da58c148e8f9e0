// Evaluates metric queries: first the ranges, which read lines, then the rest of the expression step by step.
import type { LogReader } from '../../engine/engine.ts';
import { bySet, type LabelSet, labelSet, noLabels, valueIn } from '../label-set.ts';
import { Pace } from '../pace.ts';
import { badData } from '../query-error.ts';
import { patternOf } from '../syntax/check.ts';
import type { Grouping, LabelReplaceExpr, MetricExpr, RangeExpr } from '../syntax/tree.ts';
import { expanded } from '../template/replacement.ts';
import { createAggregate } from './aggregate.ts';
import { createCombine, withScalar } from './binary.ts';
import { rangeRows } from './range.ts';
import { createRow, type Grid, type Row, type Vector } from './rows.ts';

export interface MetricQueryOptions {
  reader: LogReader;
  tenant: string;
  grid: Grid;
  mostSeries?: number; // of the result
  mostNumbers?: number; // in memory at once
  signal?: AbortSignal;
}

const defaultMostSeries = 500;
const defaultMostNumbers = 20_000_000;

// The result at one time, in the order of the answer.
export async function evaluateInstant(expr: MetricExpr, options: MetricQueryOptions): Promise<Vector> {
  const at = await prepare(expr, options, new Pace(options.signal));
  const vector = at(0);
  demandFew(vector.length, options);
  return hasSort(expr) ? vector : vector.sort((a, b) => bySet(a.series, b.series));
}

export async function evaluateRange(expr: MetricExpr, options: MetricQueryOptions): Promise<Row[]> {
  const pace = new Pace(options.signal);
  const at = await prepare(expr, options, pace);
  const rows = new Map<string, Row>();
  const { count } = options.grid;
  for (let step = 0; step < count; step++) {
    if (pace.isDue) await pace.rest();
    for (const { series, value } of at(step)) {
      let row = rows.get(series.key);
      if (!row) {
        row = createRow(series, count);
        rows.set(series.key, row);
        demandFew(rows.size, options);
      }
      row.values[step] = value;
      row.present[step] = 1;
    }
  }
  return [...rows.values()].sort((a, b) => bySet(a.series, b.series));
}

function demandFew(count: number, { mostSeries = defaultMostSeries }: MetricQueryOptions): void {
  if (count > mostSeries)
    throw badData(
      `maximum number of series (${mostSeries}) reached for a single query; consider reducing query cardinality by ` +
        'adding more specific stream selectors, reducing the time range, or aggregating results with functions like ' +
        'sum(), count() or topk()',
    );
}

function hasSort(expr: MetricExpr): boolean {
  if (expr.kind === 'aggregate') return expr.op === 'sort' || expr.op === 'sort_desc' || hasSort(expr.body);
  if (expr.kind === 'labelReplace') return hasSort(expr.body);
  return expr.kind === 'binary' && (hasSort(expr.left) || hasSort(expr.right));
}

type At = (step: number) => Vector;

async function prepare(expr: MetricExpr, options: MetricQueryOptions, pace: Pace): Promise<At> {
  const { reader, tenant, grid, mostNumbers = defaultMostNumbers } = options;
  const budget = { left: mostNumbers };
  const rangeAt = async (range: RangeExpr, outer?: Grouping): Promise<At> => {
    const rows = await rangeRows(range, outer, { reader, tenant, grid, pace, budget });
    return (step) => {
      const vector: Vector = [];
      for (const { series, values, present } of rows)
        if (present[step]) vector.push({ series, value: values[step] as number });
      return vector;
    };
  };
  const visit = async (node: MetricExpr): Promise<At> => {
    switch (node.kind) {
      case 'range':
        return await rangeAt(node);
      case 'literal':
      case 'vector':
        return () => [{ series: noLabels, value: node.value }];
      case 'aggregate': {
        const { body } = node;
        const isEarly = node.op === 'sum' && body.kind === 'range' && !body.grouping && canSumEarly.has(body.op);
        const at = isEarly ? await rangeAt(body, node.grouping ?? { isWithout: false, labels: [] }) : await visit(body);
        const aggregate = createAggregate(node);
        return (step) => aggregate(at(step));
      }
      case 'labelReplace': {
        const at = await visit(node.body);
        const replace = createReplace(node);
        return (step) => at(step).map(({ series, value }) => ({ series: replace(series), value }));
      }
      default: {
        const { left, right } = node;
        if (left.kind === 'literal') {
          const at = await visit(right);
          return (step) => withScalar(node, at(step), left.value, true);
        }
        const leftAt = await visit(left);
        if (right.kind === 'literal') return (step) => withScalar(node, leftAt(step), right.value, false);
        const rightAt = await visit(right);
        const combine = createCombine(node);
        return (step) => combine(leftAt(step), rightAt(step));
      }
    }
  };
  pace.check();
  return await visit(expr);
}

// For these functions the sum over series equals the function over all lines together.
const canSumEarly: ReadonlySet<string> = new Set([
  'bytes_over_time',
  'bytes_rate',
  'sum_over_time',
  'rate',
  'count_over_time',
]);

function replacedText(replace: () => string): string {
  try {
    return replace();
  } catch (error) {
    throw error instanceof RangeError ? badData(`label_replace: ${error.message}`) : error;
  }
}

function createReplace({
  destination,
  replacement,
  source,
  pattern,
}: LabelReplaceExpr): (series: LabelSet) => LabelSet {
  const known = new Map<string, LabelSet>();
  const compiled = patternOf(pattern);
  const names = Object.fromEntries(compiled.names);
  return (series) => {
    let result = known.get(series.key);
    if (!result) {
      const value = valueIn(series, source);
      const groups = compiled.test(value) ? compiled.groups(value) : undefined;
      result = series;
      if (groups) {
        const pairs = new Map(series.pairs);
        const groupOf = (index: number): string => (index === 0 ? value : (groups[index - 1] ?? ''));
        const text = replacedText(() => expanded(replacement, names, groupOf, groups.length));
        if (text === '') pairs.delete(destination);
        else pairs.set(destination, text);
        result = labelSet(pairs.entries().filter(([, one]) => one !== ''));
      }
      known.set(series.key, result);
    }
    return result;
  };
}
