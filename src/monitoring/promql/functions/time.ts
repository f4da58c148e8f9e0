// Functions of time: parts of dates, and timestamps of samples.
import type { CallPlan, Plan } from '../plan.ts';
import { momentOf, type Row, type Scalar, scalarRow, unnamed } from '../rows.ts';
import type { Scope } from '../scope.ts';
import { selectRows } from '../select.ts';
import { mapped } from './math.ts';

const dayMs = 86_400_000;

const parts: ReadonlyMap<string, (date: Date) => number> = new Map([
  ['day_of_month', (date: Date) => date.getUTCDate()],
  ['day_of_week', (date: Date) => date.getUTCDay()],
  ['day_of_year', (date: Date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0)) / dayMs) + 1],
  ['days_in_month', (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()],
  ['hour', (date: Date) => date.getUTCHours()],
  ['minute', (date: Date) => date.getUTCMinutes()],
  ['month', (date: Date) => date.getUTCMonth() + 1],
  ['year', (date: Date) => date.getUTCFullYear()],
]);

export const datePartNames: readonly string[] = [...parts.keys()];

export function datePart(plan: CallPlan, scope: Scope): Row[] {
  const part = parts.get(plan.name) as (date: Date) => number;
  const shown = (seconds: number): number => part(new Date(Math.trunc(seconds) * 1000));
  const [given] = plan.args;
  return given ? mapped(scope.rows(given), scope, shown) : [scalarRow(time(scope).map(shown))];
}

export function time({ grid }: Scope): Scalar {
  return Float64Array.from({ length: grid.count }, (_, step) => momentOf(grid, step) / 1000);
}

// For selectors the time of the sample; for computed values the time of the step.
export function timestamp(plan: CallPlan, scope: Scope): Row[] {
  const [given] = plan.args as [Plan];
  if (given.kind === 'selector') return unnamed(selectRows(given, scope, 'time'), scope.lateNames);
  return mapped(scope.rows(given), scope, (_, step) => momentOf(scope.grid, step) / 1000);
}
