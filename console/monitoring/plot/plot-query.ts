// Runs all queries of a panel for a time span: the plot, and the problems by query.

import { type Answered, mostLines, type Plot, plotOf, type Query } from '../../plot/plot.ts';
import { type Span, stepOf } from '../../time/time-range.ts';
import { queryInstant, queryRange } from '../prometheus.ts';
import type { Source } from '../sources.ts';

export type Problems = ReadonlyMap<number, unknown>; // by the number of the query

export interface PlotAnswer {
  plot: Plot;
  queries: readonly Query[];
  problems: Problems;
  notes: readonly string[];
}

export interface PlotQuestion {
  source: Source;
  queries: readonly Query[];
  span: Span;
  widthPx: number;
  isInstant: boolean; // only the values at the end of the span
  resolve?: ((text: string, span: Span, stepS: number) => string) | undefined; // replaces variables
}

export async function queryPlot(
  { source, queries: written, span, widthPx, isInstant, resolve = (text) => text }: PlotQuestion,
  signal: AbortSignal,
): Promise<PlotAnswer> {
  const stepS = stepOf(span, widthPx);
  const queries = written.map(({ expression, legend }) => ({
    expression: resolve(expression, span, stepS),
    legend: resolve(legend, span, stepS),
  }));
  const settled = await Promise.allSettled(
    queries.map(({ expression }) =>
      isInstant
        ? queryInstant(source, expression, span.toS, signal)
        : queryRange(source, expression, span, stepS, signal),
    ),
  );
  const answers: Answered[] = [];
  const problems = new Map<number, unknown>();
  const notes = new Set<string>();
  for (const [at, query] of queries.entries()) {
    const result = settled[at];
    if (result?.status === 'fulfilled') {
      answers.push({ query, series: result.value.data });
      for (const note of result.value.notes) notes.add(withoutPlace(note));
    } else {
      problems.set(at, result?.reason);
      answers.push({ query, series: [] }); // so that lines have the index of their query
    }
  }
  const plot = plotOf(isInstant ? { fromS: span.toS, toS: span.toS } : span, stepS, answers);
  const cut = plot.isCut ? [`Only the first ${mostLines} series are shown.`] : [];
  return { plot, queries, problems, notes: [...cut, ...notes] };
}

// Without the position, so that the same note of two expressions is shown once.
const withoutPlace = (note: string): string => note.replace(/ \(\d+:\d+\)$/, '');
