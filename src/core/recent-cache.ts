// A small cache of recent reads, for clients that poll. An entry is valid while the epoch of its contract is the same.
// It is small on purpose: a random read should cost the same among a thousand resources and among a million.

export type Epoch = number | string; // equal epochs: nothing has changed in between

interface Entry<T> {
  epoch: Epoch;
  value: T;
}

const mostEntries = 64;

export class RecentCache<T> {
  #entries = new Map<string, Entry<T>>(); // the oldest first

  get(key: string, epoch: Epoch): T | undefined {
    const found = this.#entries.get(key);
    return found?.epoch === epoch ? found.value : undefined;
  }

  // `epoch` must have been read before the value was: a change in between makes the entry invalid.
  keep(key: string, epoch: Epoch, value: T): void {
    this.#entries.delete(key);
    this.#entries.set(key, { epoch, value });
    if (this.#entries.size <= mostEntries) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
