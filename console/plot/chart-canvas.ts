// Draws a chart with uPlot. The colours follow the theme of the page. The chart is recreated only when its lines or its
// unit change, so that the cursor stays.
import { effect } from '@preact/signals';
import type uPlot from 'uplot';
import { isDark } from '../theme.ts';
import type { Span } from '../time/time-range.ts';
import { browserZone, zone } from '../time/time-zone.ts';
import { axesOf, fromZero, isolated, valueRange } from './chart-axes.ts';
import { colours, type Plot } from './plot.ts';
import type { Unit } from './units.ts';

export interface Drawing {
  plot: Plot;
  unit: Unit;
  thresholds: readonly number[];
  hidden: ReadonlySet<string>; // names of lines
  isBars?: boolean; // stacked, the last line at the bottom; each bar starts at its time
}

export interface CanvasEvents {
  onZoom(span: Span): void;
  onCursor(at: number | undefined): void; // an index in the time grid
  onNear(line: number | undefined): void;
}

const dashes = [[], [7, 4], [2, 3]];
const minDragPx = 5;
const minWidth = 80;

let library: typeof uPlot | undefined;

// Must be called before the first chart is created.
export async function loadChartLibrary(): Promise<void> {
  library ??= (await import('uplot')).default;
}

export class ChartCanvas {
  readonly #place: HTMLElement;
  readonly #events: CanvasEvents;
  readonly #closing = new AbortController();
  #chart: uPlot | undefined;
  #drawing: Drawing | undefined;

  constructor(place: HTMLElement, events: CanvasEvents) {
    this.#place = place;
    this.#events = events;
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(place);
    const { signal } = this.#closing;
    signal.addEventListener('abort', () => observer.disconnect());
    const following = effect(() => {
      isDark.value;
      zone.value;
      this.#make();
    });
    signal.addEventListener('abort', following);
  }

  draw(drawing: Drawing): void {
    const isSame = this.#chart !== undefined && keyOf(this.#drawing) === keyOf(drawing);
    const isNew = this.#drawing?.plot !== drawing.plot || `${this.#drawing.thresholds}` !== `${drawing.thresholds}`;
    this.#drawing = drawing;
    if (!isSame) {
      this.#make();
      return;
    }
    if (isNew) this.#chart?.setData(dataOf(drawing));
    for (const [at, { name }] of drawing.plot.lines.entries()) {
      const show = !drawing.hidden.has(name);
      if (this.#chart?.series[at + 1]?.show !== show) this.#chart?.setSeries(at + 1, { show });
    }
  }

  highlight(line: number | undefined): void {
    this.#chart?.setSeries(line === undefined ? null : line + 1, { focus: true });
  }

  leave(): void {
    this.#chart?.setCursor({ left: -10, top: -10 });
  }

  // Moves the cursor by a key and returns its new index in the grid.
  onKey(event: KeyboardEvent): number | undefined {
    const [chart, plot] = [this.#chart, this.#drawing?.plot];
    if (!plot || !chart || event.altKey || event.ctrlKey || event.metaKey) return undefined;
    const last = plot.times.length - 1;
    const at = chart.cursor.idx ?? last + 1;
    const step = event.shiftKey ? Math.max(1, Math.round(last / 20)) : 1;
    const places: Record<string, number> = { ArrowLeft: at - step, ArrowRight: at + step, Home: 0, End: last };
    const place = places[event.key];
    if (place === undefined) return undefined;
    event.preventDefault();
    const wanted = Math.min(last, Math.max(0, place));
    chart.setCursor({ left: chart.valToPos(plot.times[wanted] ?? 0, 'x'), top: chart.over.clientHeight / 2 });
    return wanted;
  }

  close(): void {
    this.#closing.abort();
    this.#chart?.destroy();
    this.#chart = undefined;
  }

  #resize(): void {
    const { width, height } = sizeOf(this.#place);
    if (this.#chart && (this.#chart.width !== width || this.#chart.height !== height))
      this.#chart.setSize({ width, height });
  }

  #make(): void {
    if (!this.#drawing || !library || this.#closing.signal.aborted) return;
    this.#chart?.destroy();
    this.#chart = new library(this.#settings(library, this.#drawing), dataOf(this.#drawing), this.#place);
  }

  #settings(uplot: typeof uPlot, { plot, unit, hidden, isBars = false }: Drawing): uPlot.Options {
    const colourOf = (name: string): string => resolvedColour(this.#place, name);
    const { onCursor, onNear } = this.#events;
    return {
      ...sizeOf(this.#place),
      legend: { show: false },
      // Days begin at midnight of the chosen time zone.
      ...(zone.value !== browserZone && {
        tzDate: (atS: number) => uplot.tzDate(new Date(atS * 1000), zone.value),
      }),
      focus: { alpha: 0.25 },
      cursor: {
        drag: { x: true, y: false, setScale: false },
        focus: { prox: 30 },
        // All charts show the position of the mouse; dragging affects only one chart.
        sync: { key: 'monitoring', setSeries: false, filters: { pub: (type) => type.startsWith('mousemove') } },
      },
      scales: {
        x: { range: () => [this.#drawing?.plot.span.fromS ?? 0, this.#drawing?.plot.span.toS ?? 1] },
        y: { range: isBars ? fromZero : valueRange(uplot, () => this.#drawing?.thresholds ?? []) },
      },
      axes: axesOf(unit, colourOf),
      series: [
        {},
        ...plot.lines.map(({ name, colour: token }, at) => {
          const colour = colourOf(token ?? `--line-${at % colours}`);
          return { label: name, show: !hidden.has(name), ...(isBars ? barOf(uplot, colour) : lineOf(at, colour)) };
        }),
      ],
      hooks: {
        setCursor: [({ cursor }) => onCursor(cursor.idx ?? undefined)],
        setSeries: [(_, line) => onNear(line === null ? undefined : line - 1)],
        setSelect: [(chart) => this.#zoom(chart)],
        draw: [(chart) => this.#drawThresholds(chart, colourOf('--danger'))],
      },
    };
  }

  #zoom(chart: uPlot): void {
    const { left, width } = chart.select;
    if (width < minDragPx) return;
    const [fromS, toS] = [chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')];
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#events.onZoom({ fromS, toS });
  }

  #drawThresholds({ ctx, bbox, valToPos }: uPlot, colour: string): void {
    ctx.save();
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const threshold of this.#drawing?.thresholds ?? []) {
      const y = Math.round(valToPos(threshold, 'y', true));
      if (y < bbox.top || y > bbox.top + bbox.height) continue;
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  }
}

// A CSS variable may have different values in light and dark mode, so the computed style of an element is read.
function resolvedColour(place: HTMLElement, token: string): string {
  place.style.color = `var(${token})`;
  const { color } = getComputedStyle(place);
  place.style.color = '';
  return color;
}

const lineOf = (at: number, colour: string): Partial<uPlot.Series> => ({
  stroke: colour,
  width: 1.75,
  dash: dashes[Math.floor(at / colours) % dashes.length] ?? [],
  points: { size: 5, filter: isolated },
});

const barOf = ({ paths }: typeof uPlot, colour: string): Partial<uPlot.Series> => {
  const bars = paths.bars?.({ align: 1, size: [1, 40], gap: 1 });
  return { fill: colour, width: 0, points: { show: false }, ...(bars && { paths: bars }) };
};

const keyOf = (drawing: Drawing | undefined): string =>
  JSON.stringify([drawing?.unit, drawing?.plot.lines.map(({ name }) => name), drawing?.isBars]);

function dataOf({ plot: { times, lines }, isBars = false }: Drawing): uPlot.AlignedData {
  const values = lines.map((line) => line.values);
  return [times, ...(isBars ? stacked(values) : values)];
}

// Each line is the sum of itself and all following lines.
function stacked(lines: readonly (number | null)[][]): (number | null)[][] {
  const sums = lines.map((values) => [...values]);
  for (let at = sums.length - 2; at >= 0; at--)
    sums[at] = (sums[at] ?? []).map((value, bar) => (value ?? 0) + (sums[at + 1]?.[bar] ?? 0));
  return sums;
}

const sizeOf = (place: HTMLElement): { width: number; height: number } => ({
  width: Math.max(minWidth, place.clientWidth),
  height: place.clientHeight || 240,
});
