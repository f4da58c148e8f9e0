// Functions of classic histograms: series that count the observations up to the bound in their label le.

import type { Labels } from '../../series.ts';
import { type Annotations, forMetric } from '../annotations.ts';
import { labelNumber } from '../api/number-format.ts';
import { dropLabels, keyFunction, labelOf, metricName, withLabel } from '../labels.ts';
import type { CallPlan, Plan } from '../plan.ts';
import { failing } from '../query-error.ts';
import { createRow, isEmptyRow, merged, momentOf, type Row, type Scalar, unnamed } from '../rows.ts';
import type { Scope } from '../scope.ts';
import { parseFloat64, quote } from '../syntax/literals.ts';
import type { Span } from '../syntax/tree.ts';
import { type Buckets, bucketFraction, bucketQuantile } from './buckets.ts';
import { stringsOf } from './labelling.ts';

interface Histogram {
  labels: Labels; // without le
  isUnnamed: boolean;
  bounds: number[]; // ascending, as are the rows
  rows: Row[];
}

const bucketLabel: ReadonlySet<string> = new Set(['le']);
const badBucket = 'bucket label "le" is missing or has a malformed value of ';
const forced =
  'input to histogram_quantile needed to be fixed for monotonicity ' +
  '(see https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)';

export function histogramQuantile(plan: CallPlan, scope: Scope): Row[] {
  const [share, given] = plan.args as [Plan, Plan];
  const shares = scope.scalar(share);
  warnOf(shares, share.span, scope.notes);
  const rows = histogramsOf(given, scope).map((histogram) => quantiles(histogram, shares, given.span, scope));
  return unnamed(rows, scope.lateNames);
}

export function histogramQuantiles(plan: CallPlan, scope: Scope): Row[] {
  const [given, , ...wanted] = plan.args as [Plan, Plan, ...Plan[]];
  const [label] = stringsOf(plan) as [string];
  const histograms = histogramsOf(given, scope);
  const rows: Row[] = [];
  for (const share of wanted) {
    const shares = scope.scalar(share);
    warnOf(shares, share.span, scope.notes);
    for (const histogram of histograms) {
      const row = quantiles(histogram, shares, given.span, scope);
      rows.push(...labelled(row, label, shares));
    }
  }
  return unnamed(scope.lateNames ? rows : merged(rows), scope.lateNames);
}

// The quantile is part of the labels, which change with it between steps.
function labelled(row: Row, label: string, shares: Scalar): Row[] {
  const distinct = [...new Set(shares)];
  return distinct.map((share) => {
    const present = distinct.length === 1 ? row.present : row.present.slice();
    if (distinct.length > 1)
      for (let step = 0; step < present.length; step++) if (!Object.is(shares[step], share)) present[step] = 0;
    const values = distinct.length === 1 ? row.values : row.values.slice();
    return { ...row, labels: withLabel(row.labels, label, labelNumber(share)), values, present };
  });
}

export function histogramFraction(plan: CallPlan, scope: Scope): Row[] {
  const [from, to, given] = plan.args as [Plan, Plan, Plan];
  const [lower, upper] = [scope.scalar(from), scope.scalar(to)];
  const rows = histogramsOf(given, scope).map((histogram) =>
    overSteps(histogram, scope, (buckets, step) =>
      bucketFraction(lower[step] as number, upper[step] as number, buckets),
    ),
  );
  return unnamed(rows, scope.lateNames);
}

// For functions of native histograms.
export function nativeOnly(plan: CallPlan): never {
  throw failing(`${plan.name}() is for native histograms, which are not stored here`);
}

function warnOf(shares: Scalar, span: Span, notes: Annotations): void {
  const bad = shares.find((share) => !(share >= 0 && share <= 1));
  if (bad !== undefined) notes.invalidQuantile(bad, span);
}

function quantiles(histogram: Histogram, shares: Scalar, span: Span, scope: Scope): Row {
  const name = scope.lateNames ? labelOf(histogram.labels, metricName) : '';
  return overSteps(histogram, scope, (buckets, step) =>
    bucketQuantile(shares[step] as number, buckets, (raised) => {
      const ms = momentOf(scope.grid, step);
      scope.notes.hint(forMetric(forced, name), span, { fromMs: ms, toMs: ms, samples: 1, ...raised });
    }),
  );
}

function overSteps(
  { labels, isUnnamed, bounds, rows }: Histogram,
  { grid }: Scope,
  calculate: (buckets: Buckets, step: number) => number,
): Row {
  const result = createRow(labels, grid.count, isUnnamed);
  const buckets = { bounds: new Float64Array(rows.length), counts: new Float64Array(rows.length), length: 0 };
  for (let step = 0; step < grid.count; step++) {
    buckets.length = 0;
    for (const [at, row] of rows.entries()) {
      if (!row.present[step]) continue;
      buckets.bounds[buckets.length] = bounds[at] as number;
      buckets.counts[buckets.length++] = row.values[step] as number;
    }
    if (buckets.length === 0) continue;
    result.values[step] = calculate(buckets, step);
    result.present[step] = 1;
  }
  return result;
}

function histogramsOf(given: Plan, scope: Scope): Histogram[] {
  const found = new Map<string, { labels: Labels; isUnnamed: boolean; parts: { bound: number; row: Row }[] }>();
  const allKey = keyFunction(['le'], true);
  for (const row of scope.rows(given)) {
    const le = labelOf(row.labels, 'le');
    const bound = parseFloat64(le);
    if (bound === undefined) {
      const name = scope.lateNames ? labelOf(row.labels, metricName) : '';
      if (!isEmptyRow(row)) scope.notes.warn(forMetric(badBucket + quote(le), name), given.span);
      continue;
    }
    const key = `${labelOf(row.labels, metricName)}\n${allKey(row.labels)}`;
    const known = found.get(key);
    if (known) known.parts.push({ bound, row });
    else
      found.set(key, {
        labels: dropLabels(row.labels, bucketLabel),
        isUnnamed: row.isUnnamed,
        parts: [{ bound, row }],
      });
  }
  return [...found.values()].map(({ labels, isUnnamed, parts }) => {
    parts.sort((a, b) => a.bound - b.bound);
    return { labels, isUnnamed, bounds: parts.map(({ bound }) => bound), rows: parts.map(({ row }) => row) };
  });
}
