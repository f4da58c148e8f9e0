// The state of the activity page: filters, bars and entries found so far. The address contains the filters, so a link
// can be shared.
import { batch, signal } from '@preact/signals';
import { regionNowMs } from '../region-clock.ts';
import { knownModels, type Models } from '../resources/page-urls.ts';
import { countEntries, type Entry, type Found, nothingFound, type Span, searchFurther } from './activity-api.ts';
import { around, fits, type Query, queryOf, rangeNamed, stepsOf, zoneOf } from './activity-model.ts';

export interface Step extends Span {
  count: number | undefined; // undefined: not counted yet
}

const bounds = { enough: 100, most: 5000 };

export class ActivityState {
  readonly query = signal<Query>(queryOf(new URLSearchParams()));
  readonly range = signal('day');
  readonly chosen = signal<Span | undefined>(undefined); // a bar, or the time around a moment
  readonly steps = signal<readonly Step[]>([]);
  readonly found = signal<Found | undefined>(undefined);
  readonly failure = signal<unknown>(undefined);
  readonly isBusy = signal(false);
  readonly models = signal<Models>([]);
  readonly #signal: AbortSignal;
  #span: Span = { from: 0, to: 0 };
  #turn = 0;

  constructor(search: string, aborted: AbortSignal) {
    this.#signal = aborted;
    const address = new URLSearchParams(search);
    this.query.value = queryOf(address);
    this.range.value = rangeNamed(address.get('range') ?? '').name;
    if (address.has('resource') && !address.has('range')) this.range.value = 'all';
    const at = Date.parse(address.get('at') ?? '');
    if (!Number.isNaN(at)) {
      this.chosen.value = around(at);
      if (regionNowMs() - at > 23 * 3_600_000) this.range.value = 'all';
    }
  }

  // Loads everything again, at the region's present time.
  async load(): Promise<void> {
    const nowMs = regionNowMs();
    const spans = stepsOf(rangeNamed(this.range.value), nowMs, zoneOf(nowMs));
    this.steps.value = spans.map((span) => ({ ...span, count: undefined }));
    await Promise.all([this.#count(spans), this.search()]);
  }

  async #count(spans: readonly Span[]): Promise<void> {
    try {
      const counts = await Promise.all(spans.map((span) => countEntries(span, this.#signal)));
      if (spans[0]?.from === this.steps.value[0]?.from)
        this.steps.value = spans.map((span, at) => ({ ...span, count: counts[at] }));
    } catch {
      // The search shows the same failure.
    }
  }

  async search(): Promise<void> {
    const { from, to } = this.chosen.value ?? { from: this.steps.value[0]?.from ?? 0, to: Number.POSITIVE_INFINITY };
    this.#span = { from, to: Math.min(to, regionNowMs() + 1000) };
    await this.#further(nothingFound);
  }

  further(): Promise<void> {
    return this.#further(this.found.value ?? nothingFound);
  }

  async #further(from: Found): Promise<void> {
    const turn = ++this.#turn;
    const query = this.query.value;
    this.isBusy.value = true;
    try {
      const [models, found] = await Promise.all([
        knownModels(),
        searchFurther(this.#span, (entry) => fits(entry, query), from, bounds, this.#signal),
      ]);
      if (turn === this.#turn)
        batch(() => {
          this.models.value = models;
          this.found.value = found;
          this.failure.value = undefined;
        });
    } catch (error) {
      if (turn === this.#turn && !this.#signal.aborted) this.failure.value = error;
    }
    if (turn === this.#turn) this.isBusy.value = false;
  }

  change(next: Partial<Query>): void {
    this.query.value = { ...this.query.value, ...next };
    void this.search();
  }

  setRange(name: string): void {
    this.range.value = name;
    this.chosen.value = undefined;
    void this.load();
  }

  choose(span: Span | undefined): void {
    this.chosen.value = span;
    void this.search();
  }

  // The entries of a step that match, among those read so far.
  fitting({ from, to }: Span): number {
    const isIn = ({ time }: Entry): boolean => Date.parse(time) >= from && Date.parse(time) < to;
    return (this.found.value?.entries ?? []).filter(isIn).length;
  }

  address(): string {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(this.query.value)) if (value !== '') query.set(name, value);
    query.set('range', this.range.value);
    return query.toString();
  }
}
