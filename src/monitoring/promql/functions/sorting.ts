// sort and its variants: the order of an instant query's result. Range queries are always ordered by labels, which is
// annotated.
import { compareLabels } from '../../label-order.ts';
import { labelOf } from '../labels.ts';
import type { CallPlan, Plan } from '../plan.ts';
import type { Row } from '../rows.ts';
import type { Scope } from '../scope.ts';
import { stringsOf } from './labelling.ts';

export const sortNames: readonly string[] = ['sort', 'sort_desc', 'sort_by_label', 'sort_by_label_desc'];

export function sorted(plan: CallPlan, scope: Scope): Row[] {
  const rows = scope.rows(plan.args[0] as Plan);
  if (scope.grid.count > 1) {
    const message = 'sort is ineffective for range queries since results are always ordered by labels';
    scope.notes.warn(message, plan.span);
    return rows;
  }
  const direction = plan.name.endsWith('_desc') ? -1 : 1;
  if (plan.name.startsWith('sort_by_label')) return rows.sort(byLabels(stringsOf(plan), direction));
  return rows.filter(({ present }) => present[0]).sort((a, b) => compareValues(a.values[0], b.values[0], direction));
}

// NaN comes last in both directions.
export function compareValues(a: number | undefined, b: number | undefined, direction: number): number {
  const [left, right] = [a as number, b as number];
  if (Number.isNaN(left) || Number.isNaN(right)) return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
  return left === right ? 0 : (left < right ? -1 : 1) * direction;
}

function byLabels(names: string[], direction: number): (a: Row, b: Row) => number {
  return (a, b) => {
    for (const name of names) {
      const order = compareNaturally(labelOf(a.labels, name), labelOf(b.labels, name));
      if (order !== 0) return order * direction;
    }
    return compareLabels(a.labels, b.labels) * direction;
  };
}

// Natural order: numbers inside a text by their value, so that cpu10 comes after cpu2.
function compareNaturally(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [piecesOf(a), piecesOf(b)];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [one, other] = [left[at] as string, right[at] as string];
    if (one === other) continue;
    const areNumbers = /^\d/.test(one) && /^\d/.test(other);
    if (areNumbers && Number(one) !== Number(other)) return Number(one) - Number(other);
    return one < other ? -1 : 1;
  }
  return left.length - right.length || (a < b ? -1 : 1);
}

const piecesOf = (text: string): string[] => text.match(/\d+|\D+/g) ?? [];
