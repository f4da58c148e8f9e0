// A panel. It queries its source for each new time span and draws the answer as a chart, a table or values. It shows
// failures in its place.
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
import { BarGauge, Gauge, Stat, Values } from '../kinds/value-views.tsx';
import type { Source } from '../sources.ts';
import { kindOf, type PanelSettings, unitOfPanel } from './panel-settings.ts';
import { type PlotAnswer, type PlotQuestion, type Problems, queryPlot } from './plot-query.ts';

export interface PanelProps {
  settings: Pick<PanelSettings, 'queries' | 'unit' | 'isTable'> & Partial<PanelSettings>;
  source: Source | undefined; // undefined: deleted
  span: Span | undefined; // a new object for each refresh
  isCompact?: boolean; // with a legend of one row
  resolve?: PlotQuestion['resolve'];
  thresholdsOf(source: string, expression: string): readonly number[];
  onZoom(span: Span): void;
  onProblems?(problems: Problems): void; // for callers that show problems themselves
}

const valueViews = { stat: Stat, gauge: Gauge, bargauge: BarGauge, table: Values };

export function Panel({ settings, source, span, isCompact, resolve, thresholdsOf, onZoom, onProblems }: PanelProps) {
  const { queries, isTable } = settings;
  const kind = kindOf(settings);
  const isInstant = kind === 'gauge' || kind === 'bargauge' || kind === 'table';
  const place = useRef<HTMLDivElement>(null);
  const answer = useSignal<PlotAnswer | undefined>(undefined);
  const isBusy = useSignal(false);
  const hidden = useSignal<ReadonlySet<string>>(new Set()); // names of lines
  useLayoutEffect(() => {
    if (!source || !span || queries.length === 0) return;
    const asking = new AbortController();
    isBusy.value = true;
    const ask = async (): Promise<void> => {
      const widthPx = place.current?.clientWidth || 600;
      const question = { source, queries, span, widthPx, isInstant, resolve };
      const [found] = await Promise.all([queryPlot(question, asking.signal), loadChartLibrary()]);
      if (asking.signal.aborted) return;
      isBusy.value = false;
      answer.value = found;
      onProblems?.(found.problems);
    };
    perform(ask);
    return () => asking.abort();
  }, [source?.id, span, queries, isInstant]);

  const content = (): preact.ComponentChild => {
    if (!source) return <Blank text="The pipeline of this panel was deleted." isAlert />;
    if (!answer.value) return <Blank text={isBusy.value ? 'Loading …' : 'No query yet.'} />;
    const { plot, problems, queries } = answer.value;
    if (plot.lines.length === 0 && problems.size === queries.length) return <Blank text="No answer." />;
    if (plot.lines.length === 0 && isCompact) return <Blank text="No values" />;
    if (plot.lines.length === 0) return <Blank text={emptyText(queries, spanText(plot.span))} />;
    const unit = unitOfPanel({ unit: settings.unit, queries });
    if (kind in valueViews) {
      const View = valueViews[kind as keyof typeof valueViews];
      const columns = queries.map(({ legend }, at) => legend || (queries.length > 1 ? `Value ${at + 1}` : 'Value'));
      return <View plot={plot} unit={unit} scale={settings} columns={columns} />;
    }
    if (isTable) return <Legend plot={plot} unit={unit} isTable hidden={hidden} />;
    const thresholds = queries.flatMap(({ expression }) => thresholdsOf(source.id, expression));
    const drawn = { plot, unit, thresholds, hidden, isCompact: isCompact === true };
    return <Chart {...drawn} onZoom={onZoom} />;
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

// A series with a single sample has no rate yet. The text says so, because the push may still have worked.
function emptyText(queries: readonly { expression: string }[], span: string): string {
  if (!queries.some(({ expression }) => ratePattern.test(expression))) return `No values from ${span}.`;
  return `No values from ${span}. A rate needs two samples of a series.`;
}
