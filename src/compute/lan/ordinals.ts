// The next number in a place, such as a LAN's in its datacenter: behind the highest that is there, or that was given to
// somebody. The state's unique key decides. What was refused gives its number back.
import type { Store } from '../../core/store.ts';

const mostKnown = 10_000;

interface Known {
  last: number;
  spared: number[]; // below it, in order
}

export class Ordinals {
  #store: Store;
  #known = new Map<string, Known>();

  constructor(store: Store) {
    this.#store = store;
  }

  async next(contract: number, place: string): Promise<string> {
    const highest = await this.#highest(contract, place);
    const known = this.#knownAt(contract, place);
    const spared = known.spared.shift(); // somebody else may have named it meanwhile; then it comes again for another
    if (spared !== undefined) return String(spared);
    // Others name numbers of their own, and so do other nodes; who is second in a race comes again.
    known.last = Math.max(known.last, highest) + 1;
    return String(known.last);
  }

  spare(contract: number, place: string, number: number): void {
    const { spared, last } = this.#knownAt(contract, place);
    if (number > last || spared.includes(number)) return;
    spared.push(number);
    spared.sort((one, other) => one - other);
  }

  #knownAt(contract: number, place: string): Known {
    const key = `${contract} ${place}`;
    let known = this.#known.get(key);
    if (!known) {
      if (this.#known.size > mostKnown) this.#known.clear();
      known = { last: 0, spared: [] };
      this.#known.set(key, known);
    }
    return known;
  }

  async #highest(contract: number, place: string): Promise<number> {
    const [row] = await this.#store.range({ contract, place, limit: 1, reverse: true });
    return row ? Number(row.id) : 0;
  }
}
