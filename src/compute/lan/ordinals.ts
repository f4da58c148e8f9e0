// The next number in a place, such as a LAN's in its datacenter. Memory hands them out, the state's unique key
// decides; after a restart it goes on behind the highest that is there. What was refused gives its number back.
import type { Store } from '../../core/store.ts';

const mostKnown = 10_000;

interface Known {
  last: number;
  spared: number[]; // below it, in order
}

export class Ordinals {
  #store: Store;
  #known = new Map<string, Promise<Known>>();

  constructor(store: Store) {
    this.#store = store;
  }

  async next(contract: number, place: string): Promise<string> {
    const key = `${contract} ${place}`;
    if (this.#known.size > mostKnown) this.#known.clear();
    const found = this.#known.get(key) ?? this.#load(contract, place);
    this.#known.set(key, found);
    const known = await found;
    const spared = known.spared.shift(); // somebody else may have named it meanwhile; then it comes again for another
    if (spared !== undefined) return String(spared);
    // Where other nodes make some too, memory may be behind; who is second in a race comes again.
    if (!this.#store.engine.exclusive) known.last = Math.max(known.last, await this.#highest(contract, place));
    known.last += 1;
    return String(known.last);
  }

  spare(contract: number, place: string, number: number): void {
    void this.#known.get(`${contract} ${place}`)?.then(({ spared, last }) => {
      if (number > last || spared.includes(number)) return;
      spared.push(number);
      spared.sort((one, other) => one - other);
    });
  }

  async #load(contract: number, place: string): Promise<Known> {
    return { last: await this.#highest(contract, place), spared: [] };
  }

  async #highest(contract: number, place: string): Promise<number> {
    const [row] = await this.#store.range({ contract, place, limit: 1, reverse: true });
    return row ? Number(row.id) : 0;
  }
}
