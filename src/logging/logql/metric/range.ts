// Aggregates lines over ranges of time that end at the steps of a query. Each range excludes its start and includes its
// end.

import { quote } from '../../../base/go-strings.ts';
import type { LogReader } from '../../engine/engine.ts';
import { type LabelSet, labelSet, valueIn } from '../label-set.ts';
import type { Pace } from '../pace.ts';
import { containedWords } from '../pipeline/line-filters.ts';
import { errorLabel, preserveErrorLabel } from '../pipeline/line-labels.ts';
import { badData } from '../query-error.ts';
import type { Grouping, RangeExpr } from '../syntax/tree.ts';
import { createExtractor } from './extract.ts';
import { createRow, type Grid, type Row } from './rows.ts';
import { createWindow } from './windows.ts';

export interface RangeOptions {
  reader: LogReader;
  tenant: string;
  grid: Grid;
  pace: Pace;
  budget: { left: number }; // numbers that all ranges of the query may keep in memory
}

export async function rangeRows(expr: RangeExpr, outer: Grouping | undefined, options: RangeOptions): Promise<Row[]> {
  const { reader, tenant, grid, pace, budget } = options;
  const extractor = createExtractor(expr, outer);
  const firstNs = grid.startNs - BigInt(expr.offsetNs);
  const lastNs = firstNs + BigInt(grid.stepNs) * BigInt(grid.count - 1);
  const series = new Map<string, { set: LabelSet; window: ReturnType<typeof createWindow> }>();
  const take = (count: number): void => {
    budget.left -= count;
    if (budget.left < 0)
      throw badData('the query needs more samples in memory than allowed; select fewer lines or steps');
  };
  const selection = {
    tenant,
    matchers: expr.logs.matchers,
    fromNs: firstNs - BigInt(expr.rangeNs),
    toNs: lastNs + 1n,
    direction: 'forward' as const,
    contains: containedWords(expr.logs.stages),
  };
  for await (const piece of reader.select(selection)) {
    for (const stream of piece) {
      for (let index = 0; index < stream.lines.length; index++) {
        if (pace.isDue) await pace.rest();
        const atNs = Number((stream.times[index] as bigint) - firstNs);
        // The first step at or after the line, and the last one whose range contains it.
        const first = Math.max(0, Math.ceil(atNs / grid.stepNs));
        const last = Math.min(grid.count - 1, Math.ceil((atNs + expr.rangeNs) / grid.stepNs) - 1);
        if (first > last || !extractor.extract(stream, index)) continue;
        const set = extractor.series;
        let found = series.get(set.key);
        if (!found) {
          refuseError(set);
          found = { set, window: createWindow(expr, grid, take) };
          series.set(set.key, found);
        }
        found.window.add(atNs, extractor.value, first, last);
      }
    }
    pace.check();
  }
  if (expr.op === 'absent_over_time') return [await absentRow(expr, series.values(), grid, pace)];
  const rows: Row[] = [];
  for (const { set, window } of series.values()) {
    if (pace.isDue) await pace.rest();
    const row = createRow(set, grid.count);
    await window.fill(row, pace);
    rows.push(row);
  }
  return rows;
}

// Lines with errors fail a metric query, unless the query selects errors by name.
function refuseError(set: LabelSet): void {
  const error = valueIn(set, errorLabel);
  if (error === '' || valueIn(set, preserveErrorLabel) === 'true') return;
  const labels = set.pairs.map(([name, value]) => `${name}=${quote(value)}`).join(', ');
  throw badData(
    `pipeline error: '${error}' for series: '{${labels}}'.\n` +
      `Use a label filter to intentionally skip this error. (e.g | __error__!="${error}").\n` +
      'To skip all potential errors you can match empty errors.(e.g __error__="")\n' +
      'The label filter can also be specified after unwrap. (e.g | unwrap latency | __error__="" )\n',
  );
}

// Returns a row with the labels of the selector where no line exists.
async function absentRow(
  { logs }: RangeExpr,
  found: Iterable<{ window: ReturnType<typeof createWindow>; set: LabelSet }>,
  { count }: Grid,
  pace: Pace,
): Promise<Row> {
  const names = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const { name, operator, value } of logs.matchers) {
    if (operator !== '=' || names.has(name)) ambiguous.add(name);
    else if (value !== '') names.set(name, value);
  }
  const row = createRow(labelSet([...names].filter(([name]) => !ambiguous.has(name))), count);
  row.present.fill(1);
  row.values.fill(1);
  for (const { window, set } of found) {
    const lines = createRow(set, count);
    await window.fill(lines, pace);
    for (let step = 0; step < count; step++) if (lines.present[step]) row.present[step] = 0;
  }
  return row;
}
