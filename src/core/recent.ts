// The few things that were read last, for those who poll: kept while nothing of their contract changes. Few on purpose:
// what is read at random should cost the same whether there are a thousand or a million.

const most = 64;

export type Epoch = number | string; // equal ones: nothing has changed between

interface Entry<T> {
  epoch: Epoch;
  value: T;
}

export class Recent<T> {
  #entries = new Map<string, Entry<T>>();

  get(key: string, epoch: Epoch): T | undefined {
    const found = this.#entries.get(key);
    return found?.epoch === epoch ? found.value : undefined;
  }

  // `epoch` is that from before the value was read: what was changed meanwhile is not found by it.
  keep(key: string, epoch: Epoch, value: T): void {
    if (this.#entries.size >= most && !this.#entries.has(key)) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(key, { epoch, value });
  }
}
