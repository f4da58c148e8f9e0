// Reads the samples of several slots of an arena, in the order of arrival. All slots are followed backwards at once,
// one sample of each at a time: series that are pushed together are adjacent in the arena, so memory is read
// sequentially instead of once for each series.
import { type ArenaView, cellNumbers } from './arena.ts';

export const slotsAtOnce = 128;

export interface SlotRange {
  fromMs: number;
  toMs: number;
  upTo: number; // the last position
}

export class ArenaSlots {
  times = new Float64Array(1 << 12);
  values = new Float64Array(1 << 12);
  readonly starts = new Uint32Array(slotsAtOnce); // start of a slot's samples in both arrays
  readonly ends = new Uint32Array(slotsAtOnce);
  readonly #firsts = new Uint32Array(slotsAtOnce); // start of its space
  readonly #places = new Uint32Array(slotsAtOnce);
  readonly #live = new Uint32Array(slotsAtOnce);

  gather(arena: ArenaView, slots: Uint32Array, range: SlotRange): void {
    let total = 0;
    let live = 0;
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at] as number;
      const place = arena.begin(slot);
      this.#firsts[at] = total;
      total += arena.counts[slot] as number;
      this.starts[at] = this.ends[at] = total;
      this.#places[at] = place;
      if (place > 0) this.#live[live++] = at;
    }
    if (this.times.length < total) {
      this.times = new Float64Array(total + (total >>> 1));
      this.values = new Float64Array(total + (total >>> 1));
    }
    while (live > 0) live = this.#step(arena, slots, live, range);
  }

  // While times ascend, a slot ends at the first sample that is too old.
  #step({ cells, disorder }: ArenaView, slots: Uint32Array, live: number, { fromMs, toMs, upTo }: SlotRange): number {
    const { times, values, starts } = this;
    const [firsts, places, lives] = [this.#firsts, this.#places, this.#live];
    let left = 0;
    for (let i = 0; i < live; i++) {
      const at = lives[i] as number;
      const place = places[at] as number;
      const cell = (place - 1) * cellNumbers;
      const time = cells[cell] as number;
      const before = (cells[cell + 2] as number) | 0;
      if (time < fromMs && disorder[slots[at] as number] === 0) continue;
      if (time >= fromMs && time <= toMs && place <= upTo) {
        const start = (starts[at] as number) - 1;
        if (start < (firsts[at] as number)) continue; // the arena was reused in the meantime
        times[start] = time;
        values[start] = cells[cell + 1] as number;
        starts[at] = start;
      }
      places[at] = before;
      if (before > 0 && before < place) lives[left++] = at;
    }
    return left;
  }
}
