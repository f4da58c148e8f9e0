// The histogram of lines over time, by level. Dragging zooms; mouse and arrow keys read a bar.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { sentencesOf } from '../../api.ts';
import { ChartCanvas, loadChartLibrary } from '../../plot/chart-canvas.ts';
import { type Span, timeText } from '../../time/time-range.ts';
import { plainProblem } from '../query/problem.ts';
import type { Histogram as Counts, LevelTotal } from './histogram-plot.ts';

export interface HistogramProps {
  counts: Counts | undefined;
  failure: unknown;
  onZoom(span: Span): void;
  onLevel(total: LevelTotal): void;
}

const nothingHidden: ReadonlySet<string> = new Set();
const numbers = new Intl.NumberFormat();

export function Histogram({ counts, failure, onZoom, onLevel }: HistogramProps) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<ChartCanvas>(undefined);
  const isReady = useSignal(false);
  const cursor = useSignal<number | undefined>(undefined);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  useLayoutEffect(() => {
    void loadChartLibrary().then(() => {
      isReady.value = true;
    });
    canvas.current = new ChartCanvas(place.current as HTMLDivElement, {
      onZoom: (span) => zoom.current(span),
      onCursor: (at) => {
        cursor.value = at;
      },
      onNear: () => undefined,
    });
    return () => canvas.current?.close();
  }, []);
  const isDrawn = isReady.value;
  useLayoutEffect(() => {
    if (!isDrawn || !counts) return;
    canvas.current?.draw({ plot: counts.plot, unit: 'number', thresholds: [], hidden: nothingHidden, isBars: true });
  }, [counts, isDrawn]);
  const at = cursor.value;
  return (
    <div class="logs-histogram">
      <div
        class="chart"
        role="img"
        aria-label="Lines over time. Use the arrow keys to read the counts."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read the values
        tabIndex={0}
        onKeyDown={(event) => void canvas.current?.onKey(event)}
        onBlur={() => canvas.current?.leave()}
      >
        <div class="canvas" ref={place} />
      </div>
      <div class="logs-totals">
        <p aria-live="polite">
          {failure !== undefined
            ? `The lines could not be counted: ${plainProblem(sentencesOf(failure).join(' '))}`
            : !counts
              ? ' '
              : at === undefined
                ? `${numbers.format(counts.count)} ${counts.count === 1 ? 'line' : 'lines'}`
                : barText(counts, at)}
        </p>
        <ul aria-label="Levels">
          {counts?.totals.map((total) => (
            <li key={total.level}>
              <button
                type="button"
                class="plain"
                disabled={total.words.length === 0}
                aria-label={`Show only ${total.level}: ${total.count} lines`}
                onClick={() => onLevel(total)}
              >
                <span class={`logs-swatch logs-${total.level}`} />
                {total.level} <small>{numbers.format(total.count)}</small>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function barText({ plot: { times, lines }, submitted: { stepS } }: Counts, at: number): string {
  const parts = lines
    .toReversed()
    .flatMap(({ name, values }) => (values[at] ? [`${numbers.format(values[at])} ${name}`] : []));
  const fromS = times[at] ?? 0;
  return `${timeText(fromS)} and ${stepS} s: ${parts.join(', ') || 'no lines'}`;
}
