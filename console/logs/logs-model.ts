// The state of a log search: source, search, time, answers, and whether new lines are followed. The address contains
// everything that is needed to restore it.
import { batch, effect, type Signal, signal } from '@preact/signals';
import { isAborted } from '../api.ts';
import { regionFacts } from '../session.ts';
import { addressed, isFollowing, rangeIn, usualRange } from '../time/time-range.ts';
import { TimeSelection } from '../time/time-selection.ts';
import { FieldsModel } from './fields/fields-model.ts';
import { type Histogram, histogramOf } from './histogram/histogram-plot.ts';
import { levelCounts, levelFieldOf } from './lines/level.ts';
import { LinesModel } from './lines/lines-model.ts';
import { askCounts, hasLines } from './loki.ts';
import type { Filter } from './query/filter.ts';
import { logqlOf, type Search, searchAddress, searchIn, withFilter } from './query/search.ts';
import type { LogSource, LogSources } from './sources.ts';
import { type SubmittedSearch, wholeSteps } from './submitted-search.ts';

const followMs = 2000;
const roundsPerCount = 5; // the bars are counted less often

export interface LogsOptions {
  sources: LogSources;
  first: LogSource;
  signal: AbortSignal;
}

export class LogsModel {
  readonly sources: LogSources;
  readonly source: Signal<LogSource>;
  readonly search: Signal<Search>;
  readonly time: TimeSelection;
  readonly lines = new LinesModel();
  readonly fields: FieldsModel;
  readonly submitted = signal<SubmittedSearch | undefined>(undefined);
  readonly histogram = signal<Histogram | undefined>(undefined);
  readonly countFailure = signal<unknown>(undefined);
  readonly isUnused = signal(false); // the source has no lines at all
  readonly isLive = signal(false);
  readonly doesWrap: Signal<boolean>;
  readonly isRaw: Signal<boolean>; // unformatted lines
  widthPx = 1000; // of the bars
  readonly #signal: AbortSignal;
  #following: AbortController | undefined;
  #turn = 0;

  constructor({ sources, first, signal: ending }: LogsOptions) {
    const address = new URLSearchParams(location.search);
    this.sources = sources;
    this.source = signal(first);
    this.search = signal(searchIn(address));
    this.time = new TimeSelection(rangeIn(address) ?? usualRange, () => this.refresh());
    this.doesWrap = signal(address.has('wrap'));
    this.isRaw = signal(address.has('raw'));
    this.fields = new FieldsModel(ending);
    this.#signal = ending;
    const telling = effect(() => this.#tellAddress());
    ending.addEventListener('abort', () => {
      telling();
      this.lines.close();
    });
  }

  choose(id: string): void {
    const source = this.sources.all.find((one) => one.id === id);
    if (!source) return;
    this.source.value = source;
    this.refresh();
  }

  change(search: Search): void {
    this.search.value = search;
    this.refresh();
  }

  filter(filter: Filter): void {
    this.change(withFilter(this.search.value, filter));
  }

  // Failures are shown in place of the failed part.
  refresh(): void {
    const turn = ++this.#turn;
    this.#update(turn).catch((error: unknown) => {
      if (turn !== this.#turn || isAborted(error) || this.#signal.aborted) return;
      batch(() => {
        this.lines.isWaiting.value = false;
        this.lines.failure.value = error;
      });
    });
  }

  // Adds new lines while the page is visible.
  async follow(): Promise<void> {
    if (!isFollowing(this.time.range.value)) this.time.select(usualRange);
    const following = new AbortController();
    this.#following = following;
    this.isLive.value = true;
    try {
      for (let round = 1; !following.signal.aborted && !this.#signal.aborted; round++) {
        await pause(followMs, AbortSignal.any([following.signal, this.#signal]));
        if (!document.hidden && !following.signal.aborted && !this.#signal.aborted) await this.#round(round);
      }
    } finally {
      if (this.#following === following) this.isLive.value = false; // also after a failure, which is shown
    }
  }

  pause(): void {
    this.#following?.abort();
    this.isLive.value = false;
  }

  // A link with absolute times, which shows the same lines later.
  link(contract: number): string {
    const address = new URLSearchParams({ contract: String(contract), ...this.#address() });
    const { fromS, toS } = this.submitted.value?.span ?? this.time.span;
    for (const name of ['range', 'from', 'to']) address.delete(name);
    for (const [name, value] of searchAddress(this.search.value)) address.append(name, value);
    for (const [name, value] of Object.entries(addressed({ fromS, toS }))) address.set(name, value);
    return `${location.origin}${location.pathname}?${address}`;
  }

  async #round(round: number): Promise<void> {
    const nowS = await this.#now();
    const count = await this.lines.loadNewer(nowS);
    const submitted = this.submitted.value;
    if (count > 0) this.isUnused.value = false;
    const isFirst = count > 0 && this.lines.lines.value.length === count;
    if (submitted && (isFirst || round % roundsPerCount === 0))
      await this.#count(this.#question(nowS, submitted.query));
  }

  async #update(turn: number): Promise<void> {
    const nowS = await this.#now();
    if (turn !== this.#turn || this.#signal.aborted) return;
    this.time.nowS = nowS;
    const submitted = this.#question(nowS, logqlOf(this.search.value));
    const isCurrent = (): boolean => turn === this.#turn && !this.#signal.aborted;
    const isLoaded = await this.lines.load(submitted);
    if (!isCurrent()) return;
    this.submitted.value = submitted;
    if (!isLoaded || this.lines.series.value) {
      this.histogram.value = undefined;
      return;
    }
    const isUnused = this.lines.lines.value.length === 0 && !(await hasLines(submitted.source, nowS, this.#signal));
    if (!isCurrent()) return;
    this.isUnused.value = isUnused;
    if (!isUnused) await Promise.all([this.#count(submitted), this.fields.load(submitted)]);
  }

  #question(nowS: number, query: string): SubmittedSearch {
    this.time.nowS = nowS;
    const following = isFollowing(this.time.range.value);
    return { source: this.source.value, query, ...wholeSteps(this.time.span, this.widthPx), isFollowing: following };
  }

  async #count(submitted: SubmittedSearch): Promise<void> {
    const turn = this.#turn;
    const field = levelFieldOf(this.lines.lines.value);
    try {
      const series = await askCounts(
        submitted.source,
        levelCounts(submitted.query, field, submitted.stepS),
        submitted.span,
        submitted.stepS,
        this.#signal,
      );
      if (turn !== this.#turn) return;
      batch(() => {
        this.histogram.value = histogramOf(submitted, field, series);
        this.countFailure.value = undefined;
      });
    } catch (error) {
      if (turn !== this.#turn || isAborted(error)) return;
      batch(() => {
        this.histogram.value = undefined;
        this.countFailure.value = error;
      });
    }
  }

  async #now(): Promise<number> {
    const { clock } = await regionFacts();
    return Date.parse(clock.now) / 1000;
  }

  #address(): Record<string, string> {
    return {
      pipeline: this.source.value.id,
      ...addressed(this.time.range.value),
      ...(this.doesWrap.value && { wrap: '1' }),
      ...(this.isRaw.value && { raw: '1' }),
    };
  }

  #tellAddress(): void {
    const address = new URLSearchParams(this.#address());
    for (const [name, value] of searchAddress(this.search.value)) address.append(name, value);
    history.replaceState(history.state, '', `${location.pathname}?${address}`);
  }
}

function pause(ms: number, ending: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  ending.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
