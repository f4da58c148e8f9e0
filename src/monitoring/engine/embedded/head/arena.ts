// Samples in memory shared by the writer and the readers: a fixed number in the order of arrival, each linked to the
// previous sample of its series. Readers see appended samples when the writer publishes the new count, not before. A
// flushed arena is reused under a new number; a reader detects that by the number and reads the blocks instead.

const controlBytes = 64;
const publishedAt = 0;
const slotsAt = 1;
const segmentAt = 2;
export const cellNumbers = 3;
const pageBits = 10;
const pageMask = (1 << pageBits) - 1;

// Each series with samples here has a slot.
export const slotsOf = (capacity: number): number => Math.max(1024, capacity >>> 2);

export interface ArenaShape {
  segment: number;
  capacity: number;
  memory: SharedArrayBuffer;
}

function arenaBytes(capacity: number): number {
  return controlBytes + capacity * cellNumbers * 8 + slotsOf(capacity) * 25;
}

// The memory that both sides share. Positions and slots are stored plus one, so that zero means none.
export class ArenaView {
  readonly shape: ArenaShape;
  readonly control: Int32Array;
  readonly span: Float64Array; // the oldest and the newest published time
  readonly cells: Float64Array; // time, value and previous position of each sample, adjacent for one memory access
  readonly newest: Float64Array; // newest time of each slot
  readonly series: Uint32Array;
  readonly tenants: Uint32Array;
  readonly latest: Uint32Array; // the last sample of each slot
  readonly counts: Uint32Array;
  readonly disorder: Uint8Array; // slots whose times do not ascend

  constructor(shape: ArenaShape) {
    const { memory, capacity } = shape;
    const slots = slotsOf(capacity);
    let at = controlBytes;
    const next = (bytes: number): number => {
      at += bytes;
      return at - bytes;
    };
    this.shape = shape;
    this.control = new Int32Array(memory, 0, 4);
    this.span = new Float64Array(memory, 16, 2);
    this.cells = new Float64Array(memory, next(capacity * cellNumbers * 8), capacity * cellNumbers);
    this.newest = new Float64Array(memory, next(slots * 8), slots);
    this.series = new Uint32Array(memory, next(slots * 4), slots);
    this.tenants = new Uint32Array(memory, next(slots * 4), slots);
    this.latest = new Uint32Array(memory, next(slots * 4), slots);
    this.counts = new Uint32Array(memory, next(slots * 4), slots);
    this.disorder = new Uint8Array(memory, next(slots), slots);
  }

  get isCurrent(): boolean {
    return Atomics.load(this.control, segmentAt) === this.shape.segment;
  }

  get published(): number {
    return Atomics.load(this.control, publishedAt);
  }

  get slots(): number {
    return Atomics.load(this.control, slotsAt);
  }

  // Returns the last published sample of a slot. A sample that is being appended may be visible only in part, so the
  // reader waits for it.
  begin(slot: number): number {
    const place = this.latest[slot] as number;
    for (let tries = 0; place > this.published && this.isCurrent && tries < 1000; tries++)
      Atomics.wait(this.control, publishedAt, this.published, 1);
    return place;
  }
}

// Slots by series id, in pages. A page without samples is not allocated, so ids of long removed series cost nothing.
type Pages = (Uint32Array | undefined)[];

export class Arena extends ArenaView {
  readonly #pages = new Map<number, Pages>(); // of each tenant
  #count = 0;
  #slots = 0;
  #oldest = Number.POSITIVE_INFINITY;
  #newest = Number.NEGATIVE_INFINITY;
  reserved = 0; // samples reserved by pending pushes
  reservedSlots = 0; // upper bound of their slots

  static create(segment: number, capacity: number, memory?: SharedArrayBuffer): Arena {
    const arena = new Arena({ segment, capacity, memory: memory ?? new SharedArrayBuffer(arenaBytes(capacity)) });
    arena.#begin();
    return arena;
  }

  // Changes the number first: from then on no reader trusts the content.
  #begin(): void {
    Atomics.store(this.control, segmentAt, this.shape.segment);
    Atomics.store(this.control, publishedAt, 0);
    Atomics.store(this.control, slotsAt, 0);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get isSettled(): boolean {
    return this.reserved === 0;
  }

  // Reserves space for this many samples of at most this many series.
  hasRoom(samples: number, series: number): boolean {
    const { capacity } = this.shape;
    if (this.#count + this.reserved + samples > capacity) return false;
    return this.#slots + this.reservedSlots + series <= slotsOf(capacity);
  }

  reserve(samples: number, series: number): void {
    this.reserved += samples;
    this.reservedSlots += series;
  }

  // Appends a sample that stays invisible until `publish`.
  append(
    tenant: number,
    columns: { ids: Uint32Array; times: Float64Array; values: Float64Array },
    from: number,
    to: number,
  ): void {
    const { cells, latest, counts, newest } = this;
    const pages = this.#pagesOf(tenant);
    let place = this.#count;
    for (let at = from; at < to; at++) {
      const id = columns.ids[at] as number;
      const time = columns.times[at] as number;
      const page = pages[id >>> pageBits] ?? newPage(pages, id >>> pageBits);
      let slot = (page[id & pageMask] as number) - 1;
      if (slot < 0) {
        slot = this.#newSlot(tenant, id);
        page[id & pageMask] = slot + 1;
      }
      const cell = place * cellNumbers;
      cells[cell] = time;
      cells[cell + 1] = columns.values[at] as number;
      cells[cell + 2] = latest[slot] as number;
      latest[slot] = ++place;
      counts[slot] = (counts[slot] as number) + 1;
      if (time > (newest[slot] as number)) newest[slot] = time;
      else this.disorder[slot] = 1;
      if (time > this.#newest) this.#newest = time;
      if (time < this.#oldest) this.#oldest = time;
    }
    this.#count = place;
  }

  publish(): void {
    this.span[0] = this.#oldest;
    this.span[1] = this.#newest;
    Atomics.store(this.control, slotsAt, this.#slots);
    Atomics.store(this.control, publishedAt, this.#count);
    Atomics.notify(this.control, publishedAt);
  }

  // The slots of all series, by tenant and id.
  sortedSlots(): Uint32Array {
    const count = this.#slots;
    const keys = new Float64Array(count);
    const slots = new Uint32Array(count);
    let isSorted = true; // usually true, because ids are assigned in the order of arrival
    for (let slot = 0; slot < count; slot++) {
      keys[slot] = (this.tenants[slot] as number) * 2 ** 32 + (this.series[slot] as number);
      slots[slot] = slot;
      if (slot > 0 && (keys[slot] as number) < (keys[slot - 1] as number)) isSorted = false;
    }
    if (isSorted) return slots;
    keys.sort();
    for (let at = 0; at < count; at++) {
      const key = keys[at] as number;
      slots[at] = this.#slotOf(Math.floor(key / 2 ** 32), key % 2 ** 32);
    }
    return slots;
  }

  has(tenant: number, id: number): boolean {
    return this.#slotOf(tenant, id) >= 0;
  }

  #slotOf(tenant: number, id: number): number {
    return (this.#pages.get(tenant)?.[id >>> pageBits]?.[id & pageMask] ?? 0) - 1;
  }

  #pagesOf(tenant: number): Pages {
    let pages = this.#pages.get(tenant);
    if (!pages) {
      pages = [];
      this.#pages.set(tenant, pages);
    }
    return pages;
  }

  #newSlot(tenant: number, id: number): number {
    const slot = this.#slots++;
    this.series[slot] = id;
    this.tenants[slot] = tenant;
    this.latest[slot] = 0;
    this.counts[slot] = 0;
    this.disorder[slot] = 0;
    this.newest[slot] = Number.NEGATIVE_INFINITY;
    return slot;
  }
}

function newPage(pages: Pages, at: number): Uint32Array {
  while (pages.length < at) pages.push(undefined); // an array with holes would be slow
  const page = new Uint32Array(1 << pageBits);
  pages[at] = page;
  return page;
}
