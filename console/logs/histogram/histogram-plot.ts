// The histogram: counts of lines over time, with a part for each level.
import type { Plot, SeriesAnswer } from '../../plot/plot.ts';
import { type Level, type LevelField, levelNamed, levels } from '../lines/level.ts';
import { labelsOf } from '../query/filter.ts';
import type { SubmittedSearch } from '../submitted-search.ts';

export interface LevelTotal {
  level: Level;
  count: number;
  words: readonly string[]; // used by the lines for this level
}

export interface Histogram {
  submitted: SubmittedSearch;
  field: LevelField | undefined; // with the level
  plot: Plot;
  totals: readonly LevelTotal[]; // the most severe first
  count: number;
}

// The most severe levels are drawn last, at the bottom, where they are easiest to compare.
const drawn = [...levels].reverse();

export function histogramOf(
  submitted: SubmittedSearch,
  field: LevelField | undefined,
  series: readonly SeriesAnswer[],
): Histogram {
  const { span, stepS } = submitted;
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
  return { submitted, field, plot: { span, times, lines, isCut: false }, totals, count };
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
