// Checks what the grammar accepts and Loki refuses, with Loki's messages.
import { BadPattern, compilePattern } from '../../../core/regexp.ts';
import type { Matcher } from '../../engine/engine.ts';
import { parseError } from '../query-error.ts';
import type { AggregateExpr, Expr, RangeExpr, RangeOp, VectorOp } from './tree.ts';

const emptyCompatible =
  'queries require at least one regexp or equality matcher that does not have an empty-compatible value. ' +
  'For instance, app=~".*" does not meet this requirement, but app=~".+" will';

const canGroup: ReadonlySet<RangeOp> = new Set<RangeOp>([
  'avg_over_time',
  'stddev_over_time',
  'stdvar_over_time',
  'quantile_over_time',
  'max_over_time',
  'min_over_time',
  'first_over_time',
  'last_over_time',
]);
const canUnwrap: ReadonlySet<RangeOp> = new Set<RangeOp>([
  ...canGroup,
  'sum_over_time',
  'rate',
  'rate_counter',
  'absent_over_time',
]);
const ofLines: ReadonlySet<RangeOp> = new Set<RangeOp>([
  'bytes_over_time',
  'bytes_rate',
  'count_over_time',
  'rate',
  'absent_over_time',
]);
const picking: ReadonlySet<VectorOp> = new Set<VectorOp>(['topk', 'bottomk', 'approx_topk']);

export function checkExpr(expr: Expr): void {
  switch (expr.kind) {
    case 'logs':
      checkMatchers(expr.matchers);
      break;
    case 'range':
      checkRange(expr);
      checkMatchers(expr.logs.matchers);
      break;
    case 'aggregate':
      checkAggregate(expr);
      checkExpr(expr.body);
      break;
    case 'labelReplace':
      patternOf(expr.pattern);
      checkExpr(expr.body);
      break;
    case 'binary':
      checkExpr(expr.left);
      checkExpr(expr.right);
      break;
    default:
  }
}

// At least one matcher must exclude streams without its label.
export function checkMatchers(matchers: readonly Matcher[]): void {
  let isSelective = false;
  for (const { operator, value } of matchers) {
    const isRegexp = operator === '=~' || operator === '!~';
    const matches = isRegexp ? patternOf(value).test('') : value === '';
    isSelective ||= matches === (operator === '!=' || operator === '!~');
  }
  if (!isSelective) throw parseError(emptyCompatible);
}

export function patternOf(pattern: string): ReturnType<typeof compilePattern> {
  try {
    return compilePattern(pattern);
  } catch (error) {
    throw error instanceof BadPattern ? parseError(error.message) : error;
  }
}

function checkRange({ op, parameter, grouping, unwrap }: RangeExpr): void {
  if (parameter !== undefined && op !== 'quantile_over_time')
    throw parseError(`parameter ${parameter} not supported for operation ${op}`);
  if (parameter === undefined && op === 'quantile_over_time')
    throw parseError(`parameter required for operation ${op}`);
  if (grouping && !canGroup.has(op)) throw parseError(`grouping not allowed for ${op} aggregation`);
  if (unwrap && !canUnwrap.has(op)) throw parseError(`invalid aggregation ${op} with unwrap`);
  if (!unwrap && !ofLines.has(op)) throw parseError(`invalid aggregation ${op} without unwrap`);
}

function checkAggregate({ op, parameter, grouping }: AggregateExpr): void {
  if (picking.has(op)) {
    if (parameter === undefined) throw parseError(`parameter required for operation ${op}`);
    if (!Number.isInteger(parameter)) throw parseError(`invalid parameter ${op}(${parameter},`);
    if (parameter <= 0) throw parseError(`invalid parameter (must be greater than 0) ${op}(${parameter}`);
    if (op === 'approx_topk' && grouping) throw parseError(`grouping not allowed for ${op} aggregation`);
  } else if (parameter !== undefined) throw parseError(`unsupported parameter for operation ${op}(${parameter},`);
  const isSort = op === 'sort' || op === 'sort_desc';
  if (isSort && grouping && grouping.labels.length > 0)
    throw parseError("sort and sort_desc doesn't allow grouping by ");
}
