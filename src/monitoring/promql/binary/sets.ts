// The set operators and, or, unless: they depend on which series have a value, not on the values.
import { keyFunction } from '../labels.ts';
import type { BinaryPlan } from '../plan.ts';
import { isEmptyRow, merged, type Row } from '../rows.ts';
import type { Scope } from '../scope.ts';

export function combined({ op, matching }: BinaryPlan, left: Row[], right: Row[], { grid }: Scope): Row[] {
  const key = keyFunction(matching.labels, !matching.isOn);
  if (op === 'or') {
    mask(right, presence(left, key, grid.count), key, false);
    return merged([...left, ...right.filter((row) => !isEmptyRow(row))]);
  }
  mask(left, presence(right, key, grid.count), key, op === 'and');
  return left.filter((row) => !isEmptyRow(row));
}

// The steps at which any series with a key has a value.
function presence(rows: Row[], key: (labels: Row['labels']) => string, count: number): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const { labels, present } of rows) {
    const name = key(labels);
    const marks = found.get(name) ?? new Uint8Array(count);
    found.set(name, marks);
    for (let step = 0; step < count; step++) if (present[step]) marks[step] = 1;
  }
  return found;
}

function mask(
  rows: Row[],
  marks: Map<string, Uint8Array>,
  key: (labels: Row['labels']) => string,
  mustBeThere: boolean,
): void {
  const wanted = mustBeThere ? 1 : 0;
  for (const { labels, present } of rows) {
    const there = marks.get(key(labels));
    if (!there && mustBeThere) present.fill(0);
    if (!there) continue;
    for (let step = 0; step < present.length; step++) if (there[step] !== wanted) present[step] = 0;
  }
}
