// absent(): a row if there is none, with the labels that the selector implies.

import type { Labels } from '../../series.ts';
import { noLabels, withLabel } from '../labels.ts';
import type { CallPlan, Plan } from '../plan.ts';
import { createRow, isEmptyRow, type Row } from '../rows.ts';
import type { Scope } from '../scope.ts';

export function absent(plan: CallPlan, scope: Scope): Row[] {
  const [given] = plan.args as [Plan];
  const { count } = scope.grid;
  const row = createRow(absentLabels(given), count);
  row.values.fill(1);
  row.present.fill(1);
  for (const { present } of scope.rows(given))
    for (let step = 0; step < count; step++) if (present[step]) row.present[step] = 0;
  return isEmptyRow(row) ? [] : [row];
}

// The labels that a selector requires to be equal, unless it has another matcher for the same label.
export function absentLabels(plan: Plan): Labels {
  const selector = plan.kind === 'range' ? plan.selector : plan;
  if (selector.kind !== 'selector') return noLabels;
  let labels = noLabels;
  const seen = new Set<string>();
  for (const { name, op, value } of selector.matchers) {
    if (name === '__name__') continue;
    labels = withLabel(labels, name, op === '=' && !seen.has(name) ? value : '');
    if (op === '=') seen.add(name);
  }
  return labels;
}
