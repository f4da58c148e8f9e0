// The order of series in results: by labels, name by name and value by value.
import type { Labels } from './series.ts';

export function compareLabels(a: Labels, b: Labels): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [nameA, valueA] = a[at] as Labels[number];
    const [nameB, valueB] = b[at] as Labels[number];
    if (nameA !== nameB) return nameA < nameB ? -1 : 1;
    if (valueA !== valueB) return valueA < valueB ? -1 : 1;
  }
  return a.length - b.length;
}

export const byLabels = (a: { labels: Labels }, b: { labels: Labels }): number => compareLabels(a.labels, b.labels);
