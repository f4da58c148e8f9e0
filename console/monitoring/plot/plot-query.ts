// Runs all queries of a panel for a time span: the plot, and the problems by query.

import { type Answered, mostLines, type Plot, plotOf, type Query } from '../../plot/plot.ts';
import { type Span, stepOf } from '../../time/time-range.ts';
import { queryRange } from '../prometheus.ts';
import type { Source } from '../sources.ts';

export type Problems = ReadonlyMap<number, unknown>; // by the number of the query

export interface PlotAnswer {
  plot: Plot;
  queries: readonly Query[];
  problems: Problems;
  notes: readonly string[];
}

export async function queryPlot(
  source: Source,
  queries: readonly Query[],
  span: Span,
  widthPx: number,
  signal: AbortSignal,
): Promise<PlotAnswer> {
  const stepS = stepOf(span, widthPx);
  const settled = await Promise.allSettled(
    queries.map(({ expression }) => queryRange(source, expression, span, stepS, signal)),
  );
  const answers: Answered[] = [];
  const problems = new Map<number, unknown>();
  const notes = new Set<string>();
  for (const [at, query] of queries.entries()) {
    const result = settled[at];
    if (result?.status === 'fulfilled') {
      answers.push({ query, series: result.value.data });
      for (const note of result.value.notes) notes.add(withoutPlace(note));
    } else problems.set(at, result?.reason);
  }
  const plot = plotOf(span, stepS, answers);
  const cut = plot.isCut ? [`Only the first ${mostLines} series are shown.`] : [];
  return { plot, queries, problems, notes: [...cut, ...notes] };
}

// Without the position, so that the same note of two expressions is shown once.
const withoutPlace = (note: string): string => note.replace(/ \(\d+:\d+\)$/, '');
