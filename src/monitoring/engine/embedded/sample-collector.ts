// Collects the samples of the series that a query selected, from blocks and arenas. Parts are added in the order of
// their pushes, so that for samples with the same time the last one wins.

import type { SeriesData } from '../../series.ts';
import type { BufferLease } from '../buffer-pool.ts';
import { firstAtOrAfter, sortByTime } from '../sample-order.ts';
import { BlockReader, type Directory } from './block/block.ts';
import { type Shape, shapes } from './block/value-coding.ts';
import type { ArenaView } from './head/arena.ts';
import { ArenaSlots, type SlotRange, slotsAtOnce } from './head/arena-slots.ts';
import { SharedTimes, widened } from './shared-times.ts';

export interface Part {
  directory: Directory;
  payload: Uint8Array;
  t0: number;
  t1: number;
}

export type Samples = Omit<SeriesData, 'labels'>;

// The times of a part, and the requested range of them.
interface Window {
  times: Float64Array;
  start: number;
  end: number;
}

const nothing = new Float64Array(0);

export class SampleCollector {
  readonly #ids: Uint32Array; // ascending
  readonly #fromMs: number;
  readonly #toMs: number;
  readonly #space: BufferLease;
  readonly #tracks: (SharedTimes | undefined)[];
  readonly #values: Float64Array[];
  readonly #counts: Uint32Array;
  readonly #numbersUpTo: Uint32Array;
  readonly #risingUpTo: Uint32Array;
  readonly #expected: Float64Array; // expected samples of each series
  readonly #disordered = new Set<number>(); // series whose times do not ascend within an arena
  readonly #branches = new Map<SharedTimes | undefined, SharedTimes>(); // the next times of series, in this window
  readonly #walk = new ArenaSlots();
  #scratch = nothing; // values of which only some are requested

  constructor(ids: Uint32Array, fromMs: number, toMs: number, space: BufferLease) {
    this.#ids = ids;
    this.#fromMs = fromMs;
    this.#toMs = toMs;
    this.#space = space;
    this.#tracks = new Array(ids.length).fill(undefined);
    this.#values = new Array(ids.length).fill(nothing);
    this.#counts = new Uint32Array(ids.length);
    this.#numbersUpTo = new Uint32Array(ids.length);
    this.#risingUpTo = new Uint32Array(ids.length);
    this.#expected = new Float64Array(ids.length);
  }

  // The estimated number of samples of all parts.
  get expected(): number {
    return this.#expected.reduce((sum, one) => sum + one, 0);
  }

  // Called when all parts are announced.
  begin(): void {
    this.#space.reserve(this.expected);
  }

  // Announces a part with an estimate of its samples, so that memory is reserved once. False: it has none of the
  // series.
  expect({ ids, counts }: Directory, t0: number, t1: number): boolean {
    const share = this.#share(t0, t1);
    let some = false;
    this.#forEach(ids, (at, place) => {
      this.#expected[at] = (this.#expected[at] as number) + Math.ceil((counts[place] as number) * share);
      some = true;
    });
    return some;
  }

  #share(t0: number, t1: number): number {
    const wanted = Math.min(t1, this.#toMs) - Math.max(t0, this.#fromMs);
    return t1 > t0 ? wanted / (t1 - t0) : 1;
  }

  expectArena({ span, counts }: ArenaView, slotOf: (id: number) => number): void {
    const share = this.#share(span[0] as number, span[1] as number);
    if (!(share > 0)) return;
    for (const [at, id] of this.#ids.entries()) {
      const slot = slotOf(id);
      if (slot >= 0) this.#expected[at] = (this.#expected[at] as number) + Math.ceil((counts[slot] as number) * share);
    }
  }

  // Both lists of ids must ascend.
  #forEach(ids: Uint32Array, each: (at: number, place: number) => void): void {
    const own = this.#ids;
    let at = lowerBound(own, ids[0] ?? 0, 0);
    for (let place = 0; place < ids.length && at < own.length; ) {
      const id = ids[place] as number;
      const wanted = own[at] as number;
      if (id === wanted) each(at++, place++);
      else if (id < wanted) place++;
      else at = lowerBound(own, id, at + 1);
    }
  }

  addBlock({ directory, payload, t0, t1 }: Part): void {
    using reader = new BlockReader(directory, payload);
    const isWithin = t0 >= this.#fromMs && t1 <= this.#toMs;
    let window: Window = { times: nothing, start: 0, end: 0 };
    let timesOf = -1;
    this.#forEach(directory.ids, (at, place) => {
      const count = directory.counts[place] as number;
      const times = reader.times(place);
      if (timesOf !== directory.timesAt[place]) {
        timesOf = directory.timesAt[place] as number;
        window = this.#windowOf(times, count, isWithin);
      }
      const { start, end } = window;
      if (start === end) return;
      let shape: Shape;
      if (end - start === count) shape = reader.values(place, this.#reserve(at, count), this.#counts[at] as number);
      else {
        this.#demandScratch(count);
        shape = reader.values(place, this.#scratch, 0);
        this.#reserve(at, end - start).set(this.#scratch.subarray(start, end), this.#counts[at]);
      }
      this.#note(at, end - start, shape);
      this.#advance(at, window);
    });
  }

  #windowOf(times: Float64Array, count: number, isWithin: boolean): Window {
    this.#branches.clear();
    const start = isWithin ? 0 : firstAtOrAfter(times, count, this.#fromMs);
    const end = isWithin ? count : firstAtOrAfter(times, count, this.#toMs + 1);
    return { times, start, end };
  }

  // `slotOf` finds the slot of a series in the arena by its id.
  addArena(arena: ArenaView, slotOf: (id: number) => number): void {
    const range = { fromMs: this.#fromMs, toMs: this.#toMs, upTo: arena.published };
    const slots = new Uint32Array(slotsAtOnce);
    const owners = new Uint32Array(slotsAtOnce);
    let count = 0;
    for (let at = 0; at < this.#ids.length; at++) {
      const slot = slotOf(this.#ids[at] as number);
      if (slot < 0 || (arena.newest[slot] as number) < this.#fromMs) continue;
      owners[count] = at;
      slots[count++] = slot;
      if (count < slotsAtOnce) continue;
      this.#addSlots(arena, slots, owners, range);
      count = 0;
    }
    if (count > 0) this.#addSlots(arena, slots.subarray(0, count), owners, range);
  }

  #addSlots(arena: ArenaView, slots: Uint32Array, owners: Uint32Array, range: SlotRange): void {
    const walk = this.#walk;
    walk.gather(arena, slots, range);
    const { times, values, starts, ends } = walk;
    let window: Window = { times, start: 0, end: 0 };
    for (let i = 0; i < slots.length; i++) {
      const at = owners[i] as number;
      const start = starts[i] as number;
      const end = ends[i] as number;
      if (start === end) continue;
      if (arena.disorder[slots[i] as number] === 1) this.#disordered.add(at);
      if (!isSame(times, window, start, end)) {
        this.#branches.clear();
        window = { times, start, end };
      }
      this.#reserve(at, end - start).set(values.subarray(start, end), this.#counts[at]);
      this.#advance(at, window);
    }
  }

  // The series has the values of that window, and therefore its times.
  #advance(at: number, { times, start, end }: Window): void {
    const count = this.#counts[at] as number;
    const length = count + end - start;
    const track = this.#tracks[at];
    let next = this.#branches.get(track);
    if (next?.length !== length) {
      const begun = track ?? new SharedTimes(Math.max(length, this.#expected[at] as number));
      next = begun.extend(count, times, start, end);
      this.#branches.set(track, next);
    }
    this.#tracks[at] = next;
    this.#counts[at] = length;
  }

  // Updates the shape of the values that were just appended.
  #note(at: number, more: number, shape: Shape): void {
    const count = this.#counts[at] as number;
    if (shape === shapes.any || this.#numbersUpTo[at] !== count) return;
    this.#numbersUpTo[at] = count + more;
    if (shape !== shapes.rising || this.#risingUpTo[at] !== count) return;
    const values = this.#values[at] as Float64Array;
    if (count === 0 || (values[count] as number) >= (values[count - 1] as number)) this.#risingUpTo[at] = count + more;
  }

  #demandScratch(count: number): void {
    if (this.#scratch.length < count) this.#scratch = new Float64Array(count * 2);
  }

  #reserve(at: number, more: number): Float64Array {
    const count = this.#counts[at] as number;
    let values = this.#values[at] as Float64Array;
    if (count + more <= values.length) return values;
    const size = values.length === 0 ? Math.max(more, this.#expected[at] as number) : Math.ceil((count + more) * 1.25);
    values = values.length === 0 ? this.#space.take(size) : widened(values, count, size);
    this.#values[at] = values;
    return values;
  }

  // Returns the samples of a series, or undefined.
  take(at: number): Samples | undefined {
    const count = this.#counts[at] as number;
    const track = this.#tracks[at];
    if (!track || count === 0) return undefined;
    const values = this.#values[at] as Float64Array;
    if (count > track.orderedUpTo || this.#disordered.has(at)) {
      const times = track.times.slice(0, count);
      const kept = sortByTime(times, values, count);
      return { times: times.subarray(0, kept), values: values.subarray(0, kept) };
    }
    return {
      times: track.upTo(count),
      values: count === values.length ? values : values.subarray(0, count),
      numbersUpTo: this.#numbersUpTo[at] as number,
      risingUpTo: this.#risingUpTo[at] as number,
    };
  }
}

function isSame(times: Float64Array, window: Window, start: number, end: number): boolean {
  if (window.end - window.start !== end - start) return false;
  for (let at = start, other = window.start; at < end; at++, other++) if (times[at] !== times[other]) return false;
  return true;
}

function lowerBound(ids: Uint32Array, id: number, from: number): number {
  let low = from;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as number) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
