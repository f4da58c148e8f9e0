// label_replace and label_join: series with other labels.
import { BadPattern, compilePattern, type Pattern } from '../../../core/regexp.ts';
import { labelOf, metricName, withLabel } from '../labels.ts';
import type { CallPlan, Plan } from '../plan.ts';
import { failing } from '../query-error.ts';
import { merged, type Row } from '../rows.ts';
import type { Scope } from '../scope.ts';
import { isLabelName } from '../syntax/literals.ts';

export function labelReplace(plan: CallPlan, scope: Scope): Row[] {
  const [target, replacement, source, expression] = stringsOf(plan) as [string, string, string, string];
  const pattern = patternOf(expression);
  demandName('destination', target, plan.name);
  const rows = scope.rows(plan.args[0] as Plan);
  const replaced = new Map<string, string | undefined>(); // each distinct value is matched once
  for (const row of rows) {
    const value = labelOf(row.labels, source);
    if (!replaced.has(value)) replaced.set(value, replace(value, pattern, replacement));
    const label = replaced.get(value);
    if (label !== undefined) relabel(row, target, label);
  }
  return merged(rows);
}

export function labelJoin(plan: CallPlan, scope: Scope): Row[] {
  const [target, separator, ...sources] = stringsOf(plan) as [string, string, ...string[]];
  for (const source of sources) demandName('source', source, plan.name);
  demandName('destination', target, plan.name);
  const rows = scope.rows(plan.args[0] as Plan);
  const between = separator.length * Math.max(0, sources.length - 1);
  for (const row of rows) {
    const values = sources.map((source) => labelOf(row.labels, source));
    demandLength(
      values.reduce((sum, value) => sum + value.length, between),
      plan.name,
    );
    relabel(row, target, values.join(separator));
  }
  return merged(rows);
}

export function stringsOf(plan: CallPlan): string[] {
  return plan.args.filter((arg) => arg.kind === 'string').map(({ value }) => value);
}

function relabel(row: Row, name: string, value: string): void {
  row.labels = withLabel(row.labels, name, value);
  if (name === metricName) row.isUnnamed = false; // an explicit name stays
}

function patternOf(expression: string): Pattern {
  try {
    return compilePattern(expression);
  } catch (error) {
    if (!(error instanceof BadPattern)) throw error;
    throw failing(`invalid regular expression in label_replace(): ${expression}`);
  }
}

function demandName(role: string, name: string, call: string): void {
  if (!isLabelName(name)) throw failing(`invalid ${role} label name in ${call}(): ${name}`);
}

// $1, ${1}, $name and ${name} are replaced by captured groups, $$ by a dollar sign; an unknown group is empty. Returns
// undefined if the value does not match.
function replace(value: string, pattern: Pattern, template: string): string | undefined {
  const groups = pattern.groups(value);
  if (!groups) return undefined;
  const { names } = pattern;
  let length = template.length;
  return template.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (found, braced?: string, bare?: string) => {
    const name = braced ?? bare;
    if (name === undefined) return found === '$$' ? '$' : '';
    const index = /^\d+$/.test(name) ? Number(name) : names.get(name);
    const captured = index === 0 ? value : index === undefined ? '' : (groups[index - 1] ?? '');
    length += captured.length;
    demandLength(length, 'label_replace');
    return captured;
  });
}

// Much more than a pushed label can have. Nested calls would double it each time.
const longestValue = 1_000_000; // characters

function demandLength(length: number, call: string): void {
  if (length > longestValue) throw failing(`a label value in ${call}() is longer than ${longestValue} characters`);
}
