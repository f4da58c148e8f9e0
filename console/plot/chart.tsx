// A chart with its legend. The mouse reads values, highlights the nearest line and zooms by dragging. Arrow keys read
// values, too.
import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Span } from '../time/time-range.ts';
import { ChartCanvas } from './chart-canvas.ts';
import { CompactLegend, Legend } from './legend.tsx';
import { type Plot, readOut } from './plot.ts';
import type { Unit } from './units.ts';

export interface ChartProps {
  plot: Plot;
  unit: Unit;
  thresholds: readonly number[];
  hidden: Signal<ReadonlySet<string>>; // names of lines
  isCompact?: boolean; // the legend is one row
  onZoom(span: Span): void;
}

export function Chart({ plot, unit, thresholds, hidden, isCompact = false, onZoom }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<ChartCanvas>(undefined);
  const cursor = useSignal<number | undefined>(undefined); // an index in the time grid
  const nearest = useSignal<number | undefined>(undefined); // the index of a line
  const said = useSignal('');
  const zoom = useRef(onZoom);
  zoom.current = onZoom;

  useLayoutEffect(() => {
    canvas.current = new ChartCanvas(place.current as HTMLDivElement, {
      onZoom: (span) => zoom.current(span),
      onCursor: (at) => {
        cursor.value = at;
      },
      onNear: (line) => {
        nearest.value = line;
      },
    });
    return () => canvas.current?.close();
  }, []);
  const names = hidden.value;
  useLayoutEffect(() => canvas.current?.draw({ plot, unit, thresholds, hidden: names }));

  const onKeyDown = (event: KeyboardEvent): void => {
    const at = canvas.current?.onKey(event);
    if (at !== undefined) said.value = readOut(plot, at, unit);
  };
  const Names = isCompact ? CompactLegend : Legend;
  return (
    <>
      <div
        class="chart"
        role="img"
        aria-label={labelOf(plot)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read the values
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => canvas.current?.leave()}
      >
        <div class="canvas" ref={place} />
        <p class="unseen" aria-live="polite">
          {said}
        </p>
      </div>
      <Names
        plot={plot}
        unit={unit}
        hidden={hidden}
        cursor={cursor}
        nearest={nearest}
        onLook={(line) => canvas.current?.highlight(line)}
      />
    </>
  );
}

function labelOf({ lines }: Plot): string {
  const names = lines.slice(0, 5).map(({ name }) => name);
  const more = lines.length > names.length ? ` and ${lines.length - names.length} more` : '';
  return `Chart of ${names.join(', ')}${more}. Arrow keys read the values; the table has them too.`;
}
