// The few things that were read last, for those who poll: kept while nothing of their contract changes. Few on purpose:
// what is read at random should cost the same whether there are a thousand or a million.
import { hashOf } from '../base/text-map.ts';

export type Epoch = number | string; // equal ones: nothing has changed between

interface Entry<T> {
  key: string;
  epoch: Epoch;
  value: T;
}

// By its hash a key belongs to one of a few groups, and takes the place of the one that came first there. A Map would
// make each key a name of the whole process (text-map.ts).
const groups = 16; // a power of two
const inEach = 4;

export class Recent<T> {
  #entries = new Array<Entry<T> | undefined>(groups * inEach).fill(undefined);
  #turns = new Uint8Array(groups);
  #asked = ''; // last, and where its group begins: who asks in vain comes back with the value
  #from = 0;

  get(key: string, epoch: Epoch): T | undefined {
    const from = this.#groupOf(key);
    for (let at = from; at < from + inEach; at++) {
      const found = this.#entries[at];
      if (found?.key === key) return found.epoch === epoch ? found.value : undefined;
    }
    return undefined;
  }

  // `epoch` is that from before the value was read: what was changed meanwhile is not found by it.
  keep(key: string, epoch: Epoch, value: T): void {
    const from = this.#groupOf(key);
    let at = from;
    while (at < from + inEach && this.#entries[at]?.key !== key) at++;
    if (at === from + inEach) {
      const turn = this.#turns[from / inEach] as number;
      this.#turns[from / inEach] = (turn + 1) % inEach;
      at = from + turn;
    }
    this.#entries[at] = { key, epoch, value };
  }

  #groupOf(key: string): number {
    if (key !== this.#asked) {
      this.#asked = key;
      this.#from = (hashOf(key) & (groups - 1)) * inEach;
    }
    return this.#from;
  }
}
