// One chart on a canvas. The mouse reads values, lifts the nearest line and zooms by dragging; arrow keys read values
// too. Colours are those of the page, light or dark, and follow it.
import type uPlot from 'uplot';
import { element } from '../dom.ts';
import { axesOf, isolated, valueRange } from './chart-axes.ts';
import type { Library } from './chart-library.ts';
import { colours, formatUnseen } from './legend.ts';
import type { Plot } from './plot.ts';
import type { Span } from './time-range.ts';
import type { Unit } from './units.ts';

export interface Look {
  unit: Unit;
  thresholds: readonly number[];
  hidden: ReadonlySet<string>; // names of lines
}

export interface ChartOptions {
  signal: AbortSignal; // ends it
  onZoom(span: Span): void;
  onCursor(at: number | undefined): void; // a place in the grid
  onNear(line: number | undefined): void;
}

const dashes = [[], [7, 4], [2, 3]];
const leastDragPx = 5;
const leastWidth = 200;

export class Chart {
  readonly view: HTMLElement;
  #library: Library;
  #options: ChartOptions;
  #place = element('div', { class: 'canvas' });
  #said = element('p', { class: 'unseen', 'aria-live': 'polite' });
  #chart: uPlot | undefined;
  #drawn: { plot: Plot; look: Look; key: string } | undefined;

  constructor(library: Library, options: ChartOptions) {
    this.#library = library;
    this.#options = options;
    this.view = element('div', {
      class: 'chart',
      role: 'img',
      tabindex: 0,
      keydown: (event) => this.#onKey(event as KeyboardEvent),
      blur: () => this.#chart?.setCursor({ left: -10, top: -10 }),
    });
    this.view.append(this.#place, this.#said);
    this.#follow();
  }

  draw(plot: Plot, look: Look): void {
    const key = JSON.stringify([look.unit, plot.lines.map(({ name }) => name)]);
    const isSame = this.#drawn?.key === key;
    this.#drawn = { plot, look, key };
    this.view.setAttribute('aria-label', labelOf(plot));
    if (!this.#chart || !isSame) {
      this.#make();
      return;
    }
    this.#chart.setData(dataOf(plot));
    this.#showHidden();
  }

  highlight(line: number | undefined): void {
    this.#chart?.setSeries(line === undefined ? null : line + 1, { focus: true });
  }

  setHidden(hidden: ReadonlySet<string>): void {
    if (this.#drawn) this.#drawn.look = { ...this.#drawn.look, hidden };
    this.#showHidden();
  }

  #follow(): void {
    const { signal } = this.#options;
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(this.#place);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', () => this.#make(), { signal });
    signal.addEventListener('abort', () => {
      observer.disconnect();
      this.#chart?.destroy();
      this.#chart = undefined;
    });
  }

  #resize(): void {
    const { width, height } = sizeOf(this.#place);
    if (this.#chart && (this.#chart.width !== width || this.#chart.height !== height))
      this.#chart.setSize({ width, height });
  }

  #showHidden(): void {
    const { plot, look } = this.#drawn ?? {};
    for (const [at, { name }] of (plot?.lines ?? []).entries()) {
      const show = !look?.hidden.has(name);
      if (this.#chart?.series[at + 1]?.show !== show) this.#chart?.setSeries(at + 1, { show });
    }
  }

  #make(): void {
    if (!this.#drawn || this.#options.signal.aborted) return;
    this.#chart?.destroy();
    this.#chart = new this.#library(this.#settings(this.#drawn), dataOf(this.#drawn.plot), this.#place);
  }

  #settings({ plot, look }: { plot: Plot; look: Look }): uPlot.Options {
    const style = getComputedStyle(this.view);
    const colourOf = (name: string): string => style.getPropertyValue(name).trim();
    const { onCursor, onNear } = this.#options;
    return {
      ...sizeOf(this.#place),
      legend: { show: false },
      focus: { alpha: 0.25 },
      cursor: {
        drag: { x: true, y: false, setScale: false },
        focus: { prox: 30 },
        // Where the mouse is shows in all charts; what it drags is one chart's own.
        sync: { key: 'monitoring', setSeries: false, filters: { pub: (type) => type.startsWith('mousemove') } },
      },
      scales: {
        x: { range: () => [this.#drawn?.plot.span.fromS ?? 0, this.#drawn?.plot.span.toS ?? 1] },
        y: { range: valueRange(this.#library, () => this.#drawn?.look.thresholds ?? []) },
      },
      axes: axesOf(look.unit, colourOf),
      series: [
        {},
        ...plot.lines.map(({ name }, at) => ({
          label: name,
          show: !look.hidden.has(name),
          stroke: colourOf(`--line-${at % colours}`),
          width: 1.75,
          dash: dashes[Math.floor(at / colours) % dashes.length] ?? [],
          points: { size: 5, filter: isolated },
        })),
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
    if (width < leastDragPx) return;
    const [fromS, toS] = [chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')];
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#options.onZoom({ fromS, toS });
  }

  #drawThresholds({ ctx, bbox, valToPos }: uPlot, colour: string): void {
    ctx.save();
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const threshold of this.#drawn?.look.thresholds ?? []) {
      const y = Math.round(valToPos(threshold, 'y', true));
      if (y < bbox.top || y > bbox.top + bbox.height) continue;
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  }

  #onKey(event: KeyboardEvent): void {
    const { plot, look } = this.#drawn ?? {};
    const chart = this.#chart;
    if (!plot || !look || !chart || event.altKey || event.ctrlKey || event.metaKey) return;
    const last = plot.times.length - 1;
    const at = chart.cursor.idx ?? last + 1;
    const far = Math.max(1, Math.round(last / 20)) * (event.shiftKey ? 1 : 0) || 1;
    const places: Record<string, number> = { ArrowLeft: at - far, ArrowRight: at + far, Home: 0, End: last };
    const place = places[event.key];
    if (place === undefined) return;
    event.preventDefault();
    const wanted = Math.min(last, Math.max(0, place));
    chart.setCursor({ left: chart.valToPos(plot.times[wanted] ?? 0, 'x'), top: chart.over.clientHeight / 2 });
    this.#said.textContent = formatUnseen(plot, wanted, look.unit);
  }
}

const dataOf = ({ times, lines }: Plot): uPlot.AlignedData => [times, ...lines.map(({ values }) => values)];

const sizeOf = (place: HTMLElement): { width: number; height: number } => ({
  width: Math.max(leastWidth, place.clientWidth),
  height: place.clientHeight || 240,
});

function labelOf({ lines }: Plot): string {
  const names = lines.slice(0, 5).map(({ name }) => name);
  const more = lines.length > names.length ? ` and ${lines.length - names.length} more` : '';
  return `Chart of ${names.join(', ')}${more}. Arrow keys read the values; the table has them too.`;
}
