// Aggregations that reduce many values to one: each row is accumulated into the row of its group.
import { isEndless, lostBy, meanOf } from '../range/sums.ts';
import { createRow, type Row } from '../rows.ts';
import type { Groups } from './groups.ts';

type Reduction = (rows: Row[], groups: Groups, results: Row[]) => void;

export const reductions: Readonly<Record<string, Reduction>> = {
  avg: average,
  count: counts,
  group: (rows, groups, results) => {
    counts(rows, groups, results);
    for (const { values } of results) values.fill(1);
  },
  max: best((value, found) => value > found),
  min: best((value, found) => value < found),
  stddev: spread(Math.sqrt),
  stdvar: spread((variance) => variance),
  sum: sums,
};

export function reduced(op: string, rows: Row[], groups: Groups, count: number): Row[] {
  const results = groups.labels.map((labels) => createRow(labels, count));
  for (let at = 0; at < rows.length; at++) groupRow(results, groups, at).isUnnamed ||= (rows[at] as Row).isUnnamed;
  (reductions[op] as Reduction)(rows, groups, results);
  return results;
}

const groupRow = (results: Row[], groups: Groups, at: number): Row => results[groups.of[at] as number] as Row;

// Adds rows and returns the rounding errors, by group.
function addUp(rows: Row[], groups: Groups, results: Row[]): Float64Array[] {
  const losses = results.map(({ values }) => new Float64Array(values.length));
  for (let at = 0; at < rows.length; at++) {
    const { values, present } = rows[at] as Row;
    addTo(groupRow(results, groups, at), losses[groups.of[at] as number] as Float64Array, values, present);
  }
  return losses;
}

function addTo({ values: sums, present: isThere }: Row, lost: Float64Array, values: Float64Array, present: Uint8Array) {
  for (let step = 0; step < values.length; step++) {
    if (present[step] === 0) continue;
    const value = values[step] as number;
    if (isThere[step] === 0) {
      isThere[step] = 1;
      sums[step] = value;
      continue;
    }
    const sum = sums[step] as number;
    const total = sum + value;
    lost[step] = isEndless(total) ? 0 : (lost[step] as number) + lostBy(sum, value, total);
    sums[step] = total;
  }
}

function sums(rows: Row[], groups: Groups, results: Row[]): void {
  const losses = addUp(rows, groups, results);
  for (const [group, { values }] of results.entries()) addLost(values, losses[group] as Float64Array);
}

function addLost(values: Float64Array, lost: Float64Array): void {
  for (let step = 0; step < values.length; step++) values[step] = (values[step] as number) + (lost[step] as number);
}

function average(rows: Row[], groups: Groups, results: Row[]): void {
  const losses = addUp(rows, groups, results);
  const sizes = sizesOf(rows, groups, results);
  for (const [group, { values, present }] of results.entries()) {
    const [lost, size] = [losses[group] as Float64Array, sizes[group] as Float64Array];
    for (let step = 0; step < values.length; step++) {
      if (!present[step]) continue;
      const [sum, count] = [values[step] as number, size[step] as number];
      const isPlain = Number.isFinite(sum);
      values[step] = isPlain ? sum / count + (lost[step] as number) / count : slowMean(rows, groups, group, step);
    }
  }
}

// Where the sum overflows.
function slowMean(rows: Row[], groups: Groups, group: number, step: number): number {
  const members = rows.filter(({ present }, at) => groups.of[at] === group && present[step]);
  return meanOf(
    Float64Array.from(members, ({ values }) => values[step] as number),
    0,
    members.length,
  );
}

function sizesOf(rows: Row[], groups: Groups, results: Row[]): Float64Array[] {
  const sizes = results.map(({ values }) => new Float64Array(values.length));
  for (const [at, { present }] of rows.entries()) {
    const size = sizes[groups.of[at] as number] as Float64Array;
    for (let step = 0; step < present.length; step++) size[step] = (size[step] as number) + (present[step] as number);
  }
  return sizes;
}

function counts(rows: Row[], groups: Groups, results: Row[]): void {
  const sizes = sizesOf(rows, groups, results);
  for (const [group, { values, present }] of results.entries()) {
    values.set(sizes[group] as Float64Array);
    for (let step = 0; step < values.length; step++) present[step] = values[step] ? 1 : 0;
  }
}

function best(beats: (value: number, found: number) => boolean): Reduction {
  return (rows, groups, results) => {
    for (const [at, { values, present }] of rows.entries()) {
      const { values: found, present: isThere } = groupRow(results, groups, at);
      for (let step = 0; step < values.length; step++) {
        if (present[step] === 0) continue;
        const value = values[step] as number;
        const known = found[step] as number;
        if (isThere[step] === 0 || beats(value, known) || Number.isNaN(known)) found[step] = value;
        isThere[step] = 1;
      }
    }
  };
}

function spread(shown: (variance: number) => number): Reduction {
  return (rows, groups, results) => {
    const means = results.map(({ values }) => new Float64Array(values.length));
    const sizes = results.map(({ values }) => new Float64Array(values.length));
    for (const [at, { values, present }] of rows.entries()) {
      const group = groups.of[at] as number;
      const { values: squares, present: isThere } = results[group] as Row;
      const [mean, size] = [means[group] as Float64Array, sizes[group] as Float64Array];
      for (let step = 0; step < values.length; step++) {
        if (present[step] === 0) continue;
        const value = values[step] as number;
        const count = (size[step] as number) + 1;
        size[step] = count;
        isThere[step] = 1;
        const difference = value - (mean[step] as number);
        const newMean = count === 1 ? value : (mean[step] as number) + difference / count;
        // An infinite value makes the variance NaN, even if it is the only value.
        const square = count === 1 ? value - value : difference * (value - newMean);
        mean[step] = newMean;
        squares[step] = (squares[step] as number) + square;
      }
    }
    for (const [group, { values }] of results.entries())
      for (let step = 0; step < values.length; step++)
        values[step] = shown((values[step] as number) / ((sizes[group] as Float64Array)[step] as number));
  };
}
