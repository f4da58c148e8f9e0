// Label sets as in results: sorted by name, with a key that identifies equal sets.
import type { Labels } from '../engine/engine.ts';

export type LabelPairs = readonly (readonly [name: string, value: string])[];

export interface LabelSet {
  pairs: LabelPairs;
  key: string;
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : a > b ? 1 : 0);

export const keyPart = (name: string, value: string): string => `${name}\xff${value}\xfe`;

export function labelSet(pairs: Iterable<readonly [string, string]>): LabelSet {
  const sorted = [...pairs].sort(byName);
  let key = '';
  for (const [name, value] of sorted) key += keyPart(name, value);
  return { pairs: sorted, key };
}

export const noLabels: LabelSet = labelSet([]);

export const labelsOf = ({ pairs }: LabelSet): Labels => Object.fromEntries(pairs);

export const valueIn = ({ pairs }: LabelSet, name: string): string => pairs.find((pair) => pair[0] === name)?.[1] ?? '';

// The order of listed series: by names and values, the shorter set first.
export function bySet({ pairs: a }: LabelSet, { pairs: b }: LabelSet): number {
  for (let index = 0; index < a.length && index < b.length; index++) {
    const [[nameA, valueA], [nameB, valueB]] = [a[index], b[index]] as [[string, string], [string, string]];
    if (nameA !== nameB) return nameA < nameB ? -1 : 1;
    if (valueA !== valueB) return valueA < valueB ? -1 : 1;
  }
  return a.length - b.length;
}
