// Counts of lines over time as bars: a part for each level, with how many lines have it and by which words.
import type { Plot, SeriesAnswer } from '../../plot/plot.ts';
import type { Asked } from '../asked.ts';
import { type Level, type LevelField, levelNamed, levels } from '../lines/level.ts';
import { labelsOf } from '../query/filter.ts';

export interface LevelTotal {
  level: Level;
  count: number;
  words: readonly string[]; // that the lines use for it
}

export interface Histogram {
  asked: Asked;
  field: LevelField | undefined; // that tells the level
  plot: Plot;
  totals: readonly LevelTotal[]; // the gravest first
  count: number;
}

// The gravest are drawn last, at the bottom, where they are compared best.
const drawn = [...levels].reverse();

export function histogramOf(asked: Asked, field: LevelField | undefined, series: readonly SeriesAnswer[]): Histogram {
  const { span, stepS } = asked;
  const bars = Math.round((span.toS - span.fromS) / stepS);
  const counts = new Map<Level, { values: number[]; words: Set<string> }>();
  for (const { metric, values } of series) {
    const word = field === undefined ? '' : (labelsOf(field.name).flatMap((label) => metric[label] || [])[0] ?? '');
    const level = levelNamed(word);
    const found = counts.get(level) ?? { values: new Array<number>(bars).fill(0), words: new Set<string>() };
    counts.set(level, found);
    if (word !== '') found.words.add(word);
    for (const [endS, text] of values) {
      const bar = Math.round((endS - span.fromS) / stepS) - 1;
      if (bar >= 0 && bar < bars) found.values[bar] = (found.values[bar] ?? 0) + Number(text);
    }
  }
  const lines = drawn.flatMap((level) => {
    const found = counts.get(level);
    return found ? [lineOf(level, found.values)] : [];
  });
  const totals = levels.flatMap((level): LevelTotal[] => {
    const found = counts.get(level);
    const count = found?.values.reduce((sum, value) => sum + value, 0) ?? 0;
    return count > 0 ? [{ level, count, words: [...(found?.words ?? [])] }] : [];
  });
  const times = Array.from({ length: bars }, (_, at) => span.fromS + at * stepS);
  const count = totals.reduce((sum, total) => sum + total.count, 0);
  return { asked, field, plot: { span, times, lines, isCut: false }, totals, count };
}

const lineOf = (level: Level, values: number[]): Plot['lines'][number] => ({
  name: level,
  full: level,
  colour: `--level-${level}`,
  values,
  last: values.at(-1),
  lastS: 0,
  least: 0,
  most: Math.max(0, ...values),
  mean: 0,
});
