// A plot with its legend: asks its source for what a time range has, and draws it as a chart or as a table. What could
// not be had is told in its place.
import { sentencesOf } from '../api.ts';
import { button, element, fill } from '../dom.ts';
import { askRange, type Told } from './asking.ts';
import { Chart } from './chart.ts';
import { chartLibrary } from './chart-library.ts';
import type { PanelSettings } from './dashboard-store.ts';
import { plainProblem, type Query } from './expression.ts';
import { type Legend, legend } from './legend.ts';
import { type Answered, mostLines, type Plot, plotOf, type SeriesAnswer } from './plot.ts';
import type { Source } from './sources.ts';
import { type Span, spanText, stepOf } from './time-range.ts';
import { type Unit, unitOf } from './units.ts';

export type Problems = ReadonlyMap<number, unknown>; // by the number of the query

export interface PanelOptions {
  signal: AbortSignal;
  sourceOf(id: string): Source | undefined;
  thresholdsOf(source: string, expression: string): readonly number[];
  onZoom(span: Span): void;
  onProblems?(problems: Problems): void; // who shows them elsewhere
  onView?(isTable: boolean): void;
}

export class Panel {
  readonly view: HTMLElement;
  #options: PanelOptions;
  #settings: PanelSettings;
  #place = element('div', { class: 'plotted' });
  #notes = element('div', { class: 'notes' });
  #toggle = button('As table', () => this.#turn(), { look: 'plain' });
  #hidden = new Set<string>();
  #chart: Chart | undefined;
  #legend: Legend | undefined;
  #plot: Plot | undefined;
  #asking = new AbortController();

  constructor(settings: PanelSettings, options: PanelOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#toggle.classList.add('view');
    this.view = element('div', { class: 'plot' }, this.#place, this.#notes);
    fill(this.#place, element('p', { class: 'blank' }, 'Nothing asked yet.'));
  }

  // Where the page puts it: beside the title, or below the chart.
  get toggle(): HTMLElement {
    return this.#toggle;
  }

  set settings(settings: PanelSettings) {
    this.#settings = settings;
  }

  async refresh(span: Span): Promise<void> {
    this.#asking.abort();
    this.#asking = new AbortController();
    const turn = this.#asking.signal;
    const signal = AbortSignal.any([turn, this.#options.signal]);
    const source = this.#options.sourceOf(this.#settings.source);
    if (!source) return this.#fail(['The pipeline of this panel is gone.']);
    const { queries } = this.#settings;
    const stepS = stepOf(span, this.#place.clientWidth || 600);
    this.view.setAttribute('aria-busy', 'true');
    const [library, ...settled] = await Promise.all([
      chartLibrary(),
      ...queries.map(({ expression }) => settledOf(askRange(source, expression, span, stepS, signal))),
    ]);
    if (signal.aborted) return;
    this.view.removeAttribute('aria-busy');
    this.#chart ??= new Chart(library, {
      signal: this.#options.signal,
      onZoom: this.#options.onZoom,
      onCursor: (at) => this.#legend?.follow(at),
      onNear: (line) => this.#legend?.mark(line),
    });
    this.#show(span, stepS, queries, settled);
  }

  #show(span: Span, stepS: number, queries: readonly Query[], settled: readonly Settled[]): void {
    const answers: Answered[] = [];
    const problems = new Map<number, unknown>();
    for (const [at, query] of queries.entries()) {
      const { told, problem } = settled[at] as Settled;
      if (told) answers.push({ query, series: told.data });
      else problems.set(at, problem);
    }
    this.#options.onProblems?.(problems);
    this.#plot = plotOf(span, stepS, answers);
    const told = this.#options.onProblems ? [] : [...problems.values()].flatMap(sentencesOf).map(plainProblem);
    const notes = settled.flatMap((one) => one.told?.notes ?? []).map(withoutPlace);
    const cut = this.#plot.isCut ? [`There are more than ${mostLines} series: these are the first of them.`] : [];
    fill(
      this.#notes,
      told.map((text) => element('p', { class: 'problem', role: 'alert' }, text)),
      [...cut, ...new Set(notes)].map((text) => element('p', { class: 'note' }, text)),
    );
    this.#draw(problems.size === queries.length);
  }

  #draw(isFailed = false): void {
    const plot = this.#plot;
    if (!plot || !this.#chart) return;
    const { isTable } = this.#settings;
    this.#toggle.textContent = isTable ? 'As chart' : 'As table';
    if (plot.lines.length === 0) {
      const text = isFailed ? 'There is no answer.' : `Nothing was measured from ${spanText(plot.span)}.`;
      fill(this.#place, element('p', { class: 'blank' }, text));
      return;
    }
    const unit = this.unit;
    this.#legend = legend(plot, unit, {
      isTable,
      hidden: this.#hidden,
      onLook: (line) => this.#chart?.highlight(line),
      onHide: () => this.#chart?.setHidden(this.#hidden),
    });
    if (isTable) {
      fill(this.#place, this.#legend.view);
      return;
    }
    const { source, queries } = this.#settings;
    const thresholds = queries.flatMap(({ expression }) => this.#options.thresholdsOf(source, expression));
    if (this.#chart.view.parentElement !== this.#place) fill(this.#place, this.#chart.view, this.#legend.view);
    else fillKeepingFocus(this.#place, this.#chart.view, this.#legend.view);
    this.#chart.draw(plot, { unit, thresholds, hidden: this.#hidden });
  }

  #turn(): void {
    const isTable = !this.#settings.isTable;
    this.#settings = { ...this.#settings, isTable };
    this.#draw();
    this.#options.onView?.(isTable);
  }

  #fail(sentences: readonly string[]): void {
    fill(this.#notes);
    fill(
      this.#place,
      sentences.map((text) => element('p', { class: 'blank', role: 'alert' }, text)),
    );
  }

  get unit(): Unit {
    const { unit, queries } = this.#settings;
    if (unit !== 'auto') return unit;
    const found = new Set(queries.map(({ expression }) => unitOf(expression)));
    const [only = 'number'] = found;
    return found.size === 1 ? only : 'number';
  }
}

// The chart stays where it is, so neither the focus on it nor the cursor is lost; a focused line is found again.
function fillKeepingFocus(place: HTMLElement, chart: HTMLElement, below: HTMLElement): void {
  const focused = place.contains(document.activeElement) ? document.activeElement : null;
  const name = focused instanceof HTMLButtonElement ? focused.title : undefined;
  const scrolled = place.querySelector('.legend')?.scrollTop ?? 0;
  for (const child of [...place.children]) if (child !== chart) child.remove();
  place.append(below);
  below.scrollTop = scrolled;
  if (name !== undefined) [...below.querySelectorAll('button')].find(({ title }) => title === name)?.focus();
}

// Where in its expression it is meant, which the same note of another one has elsewhere.
const withoutPlace = (note: string): string => note.replace(/ \(\d+:\d+\)$/, '');

interface Settled {
  told?: Told<SeriesAnswer[]>;
  problem?: unknown;
}

const settledOf = (asked: Promise<Told<SeriesAnswer[]>>): Promise<Settled> =>
  asked.then(
    (told) => ({ told }),
    (problem: unknown) => ({ problem }),
  );
