// Aggregations such as sum by (job) (…).

import type { Labels } from '../../series.ts';
import { plainNumber } from '../api/number-format.ts';
import { withLabel } from '../labels.ts';
import type { AggregatePlan, Plan } from '../plan.ts';
import { quantileIn } from '../quantile.ts';
import { failing } from '../query-error.ts';
import { createRow, isEmptyRow, type Row, RowSet, type Scalar } from '../rows.ts';
import type { Scope } from '../scope.ts';
import { isLabelName, quote } from '../syntax/literals.ts';
import { Grouping, type Groups, groupLabels } from './groups.ts';
import { picked, pickNames } from './picks.ts';
import { type Reduction, reductions } from './reduce.ts';

export function aggregate(plan: AggregatePlan, scope: Scope): Row[] {
  if (plan.computed) return plan.computed;
  if (plan.op === 'count_values') return countValues(plan, scope);
  const parameter = plan.parameter && scope.scalar(plan.parameter);
  const rows = scope.rows(plan.body);
  if (Object.hasOwn(reductions, plan.op)) {
    const partial = new PartialAggregate(plan, scope.grid.count);
    partial.add(rows);
    return partial.rows();
  }
  const groups = new Grouping(plan.grouping, plan.isWithout).of(rows);
  if (pickNames.includes(plan.op)) return picked(plan, rows, groups, parameter as Scalar, scope.notes);
  const bad = (parameter as Scalar).find((share) => !(share >= 0 && share <= 1));
  if (bad !== undefined) scope.notes.invalidQuantile(bad, (plan.parameter as Plan).span);
  return quantiles(rows, groups, parameter as Scalar);
}

// Whether rows can be added in parts that are discarded afterwards.
export const isStreamed = ({ op }: AggregatePlan): boolean => Object.hasOwn(reductions, op) && op !== 'avg';

// An aggregation that reduces many values to one, over all added rows.
export class PartialAggregate {
  readonly #grouping: Grouping;
  readonly #reduction: Reduction;
  readonly #count: number;
  readonly #results: Row[] = [];

  constructor({ op, grouping, isWithout }: AggregatePlan, count: number) {
    this.#grouping = new Grouping(grouping, isWithout);
    this.#reduction = (reductions[op] as () => Reduction)();
    this.#count = count;
  }

  add(rows: Row[]): void {
    const groups = this.#grouping.of(rows);
    const results = this.#results;
    while (results.length < groups.count) results.push(createRow(groups.labels[results.length] as Labels, this.#count));
    for (let at = 0; at < rows.length; at++)
      (results[groups.of[at] as number] as Row).isUnnamed ||= (rows[at] as Row).isUnnamed;
    this.#reduction.add(rows, groups, results);
  }

  rows(): Row[] {
    this.#reduction.end?.(this.#results);
    return this.#results.filter((row) => !isEmptyRow(row));
  }
}

// Steps are processed in tiles, for the locality of memory accesses.
const tileLength = 16;

function quantiles(rows: Row[], groups: Groups, shares: Scalar): Row[] {
  const count = shares.length;
  const members: Row[][] = Array.from({ length: groups.count }, () => []);
  for (const [at, row] of rows.entries()) members[groups.of[at] as number]?.push(row);
  return groups.labels.map((labels, group) => {
    const mine = members[group] as Row[];
    const result = createRow(
      labels,
      count,
      mine.some(({ isUnnamed }) => isUnnamed),
    );
    const columns = Array.from({ length: tileLength }, () => new Float64Array(mine.length));
    const lengths = new Int32Array(tileLength);
    for (let start = 0; start < count; start += tileLength) {
      const end = Math.min(count, start + tileLength);
      gather(mine, start, end, columns, lengths);
      for (let step = start; step < end; step++) {
        const length = lengths[step - start] as number;
        if (length === 0) continue;
        result.values[step] = quantileIn(shares[step] as number, columns[step - start] as Float64Array, length);
        result.present[step] = 1;
      }
    }
    return result;
  });
}

function gather(rows: Row[], start: number, end: number, columns: Float64Array[], lengths: Int32Array): void {
  lengths.fill(0);
  for (const { values, present } of rows)
    for (let step = start; step < end; step++) {
      if (present[step] === 0) continue;
      const column = step - start;
      const length = lengths[column] as number;
      (columns[column] as Float64Array)[length] = values[step] as number;
      lengths[column] = length + 1;
    }
}

// count_values: one row for each distinct value.
function countValues(plan: AggregatePlan, scope: Scope): Row[] {
  const label = plan.parameter?.kind === 'string' ? plan.parameter.value : '';
  if (!isLabelName(label)) throw failing(`invalid label name ${quote(label)}`);
  const grouping = plan.isWithout ? plan.grouping : [...plan.grouping, label];
  const labelsFor = groupLabels(grouping, plan.isWithout);
  const results = new RowSet(scope.grid.count);
  for (const { labels, values, present } of scope.rows(plan.body)) {
    const known = new Map<number | string, Row>();
    for (let step = 0; step < values.length; step++) {
      if (!present[step]) continue;
      const value = values[step] as number;
      const key = Object.is(value, -0) ? '-0' : value; // a map treats -0 as 0
      let row = known.get(key);
      if (!row) {
        row = results.row(labelsFor(withLabel(labels, label, plainNumber(value))));
        known.set(key, row);
      }
      row.values[step] = (row.values[step] as number) + 1;
      row.present[step] = 1;
    }
  }
  return results.rows();
}
