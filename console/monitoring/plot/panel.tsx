// A plot with its legend: queries its source for each new span of time, and draws the answer as a chart or as a table.
// Failures are shown in its place.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { sentencesOf } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { perform } from '../../components/toast.tsx';
import { Chart } from '../../plot/chart.tsx';
import { loadChartLibrary } from '../../plot/chart-canvas.ts';
import { Legend } from '../../plot/legend.tsx';
import { type Span, spanText } from '../../time/time-range.ts';
import { plainProblem } from '../explorer/expression.ts';
import type { Source } from '../sources.ts';
import { type PanelSettings, unitOfPanel } from './panel-settings.ts';
import { type PlotAnswer, type Problems, queryPlot } from './plot-query.ts';

export interface PanelProps {
  settings: Pick<PanelSettings, 'queries' | 'unit' | 'isTable'>;
  source: Source | undefined; // none: it was deleted
  span: Span | undefined; // a new object for each refresh
  thresholdsOf(source: string, expression: string): readonly number[];
  onZoom(span: Span): void;
  onProblems?(problems: Problems): void; // for those who show them elsewhere
}

export function Panel({ settings, source, span, thresholdsOf, onZoom, onProblems }: PanelProps) {
  const { queries, isTable } = settings;
  const place = useRef<HTMLDivElement>(null);
  const answer = useSignal<PlotAnswer | undefined>(undefined);
  const isBusy = useSignal(false);
  const hidden = useSignal<ReadonlySet<string>>(new Set()); // names of lines
  useLayoutEffect(() => {
    if (!source || !span || queries.length === 0) return;
    const asking = new AbortController();
    isBusy.value = true;
    const ask = async (): Promise<void> => {
      const width = place.current?.clientWidth || 600;
      const [found] = await Promise.all([queryPlot(source, queries, span, width, asking.signal), loadChartLibrary()]);
      if (asking.signal.aborted) return;
      isBusy.value = false;
      answer.value = found;
      onProblems?.(found.problems);
    };
    perform(ask);
    return () => asking.abort();
  }, [source?.id, span, queries]);

  const content = (): preact.ComponentChild => {
    if (!source) return <Blank text="The pipeline of this panel is gone." isAlert />;
    if (!answer.value) return <Blank text="Nothing asked yet." />;
    const { plot, problems, queries: asked } = answer.value;
    if (plot.lines.length === 0 && problems.size === asked.length) return <Blank text="There is no answer." />;
    if (plot.lines.length === 0) return <Blank text={emptyText(asked, spanText(plot.span))} />;
    const unit = unitOfPanel({ unit: settings.unit, queries: asked });
    if (isTable) return <Legend plot={plot} unit={unit} isTable hidden={hidden} />;
    const thresholds = asked.flatMap(({ expression }) => thresholdsOf(source.id, expression));
    return <Chart plot={plot} unit={unit} thresholds={thresholds} hidden={hidden} onZoom={onZoom} />;
  };
  const problems = onProblems ? [] : [...(answer.value?.problems.values() ?? [])];
  return (
    <div class="plot" aria-busy={isBusy.value || undefined}>
      <div class="plotted" ref={place}>
        {content()}
      </div>
      <div class="notes">
        {problems.flatMap(sentencesOf).map((text) => (
          <p key={text} class="problem" role="alert">
            {plainProblem(text)}
          </p>
        ))}
        {answer.value?.notes.map((text) => (
          <p key={text} class="note">
            {text}
          </p>
        ))}
      </div>
    </div>
  );
}

const Blank = ({ text, isAlert = false }: { text: string; isAlert?: boolean }) => (
  <p class="blank" role={isAlert ? 'alert' : undefined}>
    {text}
  </p>
);

export const ViewToggle = ({ isTable, onToggle }: { isTable: boolean; onToggle(isTable: boolean): void }) => (
  <Button text={isTable ? 'As chart' : 'As table'} look="plain" onPress={() => onToggle(!isTable)} />
);

const ratePattern = /\b(?:i?rate|increase|i?delta|deriv)\(/;

// What was pushed once has no rate yet, which is no reason to doubt the push.
function emptyText(asked: readonly { expression: string }[], span: string): string {
  if (!asked.some(({ expression }) => ratePattern.test(expression))) return `Nothing was measured from ${span}.`;
  return `Nothing to draw from ${span}: a rate needs two samples of a series.`;
}
