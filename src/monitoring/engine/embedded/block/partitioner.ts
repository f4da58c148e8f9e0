// Builds blocks of series that arrive ordered by tenant and id: it splits them at the bounds of bands and days, and
// where a block becomes too large to be read as a whole.

import { firstAtOrAfter } from '../../sample-order.ts';
import { type Block, BlockBuilder } from './block.ts';
import { type BlockRow, bandOf, dayOf } from './rows.ts';

const mostBytes = 256 * 1024; // of a payload before it is compressed
const dayMs = 86_400_000;

export class BlockPartitioner {
  readonly #segment: number;
  readonly #level: number;
  readonly #builders = new Map<number, BlockBuilder>(); // by day
  readonly #idle: BlockBuilder[] = [];
  #tenant = 0;
  #band = -1;
  #rows: BlockRow[] = [];

  constructor(segment: number, level: number) {
    this.#segment = segment;
    this.#level = level;
  }

  add(tenant: number, id: number, times: Float64Array, values: Float64Array, count: number): void {
    if (tenant !== this.#tenant || bandOf(id) !== this.#band) {
      this.#end();
      this.#tenant = tenant;
      this.#band = bandOf(id);
    }
    const lastDay = dayOf(times[count - 1] as number);
    for (let from = 0; from < count; ) {
      const day = dayOf(times[from] as number);
      const rest = times.subarray(from, count);
      const length = day === lastDay ? count - from : firstAtOrAfter(rest, rest.length, (day + 1) * dayMs);
      this.#addTo(day, id, rest, values.subarray(from, count), length);
      from += length;
    }
  }

  // Returns the complete blocks; with `all`, the rest too.
  take(all = false): BlockRow[] {
    if (all) this.#end();
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  get samples(): number {
    return this.#rows.reduce((sum, { samples }) => sum + samples, 0);
  }

  #addTo(day: number, id: number, times: Float64Array, values: Float64Array, count: number): void {
    let builder = this.#builders.get(day);
    if (!builder) {
      builder = this.#idle.pop() ?? new BlockBuilder();
      this.#builders.set(day, builder);
    }
    builder.add(id, times, values, count);
    if (builder.bytes >= mostBytes) this.#finish(day, builder);
  }

  #finish(day: number, builder: BlockBuilder): void {
    const block: Block = builder.finish();
    const place = { tenant: this.#tenant, band: this.#band, day, level: this.#level, segment: this.#segment };
    this.#rows.push({ ...block, ...place });
  }

  #end(): void {
    for (const [day, builder] of this.#builders) {
      if (builder.samples > 0) this.#finish(day, builder);
      if (this.#idle.length < 4) this.#idle.push(builder);
    }
    this.#builders.clear();
  }
}
