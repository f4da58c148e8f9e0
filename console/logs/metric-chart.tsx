// The chart of a query that counts instead of finding lines.
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
  const [asked, series] = [model.asked.value, model.lines.series.value];
  if (!asked || !series || !isReady.value) return null;
  const query = { expression: asked.query, legend: '' };
  const plot = plotOf(asked.span, asked.stepS, [{ query, series }]);
  if (plot.lines.length === 0) return <Empty text="The query counted nothing in this time." />;
  return (
    <div class="plot">
      <Chart plot={plot} unit="number" thresholds={[]} hidden={hidden} onZoom={(span) => model.time.select(span)} />
      {plot.isCut && <p class="note">There are more than {mostLines} series: these are the first of them.</p>}
    </div>
  );
}
