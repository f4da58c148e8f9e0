// The decoded pushes of one append: samples in columns, in the order of arrival. An unreadable push leaves nothing here
// and nothing staged.

import { UnreadablePush } from '../../../core/push/push-body.ts';
import type { Push, Sink } from '../../push/sink.ts';
import type { Described, Labels } from '../../series.ts';
import type { Pushed, PushJob, PushLimits } from '../engine.ts';
import { Rejections } from '../rejections.ts';
import type { SeriesRegistry, Tenant } from './series/registry.ts';

export type Decode = (push: Push, sink: Sink) => void;

export interface Taken {
  tenant: Tenant;
  push: Push;
  limits: PushLimits;
  from: number; // its samples
  to: number;
}

export class Batch implements Sink {
  readonly #book: SeriesRegistry;
  readonly #decode: Decode;
  ids = new Uint32Array(1 << 14);
  times = new Float64Array(1 << 14);
  values = new Float64Array(1 << 14);
  count = 0;
  runs = 0; // an upper bound for the number of series
  taken: Taken[] = [];

  #tenant: Tenant | undefined;
  #limits: PushLimits | undefined;
  #oldest = 0;
  #newest = 0;
  #lastId = 0;
  #rejections = new Rejections();

  constructor(book: SeriesRegistry, decode: Decode) {
    this.#book = book;
    this.#decode = decode;
  }

  clear(): void {
    this.count = 0;
    this.runs = 0;
    this.taken = [];
  }

  // Returns the result of a push, known so far, before the sync.
  add(tenant: Tenant, { push, limits }: Pick<PushJob, 'push' | 'limits'>): Pushed {
    const stage = this.#book.mark();
    const from = this.count;
    const runs = this.runs;
    this.#begin(tenant, limits);
    try {
      this.#decode(push, this);
    } catch (error) {
      this.count = from;
      this.runs = runs;
      this.#book.undo(stage);
      if (!(error instanceof UnreadablePush)) throw error;
      const kind = error.tooLarge ? 'oversized' : 'unreadable';
      return { samples: 0, rejected: 0, reasons: [], fault: { kind, message: error.message } };
    }
    const samples = this.count - from;
    if (samples > 0) this.taken.push({ tenant, push, limits, from, to: this.count });
    else this.#book.undoSeries(stage); // none of them has a sample
    return this.#rejections.outcome(samples);
  }

  #begin(tenant: Tenant, limits: PushLimits): void {
    this.#book.begin();
    this.#tenant = tenant;
    this.#limits = limits;
    this.#oldest = limits.oldestMs;
    this.#newest = limits.newestMs;
    this.#lastId = 0;
    this.#rejections = new Rejections();
  }

  known(bytes: Uint8Array, from: number, to: number): number {
    return this.#book.known(this.#tenant as Tenant, bytes, from, to) || -1;
  }

  register(labels: Labels, bytes?: Uint8Array, from?: number, to?: number): number {
    const found = this.#book.register(this.#tenant as Tenant, labels, this.#limits as PushLimits, bytes, from, to);
    return typeof found === 'number' ? found : this.#rejections.refuse(found);
  }

  sample(series: number, timeMs: number, value: number): void {
    if (series < 0) {
      this.#rejections.refusedSample(series);
      return;
    }
    if (!(timeMs >= this.#oldest && timeMs <= this.#newest)) {
      const tenant = this.#tenant as Tenant;
      this.#rejections.outOfTime(timeMs, this.#limits as PushLimits, () => this.#book.shown(tenant, series));
      return;
    }
    const at = this.count;
    if (at === this.ids.length) this.#grow();
    this.ids[at] = series;
    this.times[at] = Math.floor(timeMs);
    this.values[at] = value;
    this.count = at + 1;
    if (series !== this.#lastId) {
      this.#lastId = series;
      this.runs += 1;
    }
  }

  describe(described: Described): void {
    this.#book.describe(this.#tenant as Tenant, described);
  }

  reject(count: number, why: string): void {
    this.#rejections.reject(count, why);
  }

  #grow(): void {
    const size = this.ids.length * 2;
    const { ids, times, values } = this;
    this.ids = new Uint32Array(size);
    this.times = new Float64Array(size);
    this.values = new Float64Array(size);
    this.ids.set(ids);
    this.times.set(times);
    this.values.set(values);
  }
}
