// All functions by name, and the evaluation of their calls.
import type { CallPlan, Plan } from '../plan.ts';
import { isRangeCall, rangeCall } from '../range/calls.ts';
import { type Row, type Scalar, scalarRow } from '../rows.ts';
import type { Scope } from '../scope.ts';
import { absent } from './absent.ts';
import { histogramFraction, histogramQuantile, histogramQuantiles, nativeOnly } from './histogram.ts';
import { labelJoin, labelReplace } from './labelling.ts';
import { clamp, math, mathNames, round } from './math.ts';
import { sorted, sortNames } from './sorting.ts';
import { datePart, datePartNames, time, timestamp } from './time.ts';

type VectorFunction = (plan: CallPlan, scope: Scope) => Row[];
type ScalarFunction = (plan: CallPlan, scope: Scope) => Scalar;

const nativeNames = ['histogram_avg', 'histogram_count', 'histogram_stddev', 'histogram_stdvar', 'histogram_sum'];

const vectorFunctions: ReadonlyMap<string, VectorFunction> = new Map<string, VectorFunction>([
  ...mathNames.map((name) => [name, math] as const),
  ...datePartNames.map((name) => [name, datePart] as const),
  ...sortNames.map((name) => [name, sorted] as const),
  ...nativeNames.map((name) => [name, nativeOnly] as const),
  ['absent', absent],
  ['clamp', clamp],
  ['clamp_max', clamp],
  ['clamp_min', clamp],
  ['histogram_fraction', histogramFraction],
  ['histogram_quantile', histogramQuantile],
  ['histogram_quantiles', histogramQuantiles],
  ['label_join', labelJoin],
  ['label_replace', labelReplace],
  ['round', round],
  ['start_timestamp', () => []], // the start times of counters are not stored
  ['timestamp', timestamp],
  ['vector', (plan, scope) => [scalarRow(scope.scalar(plan.args[0] as Plan))]],
]);

const scalarFunctions: ReadonlyMap<string, ScalarFunction> = new Map<string, ScalarFunction>([
  ['max_of', pairwise(Math.max)],
  ['min_of', pairwise(Math.min)],
  ['pi', (_, { grid }) => new Float64Array(grid.count).fill(Math.PI)],
  ['scalar', onlyValue],
  ['time', (_, scope) => time(scope)],
]);

export function vectorCall(plan: CallPlan, scope: Scope): Row[] {
  if (isRangeCall(plan)) return rangeCall(plan, scope);
  return (vectorFunctions.get(plan.name) as VectorFunction)(plan, scope);
}

export function scalarCall(plan: CallPlan, scope: Scope): Scalar {
  return (scalarFunctions.get(plan.name) as ScalarFunction)(plan, scope);
}

function pairwise(choose: (a: number, b: number) => number): ScalarFunction {
  return (plan, scope) => {
    const [left, right] = plan.args.map((arg) => scope.scalar(arg)) as [Scalar, Scalar];
    return left.map((value, step) => choose(value, right[step] as number));
  };
}

// The value of a vector with one series; NaN otherwise.
function onlyValue(plan: CallPlan, scope: Scope): Scalar {
  const { count } = scope.grid;
  const result = new Float64Array(count);
  const found = new Uint32Array(count);
  for (const { values, present } of scope.rows(plan.args[0] as Plan))
    for (let step = 0; step < count; step++) {
      if (!present[step]) continue;
      result[step] = values[step] as number;
      found[step] = (found[step] as number) + 1;
    }
  return result.map((value, step) => (found[step] === 1 ? value : Number.NaN));
}
