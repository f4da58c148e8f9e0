// Results at all steps of a query, and at one of them.
import type { LabelSet } from '../label-set.ts';

// The times at which a query is evaluated.
export interface Grid {
  startNs: bigint;
  stepNs: number;
  count: number;
}

export interface Row {
  series: LabelSet;
  values: Float64Array;
  present: Uint8Array;
}

export interface Sample {
  series: LabelSet;
  value: number;
}

export type Vector = Sample[];

export function createRow(series: LabelSet, count: number): Row {
  return { series, values: new Float64Array(count), present: new Uint8Array(count) };
}
