// Sequence numbers within a collection, such as those of LANs in a datacenter: one above the highest number that exists
// or was handed out. The unique key of the row decides a race. A refused creation releases its number. A parent that
// was deleted and created again with the same id has another time, and starts again.
import type { Store } from '../../core/store.ts';

const maxCounters = 10_000;

interface Counter {
  since: number; // the time of the parent
  last: number;
  released: number[]; // below `last`, ascending
}

export class SequenceNumbers {
  #store: Store;
  #counters = new Map<string, Counter>();

  constructor(store: Store) {
    this.#store = store;
  }

  async next(contract: number, place: string, since: number): Promise<string> {
    const highest = await this.#highest(contract, place);
    const counter = this.#counterAt(contract, place);
    if (counter.since !== since) Object.assign(counter, { since, last: 0, released: [] });
    const released = counter.released.shift(); // if a client has used it in the meantime, the creation is decided again
    if (released !== undefined) return String(released);
    // Clients may choose numbers, and other nodes assign some; the loser of a race decides again.
    counter.last = Math.max(counter.last, highest) + 1;
    return String(counter.last);
  }

  release(contract: number, place: string, number: number): void {
    const { released, last } = this.#counterAt(contract, place);
    if (number > last || released.includes(number)) return;
    released.push(number);
    released.sort((one, other) => one - other);
  }

  #counterAt(contract: number, place: string): Counter {
    const key = `${contract} ${place}`;
    let counter = this.#counters.get(key);
    if (!counter) {
      if (this.#counters.size > maxCounters) this.#counters.clear();
      counter = { since: 0, last: 0, released: [] };
      this.#counters.set(key, counter);
    }
    return counter;
  }

  async #highest(contract: number, place: string): Promise<number> {
    const [row] = await this.#store.range({ contract, place, limit: 1, reverse: true });
    return row ? Number(row.id) : 0;
  }
}
