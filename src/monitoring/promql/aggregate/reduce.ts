// Aggregations that reduce many values to one: each row is accumulated into the row of its group.
import { isEndless, lostBy, meanOf } from '../range/sums.ts';
import type { Row } from '../rows.ts';
import type { Groups } from './groups.ts';

// Rows may be added in several parts, with more groups in each. `results` has a row for each group so far.
export interface Reduction {
  add(rows: Row[], groups: Groups, results: Row[]): void;
  end?(results: Row[]): void;
}

export const reductions: Readonly<Record<string, () => Reduction>> = {
  avg: average,
  count: counts,
  group: () => ({
    add: (rows, groups, results) => {
      for (let at = 0; at < rows.length; at++) markPresent(groupRow(results, groups, at), (rows[at] as Row).present);
    },
    end: (results) => {
      for (const { values } of results) values.fill(1);
    },
  }),
  max: best((value, found) => value > found),
  min: best((value, found) => value < found),
  stddev: spread(Math.sqrt),
  stdvar: spread((variance) => variance),
  sum: sums,
};

const groupRow = (results: Row[], groups: Groups, at: number): Row => results[groups.of[at] as number] as Row;

// Extends the columns of numbers for the results.
function widen(columns: Float64Array[], results: Row[]): void {
  while (columns.length < results.length)
    columns.push(new Float64Array((results[columns.length] as Row).values.length));
}

function markPresent({ present: isThere }: Row, present: Uint8Array): void {
  for (let step = 0; step < present.length; step++) if (present[step] === 1) isThere[step] = 1;
}

// Adds rows; the rounding errors by group go to `losses`.
function addUp(rows: Row[], groups: Groups, results: Row[], losses: Float64Array[]): void {
  widen(losses, results);
  for (let at = 0; at < rows.length; at++) {
    const { values, present } = rows[at] as Row;
    addTo(groupRow(results, groups, at), losses[groups.of[at] as number] as Float64Array, values, present);
  }
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

function sums(): Reduction {
  const losses: Float64Array[] = [];
  return {
    add: (rows, groups, results) => addUp(rows, groups, results, losses),
    end: (results) => {
      for (const [group, { values }] of results.entries()) addLost(values, losses[group] as Float64Array);
    },
  };
}

function addLost(values: Float64Array, lost: Float64Array): void {
  for (let step = 0; step < values.length; step++) values[step] = (values[step] as number) + (lost[step] as number);
}

// The rows are needed again if a sum overflows.
function average(): Reduction {
  const losses: Float64Array[] = [];
  const sizes: Float64Array[] = [];
  const added: [rows: Row[], groups: Groups][] = [];
  return {
    add(rows, groups, results) {
      addUp(rows, groups, results, losses);
      addSizes(rows, groups, results, sizes);
      added.push([rows, groups]);
    },
    end(results) {
      for (const [group, { values, present }] of results.entries()) {
        const [lost, size] = [losses[group] as Float64Array, sizes[group] as Float64Array];
        for (let step = 0; step < values.length; step++) {
          if (!present[step]) continue;
          const [sum, count] = [values[step] as number, size[step] as number];
          const isPlain = Number.isFinite(sum);
          values[step] = isPlain ? sum / count + (lost[step] as number) / count : slowMean(added, group, step);
        }
      }
    },
  };
}

// Used if the sum overflows.
function slowMean(added: readonly [rows: Row[], groups: Groups][], group: number, step: number): number {
  const members = added.flatMap(([rows, groups]) =>
    rows.filter(({ present }, at) => groups.of[at] === group && present[step]),
  );
  return meanOf(
    Float64Array.from(members, ({ values }) => values[step] as number),
    0,
    members.length,
  );
}

function addSizes(rows: Row[], groups: Groups, results: Row[], sizes: Float64Array[]): void {
  widen(sizes, results);
  for (const [at, { present }] of rows.entries()) {
    const size = sizes[groups.of[at] as number] as Float64Array;
    for (let step = 0; step < present.length; step++) size[step] = (size[step] as number) + (present[step] as number);
  }
}

function counts(): Reduction {
  const sizes: Float64Array[] = [];
  return {
    add: (rows, groups, results) => addSizes(rows, groups, results, sizes),
    end: (results) => {
      for (const [group, { values, present }] of results.entries()) {
        values.set(sizes[group] as Float64Array);
        for (let step = 0; step < values.length; step++) present[step] = values[step] ? 1 : 0;
      }
    },
  };
}

function best(beats: (value: number, found: number) => boolean): () => Reduction {
  return () => ({
    add(rows, groups, results) {
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
    },
  });
}

// The results are the sums of squares until the end.
function spread(shown: (variance: number) => number): () => Reduction {
  return () => {
    const means: Float64Array[] = [];
    const sizes: Float64Array[] = [];
    return {
      add(rows, groups, results) {
        widen(means, results);
        widen(sizes, results);
        for (const [at, row] of rows.entries()) {
          const group = groups.of[at] as number;
          addSquares(row, results[group] as Row, means[group] as Float64Array, sizes[group] as Float64Array);
        }
      },
      end(results) {
        for (const [group, { values }] of results.entries())
          for (let step = 0; step < values.length; step++)
            values[step] = shown((values[step] as number) / ((sizes[group] as Float64Array)[step] as number));
      },
    };
  };
}

function addSquares({ values, present }: Row, result: Row, mean: Float64Array, size: Float64Array): void {
  const { values: squares, present: isThere } = result;
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
