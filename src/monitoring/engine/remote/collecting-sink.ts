// Collects a push as a list of series for forwarding. The usual limits apply; the series of a pipeline are counted as
// far as this process has seen them.
import type { Sink } from '../../push/sink.ts';
import type { Described, Labels } from '../../series.ts';
import type { Pushed, PushLimits } from '../engine.ts';
import { Rejections, refusalOf, shownLabels, tooMany } from '../rejections.ts';
import { isSortedByTime, sortByTime } from '../sample-order.ts';
import { isOurs } from './pipeline-label.ts';

export interface CollectedSeries {
  labels: Labels;
  times: number[];
  values: number[];
}

export class CollectingSink implements Sink {
  readonly #limits: PushLimits;
  readonly #seen: Set<string>; // series of the pipeline
  readonly #beside: number; // series of the account's other pipelines
  readonly #fresh = new Set<string>();
  readonly #series: CollectedSeries[] = [];
  readonly #handles = new Map<string, number>();
  readonly #rejections = new Rejections();
  readonly described: Described[] = [];
  #samples = 0;

  constructor(limits: PushLimits, seen: Set<string>, beside: number) {
    this.#limits = limits;
    this.#seen = seen;
    this.#beside = beside;
  }

  known(): number {
    return -1;
  }

  register(labels: Labels): number {
    const ours = labels.find(([name]) => isOurs(name));
    const why = ours ? `the label ${ours[0]} is reserved` : refusalOf(labels, this.#limits);
    if (why !== undefined) return this.#rejections.refuse(why);
    const key = JSON.stringify(labels);
    const handle = this.#handles.get(key);
    if (handle !== undefined) return handle;
    if (!this.#seen.has(key)) {
      const series = this.#seen.size + this.#fresh.size;
      const isOfAccount = series + this.#beside >= this.#limits.accountSeries;
      if (isOfAccount || series >= this.#limits.series)
        return this.#rejections.refuse(tooMany(labels, this.#limits, isOfAccount));
      this.#fresh.add(key);
    }
    const made = this.#series.push({ labels, times: [], values: [] }) - 1;
    this.#handles.set(key, made);
    return made;
  }

  sample(series: number, timeMs: number, value: number): void {
    if (series < 0) {
      this.#rejections.refusedSample(series);
      return;
    }
    const { labels, times, values } = this.#series[series] as CollectedSeries;
    if (!(timeMs >= this.#limits.oldestMs && timeMs <= this.#limits.newestMs)) {
      this.#rejections.outOfTime(timeMs, this.#limits, () => shownLabels(labels));
      return;
    }
    times.push(Math.floor(timeMs));
    values.push(value);
    this.#samples += 1;
  }

  describe(described: Described): void {
    this.described.push(described);
  }

  reject(count: number, why: string): void {
    this.#rejections.reject(count, why);
  }

  // Servers expect ascending times without duplicates.
  series(): CollectedSeries[] {
    return this.#series.filter(({ times }) => times.length > 0).map(ordered);
  }

  kept(): Pushed {
    for (const [key, handle] of this.#handles) if (this.#series[handle]?.times.length) this.#seen.add(key);
    return this.#rejections.outcome(this.#samples);
  }

  // The server refused the push.
  refused(why: string): Pushed {
    if (this.#samples > 0) this.#rejections.reject(this.#samples, why);
    return this.#rejections.outcome(0);
  }
}

function ordered(series: CollectedSeries): CollectedSeries {
  const times = Float64Array.from(series.times);
  if (isSortedByTime(times, times.length)) return series;
  const values = Float64Array.from(series.values);
  const count = sortByTime(times, values, times.length);
  return { labels: series.labels, times: [...times.subarray(0, count)], values: [...values.subarray(0, count)] };
}
