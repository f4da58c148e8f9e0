// The group of each series, found once per series and not at each step.

import type { Labels } from '../../series.ts';
import { dropLabels, keepLabels, keyFunction, metricName, noLabels } from '../labels.ts';
import type { Row } from '../rows.ts';

export interface Groups {
  of: Int32Array; // by row
  labels: Labels[]; // by group, in order of appearance
  count: number;
}

export function groupsOf(rows: Row[], grouping: readonly string[], isWithout: boolean): Groups {
  const key = keyFunction(grouping, isWithout);
  const labelsFor = groupLabels(grouping, isWithout);
  const known = new Map<string, number>();
  const of = new Int32Array(rows.length);
  const labels: Labels[] = [];
  for (let at = 0; at < rows.length; at++) {
    const { labels: all } = rows[at] as Row;
    const found = key(all);
    let group = known.get(found);
    if (group === undefined) {
      group = labels.push(labelsFor(all)) - 1;
      known.set(found, group);
    }
    of[at] = group;
  }
  return { of, labels, count: labels.length };
}

export function groupLabels(grouping: readonly string[], isWithout: boolean): (labels: Labels) => Labels {
  if (isWithout) {
    const dropped = new Set([...grouping, metricName]);
    return (labels) => dropLabels(labels, dropped);
  }
  const kept = new Set(grouping);
  return kept.size === 0 ? () => noLabels : (labels) => keepLabels(labels, kept);
}
