// The next number in a place, such as a LAN's in its datacenter. Memory hands them out, the state's unique key
// decides; after a restart it goes on behind the highest that is there.
import type { Store } from '../../core/store.ts';

const mostKnown = 10_000;

export class Ordinals {
  #store: Store;
  #last = new Map<string, Promise<{ value: number }>>();

  constructor(store: Store) {
    this.#store = store;
  }

  async next(contract: number, place: string): Promise<string> {
    const key = `${contract} ${place}`;
    if (this.#last.size > mostKnown) this.#last.clear();
    const known = this.#last.get(key) ?? this.#highest(contract, place);
    this.#last.set(key, known);
    const last = await known;
    // Where other nodes make some too, memory may be behind; who is second in a race comes again.
    if (!this.#store.engine.exclusive) last.value = Math.max(last.value, (await this.#highest(contract, place)).value);
    last.value += 1;
    return String(last.value);
  }

  async #highest(contract: number, place: string): Promise<{ value: number }> {
    const [row] = await this.#store.range({ contract, place, limit: 1, reverse: true });
    return { value: row ? Number(row.id) : 0 };
  }
}
