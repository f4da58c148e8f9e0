// The data of the evaluation: one row of numbers for each series, with one number for each step, and a bitmap of the
// steps that have a value. Everything works row by row over all steps, never step by step over the tree.
import type { BufferLease } from '../engine/buffer-pool.ts';
import type { Labels } from '../series.ts';
import { keyOf, labelOf, metricName, noLabels, withoutName } from './labels.ts';
import { failing, sameLabels } from './query-error.ts';

// The steps of a query.
export interface Grid {
  startMs: number;
  stepMs: number;
  count: number;
}

export const momentOf = (grid: Grid, step: number): number => grid.startMs + step * grid.stepMs;
export const endOf = (grid: Grid): number => momentOf(grid, grid.count - 1);

export interface Row {
  labels: Labels;
  isUnnamed: boolean; // its name is removed at the end, so that label functions can read it before (late names)
  values: Float64Array;
  present: Uint8Array; // 1 where there is a value
}

// A scalar has a value at every step.
export type Scalar = Float64Array;

export function createRow(labels: Labels, count: number, isUnnamed = false): Row {
  return { labels, isUnnamed, values: new Float64Array(count), present: new Uint8Array(count) };
}

// In leased memory.
export function createRowIn(buffers: BufferLease, labels: Labels, count: number, isUnnamed = false): Row {
  const { buffer, byteOffset } = buffers.take(Math.ceil(count / 8));
  return {
    labels,
    isUnnamed,
    values: buffers.take(count).fill(0),
    present: new Uint8Array(buffer, byteOffset, count).fill(0),
  };
}

export function scalarRow(values: Scalar): Row {
  return { labels: noLabels, isUnnamed: false, values, present: new Uint8Array(values.length).fill(1) };
}

export function isEmptyRow({ present }: Row): boolean {
  return !present.includes(1);
}

// Repeats the result of one step at every step.
export function broadcast(rows: Row[], count: number): Row[] {
  return rows.map((row) => ({
    ...row,
    values: new Float64Array(count).fill(row.values[0] as number),
    present: new Uint8Array(count).fill(row.present[0] as number),
  }));
}

// Drops metric names. Series that differ only by name may then be equal.
export function unnamed(rows: Row[], lateNames: boolean): Row[] {
  if (lateNames) {
    for (const row of rows) row.isUnnamed = true;
    return rows;
  }
  const name = rows[0] ? labelOf(rows[0].labels, metricName) : '';
  const haveOneName = rows.every(({ labels }) => labelOf(labels, metricName) === name);
  for (const row of rows) row.labels = withoutName(row.labels);
  return haveOneName && !rows.some(hasMetadata) ? rows : merged(rows);
}

// Type and unit labels are dropped with the name, which can also make two series equal.
function hasMetadata({ labels }: Row): boolean {
  return labels.some(([name]) => name === '__type__' || name === '__unit__');
}

// Merges rows with the same labels, if they have no value at the same step.
export function merged(rows: Row[]): Row[] {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    const key = keyOf(row.labels);
    const first = byKey.get(key);
    if (first) pour(row, first);
    else byKey.set(key, row);
  }
  return byKey.size === rows.length ? rows : [...byKey.values()];
}

function pour(from: Row, into: Row): void {
  for (let step = 0; step < from.present.length; step++) {
    if (!from.present[step]) continue;
    if (into.present[step]) throw failing(sameLabels);
    into.values[step] = from.values[step] as number;
    into.present[step] = 1;
  }
}

// At the end of the evaluation: drops names that were kept so far, and rows without values.
export function finished(rows: Row[]): Row[] {
  const shown = rows.filter((row) => !isEmptyRow(row));
  if (!shown.some((row) => row.isUnnamed)) return shown;
  for (const row of shown) if (row.isUnnamed) row.labels = withoutName(row.labels);
  return merged(shown);
}

// Collects results that may have the same labels several times.
export class RowSet {
  readonly #rows = new Map<string, Row>();
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  row(labels: Labels, isUnnamed = false): Row {
    const key = keyOf(labels);
    const known = this.#rows.get(key);
    if (known) return known;
    const made = createRow(labels, this.#count, isUnnamed);
    this.#rows.set(key, made);
    return made;
  }

  rows(): Row[] {
    return [...this.#rows.values()];
  }
}

export function put(row: Row, step: number, value: number): void {
  if (row.present[step]) throw failing(sameLabels);
  row.values[step] = value;
  row.present[step] = 1;
}
