// The chart of a counting query.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { Empty } from '../components/states.tsx';
import { Chart } from '../plot/chart.tsx';
import { loadChartLibrary } from '../plot/chart-canvas.ts';
import { mostLines, plotOf } from '../plot/plot.ts';
import type { LogsModel } from './logs-model.ts';

export function MetricChart({ model }: { model: LogsModel }) {
  const isReady = useSignal(false);
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  useLayoutEffect(() => {
    void loadChartLibrary().then(() => {
      isReady.value = true;
    });
  }, []);
  const [submitted, series] = [model.submitted.value, model.lines.series.value];
  if (!submitted || !series || !isReady.value) return null;
  const query = { expression: submitted.query, legend: '' };
  const plot = plotOf(submitted.span, submitted.stepS, [{ query, series }]);
  if (plot.lines.length === 0) return <Empty text="The query has no results in this time." />;
  return (
    <div class="plot">
      <Chart plot={plot} unit="number" thresholds={[]} hidden={hidden} onZoom={(span) => model.time.select(span)} />
      {plot.isCut && <p class="note">There are more than {mostLines} series: these are the first of them.</p>}
    </div>
  );
}
