// Aggregations that select series and leave them unchanged: topk, bottomk, limitk and limit_ratio.

import type { Annotations } from '../annotations.ts';
import { shortNumber } from '../api/number-format.ts';
import { compareValues } from '../functions/sorting.ts';
import { shareOf } from '../labels.ts';
import type { AggregatePlan, Plan } from '../plan.ts';
import { failing } from '../query-error.ts';
import { isEmptyRow, type Row, type Scalar } from '../rows.ts';
import type { Groups } from './groups.ts';

export const pickNames: readonly string[] = ['topk', 'bottomk', 'limitk', 'limit_ratio'];

export function picked(plan: AggregatePlan, rows: Row[], groups: Groups, given: Scalar, notes: Annotations): Row[] {
  const parameter = plan.op === 'limit_ratio' ? ratios(given, plan, notes) : counts(given);
  if (plan.op === 'limit_ratio') keepShare(rows, parameter);
  else if (plan.op === 'limitk') keepFirst(rows, groups, parameter);
  else return keepBest(rows, groups, parameter, plan.op === 'topk' ? -1 : 1);
  return rows.filter((row) => !isEmptyRow(row));
}

function counts(given: Scalar): Scalar {
  for (const count of given) {
    if (Number.isNaN(count)) throw failing('Parameter value is NaN');
    if (count >= 2 ** 63) throw failing(`Scalar value ${shortNumber(count)} overflows int64`);
    if (count <= -(2 ** 63)) throw failing(`Scalar value ${shortNumber(count)} underflows int64`);
  }
  return given.map(Math.trunc);
}

function ratios(given: Scalar, plan: AggregatePlan, notes: Annotations): Scalar {
  const span = (plan.parameter as Plan).span;
  let [highest, lowest] = [0, 0];
  for (const ratio of given) {
    if (Number.isNaN(ratio)) throw failing('Ratio value is NaN');
    highest = Math.max(highest, ratio);
    lowest = Math.min(lowest, ratio);
  }
  const message = 'ratio value should be between -1 and 1, got';
  if (highest > 1) notes.warn(`${message} ${shortNumber(highest)}, capping to 1`, span);
  if (lowest < -1) notes.warn(`${message} ${shortNumber(lowest)}, capping to -1`, span);
  return given.map((ratio) => Math.max(-1, Math.min(1, ratio)));
}

// Each series has a fixed number between 0 and 1. A negative ratio selects exactly the complement.
function keepShare(rows: Row[], ratio: Scalar): void {
  for (const { labels, present } of rows) {
    const share = shareOf(labels);
    for (let step = 0; step < present.length; step++) {
      const limit = ratio[step] as number;
      const isIn = limit === 0 ? false : limit > 0 ? share < limit : share >= 1 + limit;
      if (!isIn) present[step] = 0;
    }
  }
}

function keepFirst(rows: Row[], groups: Groups, count: Scalar): void {
  const steps = count.length;
  const taken = new Int32Array(groups.count * steps);
  for (const [at, { present }] of rows.entries()) {
    const offset = (groups.of[at] as number) * steps;
    for (let step = 0; step < steps; step++) {
      if (!present[step]) continue;
      const now = taken[offset + step] as number;
      if (now >= (count[step] as number)) present[step] = 0;
      else taken[offset + step] = now + 1;
    }
  }
}

// In an instant query, the result is ordered by value within each group.
function keepBest(rows: Row[], groups: Groups, count: Scalar, direction: number): Row[] {
  const members: number[][] = Array.from({ length: groups.count }, () => []);
  for (let at = 0; at < rows.length; at++) members[groups.of[at] as number]?.push(at);
  const kept = rows.map(({ present }) => new Uint8Array(present.length));
  let ordered: number[] = [];
  for (let step = 0; step < count.length; step++) {
    const wanted = count[step] as number;
    if (wanted < 1) continue;
    for (const group of members) {
      const best = bestOf(rows, group, step, wanted, direction);
      for (const at of best) (kept[at] as Uint8Array)[step] = 1;
      if (count.length === 1) ordered = ordered.concat(best);
    }
  }
  const results = rows.map((row, at) => ({ ...row, present: kept[at] as Uint8Array }));
  if (count.length === 1) return ordered.map((at) => results[at] as Row);
  return results.filter((row) => !isEmptyRow(row));
}

// Returns the positions of the best rows at a step, best first. Usually few of many are requested, so the candidates
// are kept sorted and most rows cost one comparison with the worst of them.
function bestOf(rows: Row[], group: number[], step: number, wanted: number, direction: number): number[] {
  const shown = (at: number): number => (rows[at] as Row).values[step] as number;
  const compare = (a: number, b: number): number => compareValues(shown(a), shown(b), direction);
  const there = group.filter((at) => (rows[at] as Row).present[step]);
  if (wanted >= there.length || wanted > 64) return there.sort(compare).slice(0, wanted);
  const best: number[] = [];
  for (const at of there) {
    if (best.length === wanted && compare(at, best[wanted - 1] as number) >= 0) continue;
    let place = best.length;
    while (place > 0 && compare(at, best[place - 1] as number) < 0) place--;
    best.splice(place, 0, at);
    if (best.length > wanted) best.pop();
  }
  return best;
}
