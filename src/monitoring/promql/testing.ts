// Series in memory behind the interface that PromQL reads through. It can contain placeholders for series that can't be
// stored here, and reports when a query needs one.
import type { MetricReader, Selection } from '../engine/engine.ts';
import { byLabels, compareLabels } from '../label-order.ts';
import type { Described, Labels, SeriesData } from '../series.ts';
import { labelOf } from './labels.ts';
import { matcherTest } from './matcher-test.ts';

export function labelsOf(labels: Record<string, string>): Labels {
  return Object.entries(labels)
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

const seriesOfPart = 2; // few, so that most queries have several parts

export class MemoryReader implements MetricReader {
  readonly #series = new Map<string, { labels: Labels; samples: Map<number, number> }>();
  readonly #foreign: { labels: Labels; reason: string }[] = [];
  readonly descriptions: Described[] = [];
  selections: Selection[] = [];
  met = new Set<string>(); // the reasons of requested placeholders

  add(labels: Labels, samples: Iterable<readonly [timeMs: number, value: number]>): void {
    const key = JSON.stringify(labels);
    const known = this.#series.get(key) ?? { labels, samples: new Map<number, number>() };
    this.#series.set(key, known);
    for (const [timeMs, value] of samples) known.samples.set(timeMs, value);
  }

  addForeign(labels: Labels, reason: string): void {
    this.#foreign.push({ labels, reason });
    this.#series.delete(JSON.stringify(labels));
  }

  clear(): void {
    this.#series.clear();
    this.#foreign.length = 0;
  }

  select(selection: Selection): Promise<SeriesData[]> {
    this.selections.push(selection);
    const { fromMs, toMs } = selection;
    const found: SeriesData[] = [];
    for (const { labels, samples } of this.#matching(selection)) {
      const inRange = [...samples].filter(([timeMs]) => timeMs >= fromMs && timeMs <= toMs).sort(([a], [b]) => a - b);
      if (inRange.length === 0) continue;
      const times = Float64Array.from(inRange, ([timeMs]) => timeMs);
      found.push({ labels, times, values: Float64Array.from(inRange, ([, value]) => value) });
    }
    return Promise.resolve(found.sort(byLabels));
  }

  async *parts(selection: Selection): AsyncGenerator<SeriesData[]> {
    const found = await this.select(selection);
    for (let from = 0; from < found.length; from += seriesOfPart) yield found.slice(from, from + seriesOfPart);
  }

  series(selections: readonly Selection[]): Promise<Labels[]> {
    const all = selections.flatMap((selection) => this.#matching(selection).map(({ labels }) => labels));
    return Promise.resolve([...new Set(all)].sort(compareLabels));
  }

  async names(selections: readonly Selection[]): Promise<string[]> {
    const all = await this.series(selections);
    return [...new Set(all.flatMap((labels) => labels.map(([name]) => name)))].sort();
  }

  async values(name: string, selections: readonly Selection[]): Promise<string[]> {
    const all = await this.series(selections);
    return [...new Set(all.map((labels) => labelOf(labels, name)))].filter((value) => value !== '').sort();
  }

  described(): Promise<Described[]> {
    return Promise.resolve(this.descriptions);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #matching({ matchers }: Selection): { labels: Labels; samples: Map<number, number> }[] {
    const tests = matchers.map((matcher) => ({ name: matcher.name, test: matcherTest(matcher) }));
    const fits = (labels: Labels): boolean => tests.every(({ name, test }) => test(labelOf(labels, name)));
    for (const { labels, reason } of this.#foreign) if (fits(labels)) this.met.add(reason);
    return [...this.#series.values()].filter(({ labels }) => fits(labels));
  }
}
