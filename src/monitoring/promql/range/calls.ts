// The functions over ranges by name, and the evaluation of their calls.
import type { Labels } from '../../series.ts';
import { absentLabels } from '../functions/absent.ts';
import { labelOf, metricName, withoutName } from '../labels.ts';
import type { CallPlan, Plan, RangePlan, SubqueryPlan } from '../plan.ts';
import { failing } from '../query-error.ts';
import { createRow, isEmptyRow, merged, type Row, type Scalar } from '../rows.ts';
import type { Scope } from '../scope.ts';
import { quote } from '../syntax/literals.ts';
import * as counts from './counts.ts';
import { anchoredFunctions, smoothedFunctions } from './extended.ts';
import * as extremes from './extremes.ts';
import * as order from './order.ts';
import * as rates from './rates.ts';
import * as sums from './sums.ts';
import * as trend from './trend.ts';
import { type RangeFunction, samplesOf, slidingOver } from './windows.ts';

const functions: ReadonlyMap<string, RangeFunction> = new Map([
  ['absent_over_time', counts.presentOverTime],
  ['avg_over_time', sums.avgOverTime],
  ['changes', counts.changes],
  ['count_over_time', counts.countOverTime],
  ['delta', rates.delta],
  ['deriv', trend.deriv],
  ['double_exponential_smoothing', trend.doubleExponentialSmoothing],
  ['first_over_time', counts.firstOverTime],
  ['idelta', rates.idelta],
  ['increase', rates.increase],
  ['irate', rates.irate],
  ['last_over_time', counts.lastOverTime],
  ['mad_over_time', order.madOverTime],
  ['max_over_time', extremes.maxOverTime],
  ['min_over_time', extremes.minOverTime],
  ['predict_linear', trend.predictLinear],
  ['present_over_time', counts.presentOverTime],
  ['quantile_over_time', order.quantileOverTime],
  ['rate', rates.rate],
  ['resets', counts.resets],
  ['stddev_over_time', sums.stddevOverTime],
  ['stdvar_over_time', sums.stdvarOverTime],
  ['sum_over_time', sums.sumOverTime],
  ['ts_of_first_over_time', counts.timeOfFirst],
  ['ts_of_last_over_time', counts.timeOfLast],
  ['ts_of_max_over_time', extremes.timeOfMax],
  ['ts_of_min_over_time', extremes.timeOfMin],
]);

// Their results keep the metric name.
const keepsName: ReadonlySet<string> = new Set(['first_over_time', 'last_over_time']);
const isRange = (plan: Plan): plan is RangePlan | SubqueryPlan => plan.kind === 'range' || plan.kind === 'subquery';

export const isRangeCall = ({ name }: CallPlan): boolean => functions.has(name);

export function rangeCall(plan: CallPlan, scope: Scope): Row[] {
  const range = plan.args.find(isRange) as RangePlan | SubqueryPlan;
  const apply = functionOf(plan.name, range);
  const scalars = plan.args.filter((arg) => !isRange(arg)).map((arg) => scope.scalar(arg));
  if (plan.name === 'quantile_over_time') warnOfShares(plan, scope, scalars[0] as Scalar);
  const rows = applied(range, scope, apply, scalars);
  if (plan.name === 'rate' || plan.name === 'increase') for (const { labels } of rows) hintAtName(labels, range, scope);
  if (plan.name === 'absent_over_time') return absence(rows, range, scope);
  return named(rows, keepsName.has(plan.name), scope.lateNames);
}

// A separate function with nothing after the loop: V8 compiles the running loop, and would discard the code at
// statements that it has not executed yet.
function applied(
  range: RangePlan | SubqueryPlan,
  scope: Scope,
  apply: RangeFunction,
  scalars: readonly Scalar[],
): Row[] {
  const sliding = slidingOver(range, scope);
  const rows: Row[] = [];
  for (const series of samplesOf(range, scope)) {
    scope.take(scope.grid.count);
    const row = scope.row(series.labels, series.isUnnamed);
    sliding.slide(series);
    apply(series, sliding.windows, row, scalars);
    if (!isEmptyRow(row)) rows.push(row);
  }
  return rows;
}

function functionOf(name: string, range: RangePlan | SubqueryPlan): RangeFunction {
  const extension = range.kind === 'range' ? range.selector.extension : undefined;
  if (!extension) return functions.get(name) as RangeFunction;
  const possible = extension === 'anchored' ? anchoredFunctions : smoothedFunctions;
  const found = possible[name];
  if (found) return found;
  throw failing(`${extension} modifier can only be used with: ${Object.keys(possible).join(', ')} - not with ${name}`);
}

function warnOfShares(plan: CallPlan, { notes }: Scope, shares: Scalar): void {
  const bad = shares.find((share) => !(share >= 0 && share <= 1));
  if (bad !== undefined) notes.invalidQuantile(bad, (plan.args[0] as Plan).span);
}

function hintAtName(labels: Labels, range: Plan, { notes }: Scope): void {
  const name = labelOf(labels, metricName);
  if (name === '' || /_(?:total|sum|count|bucket)$/.test(name)) return;
  const message = 'metric might not be a counter, name does not end in _total/_sum/_count/_bucket: ';
  notes.hint(message + quote(name), range.span);
}

function named(rows: Row[], keeps: boolean, lateNames: boolean): Row[] {
  if (lateNames) {
    for (const row of rows) row.isUnnamed ||= !keeps;
    return rows;
  }
  if (keeps) return rows;
  const name = rows[0] ? labelOf(rows[0].labels, metricName) : '';
  let haveOneName = true;
  for (const row of rows) {
    haveOneName &&= labelOf(row.labels, metricName) === name && labelOf(row.labels, '__type__') === '';
    row.labels = withoutName(row.labels);
  }
  return haveOneName ? rows : merged(rows);
}

// absent_over_time: one row, with a value where no series has one.
function absence(rows: Row[], range: RangePlan | SubqueryPlan, { grid }: Scope): Row[] {
  const absent = createRow(absentLabels(range), grid.count);
  absent.values.fill(1);
  absent.present.fill(1);
  for (const { present } of rows)
    for (let step = 0; step < grid.count; step++) if (present[step]) absent.present[step] = 0;
  return isEmptyRow(absent) ? [] : [absent];
}
