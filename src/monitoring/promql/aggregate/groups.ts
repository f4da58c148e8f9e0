// The group of each series, found once per series and not at each step.

import type { Labels } from '../../series.ts';
import { dropLabels, keepLabels, keyFunction, metricName, noLabels } from '../labels.ts';
import type { Row } from '../rows.ts';

export interface Groups {
  of: Int32Array; // by row
  labels: Labels[]; // by group, in order of appearance
  count: number;
}

// Rows may arrive in several parts: groups keep their numbers.
export class Grouping {
  readonly #key: (labels: Labels) => string;
  readonly #labelsFor: (labels: Labels) => Labels;
  readonly #known = new Map<string, number>();
  readonly #labels: Labels[] = [];

  constructor(grouping: readonly string[], isWithout: boolean) {
    this.#key = keyFunction(grouping, isWithout);
    this.#labelsFor = groupLabels(grouping, isWithout);
  }

  of(rows: Row[]): Groups {
    const of = new Int32Array(rows.length);
    for (let at = 0; at < rows.length; at++) {
      const { labels: all } = rows[at] as Row;
      const found = this.#key(all);
      let group = this.#known.get(found);
      if (group === undefined) {
        group = this.#labels.push(this.#labelsFor(all)) - 1;
        this.#known.set(found, group);
      }
      of[at] = group;
    }
    return { of, labels: this.#labels, count: this.#labels.length };
  }
}

export function groupLabels(grouping: readonly string[], isWithout: boolean): (labels: Labels) => Labels {
  if (isWithout) {
    const dropped = new Set([...grouping, metricName]);
    return (labels) => dropLabels(labels, dropped);
  }
  const kept = new Set(grouping);
  return kept.size === 0 ? () => noLabels : (labels) => keepLabels(labels, kept);
}
