// info(): adds the labels of the info series (target_info and similar ones) that have the same instance and job. If
// several match, the one with the newest sample counts.
import type { Labels, Matcher } from '../../series.ts';
import { keyFunction, labelOf, labelsText, metricName, withLabel } from '../labels.ts';
import { matcherTest } from '../matcher-test.ts';
import type { InfoPlan } from '../plan.ts';
import { failing } from '../query-error.ts';
import { put, type Row, RowSet } from '../rows.ts';
import type { Scope } from '../scope.ts';
import { selectRows } from '../select.ts';

const identity = keyFunction(['instance', 'job'], false);

export function info(plan: InfoPlan, scope: Scope): Row[] {
  const rows = scope.rows(plan.body);
  const tests = plan.selector.matchers.map(matcherTest);
  const isInfo = ({ labels }: Row): boolean => tests.every((test) => test(labelOf(labels, metricName)));
  const infos = Map.groupBy(selectRows(plan.selector, scope, 'time'), ({ labels }) => identity(labels));
  const results = new RowSet(scope.grid.count);
  for (const row of rows) {
    const key = identity(row.labels);
    const own = key === '' || isInfo(row) ? [] : (infos.get(key) ?? []);
    if (isInfo(row)) copy(row, results.row(row.labels, row.isUnnamed));
    else enrich(row, own, plan.dataMatchers, results);
  }
  return results.rows();
}

function copy(row: Row, into: Row): void {
  for (let step = 0; step < row.present.length; step++)
    if (row.present[step]) put(into, step, row.values[step] as number);
}

function enrich(row: Row, infos: Row[], matchers: readonly Matcher[], results: RowSet): void {
  const wanted = new Set(matchers.map(({ name }) => name));
  const mayStayBare = matchers.every((matcher) => matcherTest(matcher)(''));
  let labels: Labels | undefined;
  let shown = '';
  for (let step = 0; step < row.present.length; step++) {
    if (!row.present[step]) continue;
    const current = newest(infos, step);
    if (current.length === 0 && !mayStayBare) continue;
    const key = current.map((one) => infos.indexOf(one)).join();
    if (!labels || key !== shown) labels = joined(row.labels, current, wanted);
    shown = key;
    put(results.row(labels, row.isUnnamed), step, row.values[step] as number);
  }
}

// At each step, the newest info series of each name.
function newest(infos: Row[], step: number): Row[] {
  const byName = new Map<string, Row>();
  for (const one of infos) {
    if (!one.present[step]) continue;
    const name = labelOf(one.labels, metricName);
    const other = byName.get(name);
    const [seconds, otherSeconds] = [one.values[step] as number, other?.values[step] ?? Number.NEGATIVE_INFINITY];
    if (other && seconds === otherSeconds) {
      const [first, second] = [labelsText(other.labels), labelsText(one.labels)];
      const ms = Math.round(seconds * 1000);
      throw failing(`found duplicate series for info metric: existing ${first} @ ${ms}, new ${second} @ ${ms}`);
    }
    if (seconds > otherSeconds) byName.set(name, one);
  }
  return [...byName.values()];
}

function joined(base: Labels, infos: Row[], wanted: ReadonlySet<string>): Labels {
  const own = new Set(base.map(([name]) => name));
  const added = new Map<string, string>();
  for (const { labels } of infos)
    for (const [name, value] of labels) {
      if (name === metricName || (wanted.size > 0 && !wanted.has(name))) continue;
      if ((added.get(name) ?? value) !== value) throw failing(`conflicting label: ${name}`);
      if (!own.has(name)) added.set(name, value);
    }
  let all = base;
  for (const [name, value] of added) all = withLabel(all, name, value);
  return all;
}
