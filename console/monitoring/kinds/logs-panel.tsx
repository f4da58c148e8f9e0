// A panel with the newest log lines of a query.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { isAborted, sentencesOf } from '../../api.ts';
import { type LogLine, linesOf, msOf } from '../../logs/lines/log-line.ts';
import { askRange, firstWithLines, nsOf } from '../../logs/loki.ts';
import { type LogSource, logSourcesOf } from '../../logs/sources.ts';
import type { Query } from '../../plot/plot.ts';
import { type Span, timeText } from '../../time/time-range.ts';

export interface LogsPanelProps {
  region: string;
  source: string; // the id of a log pipeline; unknown: the first one with lines
  queries: readonly Query[];
  span: Span | undefined;
  resolve(text: string, span: Span): string;
}

const mostLines = 200;

export function LogsPanel({ region, source, queries, span, resolve }: LogsPanelProps) {
  const lines = useSignal<readonly LogLine[] | undefined>(undefined);
  const problem = useSignal('');
  useLayoutEffect(() => {
    if (!span) return;
    const asking = new AbortController();
    read({ region, source, queries, span, resolve }, span, asking.signal).then(
      (found) => {
        if (asking.signal.aborted) return;
        lines.value = found;
        problem.value = '';
      },
      (error: unknown) => {
        if (!isAborted(error)) problem.value = sentencesOf(error).join(' ');
      },
    );
    return () => asking.abort();
  }, [region, source, queries, span]);
  if (problem.value !== '')
    return (
      <p class="problem" role="alert">
        {problem}
      </p>
    );
  if (!lines.value) return <p class="blank">No query yet.</p>;
  if (lines.value.length === 0) return <p class="blank">No log lines.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section class="log-panel" aria-label="Log lines" tabIndex={0}>
      {lines.value.map(({ key, timeNs, text }) => (
        <p key={key}>
          <time>{timeText(msOf(timeNs) / 1000)}</time> {text}
        </p>
      ))}
    </section>
  );
}

async function read(
  { region, source, queries, resolve }: LogsPanelProps,
  span: Span,
  signal: AbortSignal,
): Promise<LogLine[]> {
  const found = await logSourceOf(region, source, span, signal);
  const question = {
    startNs: nsOf(span.fromS),
    endNs: nsOf(span.toS),
    direction: 'backward',
    limit: mostLines,
  } as const;
  const answers = await Promise.all(
    queries.map(({ expression }) => askRange(found, { ...question, query: resolve(expression, span) }, signal)),
  );
  const streams = answers.flatMap((answer) => (answer.resultType === 'streams' ? answer.result : []));
  return linesOf(streams).slice(0, mostLines);
}

async function logSourceOf(region: string, id: string, { toS }: Span, signal: AbortSignal): Promise<LogSource> {
  const { all } = await logSourcesOf(region, signal);
  const named = all.find((one) => one.id === id);
  return named ?? (await firstWithLines(all, toS, signal)) ?? (all[0] as LogSource);
}
