// The last requests of this process, and new ones, for the operator's `cumulet logs`. It includes reads, which the log
// file omits. It is never stored on disk, and has no query strings, which may hold secrets.
export interface RequestEntry {
  time: number; // by the machine's clock, in ms
  method: string;
  path: string;
  status: number;
  ms: number;
  operation: string;
  address: string;
  contract?: number;
  user?: string; // an id
}

type Listener = (entry: RequestEntry) => void;

export class RequestFeed {
  readonly #entries: RequestEntry[] = [];
  readonly #most: number;
  readonly #listeners = new Set<Listener>();
  #next = 0; // the position of the next entry

  constructor(most = 1000) {
    this.#most = most;
  }

  add(entry: RequestEntry): void {
    this.#entries[this.#next] = entry;
    this.#next = (this.#next + 1) % this.#most;
    for (const listener of this.#listeners) listener(entry);
  }

  // Oldest first.
  last(count: number): RequestEntry[] {
    const all = [...this.#entries.slice(this.#next), ...this.#entries.slice(0, this.#next)];
    return count === 0 ? [] : all.slice(-count);
  }

  // Returns the unsubscriber.
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
