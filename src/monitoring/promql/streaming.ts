// Computes aggregations that need each series only once while their samples are fetched, part by part, so that a query
// over a million series does not have all of them in memory.
import { isStreamed, PartialAggregate } from './aggregate/aggregate.ts';
import { type AggregatePlan, type Load, type Plan, partsOf } from './plan.ts';
import { isRangeCall } from './range/calls.ts';
import type { Grid } from './rows.ts';

// Evaluates the body on one fetched part, and adds the result.
type AddRows = (to: PartialAggregate, body: Plan, grid: Grid) => void;

// Skips subqueries, because they evaluate their bodies over other grids. Returns a function to call when everything is
// fetched.
export function streamAggregates(plan: Plan, grid: Grid, add: AddRows): () => void {
  const ends: (() => void)[] = [];
  const visit = (at: Plan): void => {
    const load = at.kind === 'aggregate' && isStreamed(at) ? onlyLoad(at) : undefined;
    if (load) ends.push(stream(at as AggregatePlan, load));
    else if (at.kind !== 'subquery') for (const part of partsOf(at)) visit(part);
  };
  const stream = (aggregate: AggregatePlan, load: Load): (() => void) => {
    const own = aggregate.isFixed ? { ...grid, count: 1 } : grid; // fixed ones are evaluated once
    const partial = new PartialAggregate(aggregate, own.count);
    load.consume = () => add(partial, aggregate.body, own);
    return () => {
      aggregate.computed = partial.rows();
    };
  };
  visit(plan);
  return () => {
    for (const end of ends) end();
  };
}

// The load of a selector, or of a function over the ranges of one metric, each of whose series has a separate result.
// With several metrics, results of different parts could have the same labels.
function onlyLoad({ body }: AggregatePlan): Load | undefined {
  if (body.kind === 'selector') return body.load;
  if (body.kind !== 'call' || !isRangeCall(body) || body.name === 'absent_over_time') return undefined;
  const ranges = body.args.filter(({ kind }) => kind !== 'number');
  const [range] = ranges;
  if (ranges.length !== 1 || range?.kind !== 'range') return undefined;
  const hasOneName = range.selector.matchers.some(({ name, op }) => name === '__name__' && op === '=');
  return hasOneName ? range.selector.load : undefined;
}
