// Rendered pages of collections, kept while nothing of their contract changes. One page of a hundred costs a
// hundred rows to read and to render; a client that polls a list gets the same bytes until something changes.
import type { Epoch } from '../core/recent-cache.ts';
import type { Store } from '../core/store.ts';

interface Page {
  epoch: Epoch;
  identityEpoch: number;
  bytes: Buffer;
}

const mostBytes = 16 * 1024 * 1024;
const leastBytes = 4096; // rendering a smaller page is as fast as finding it

export class PageCache {
  #store: Store;
  #pages = new Map<string, Page>();
  #size = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  // `epoch` is that of the page's contract.
  async get(epoch: Epoch, key: string, make: () => Promise<string>): Promise<string | Buffer> {
    const { identityEpoch } = this.#store;
    const found = this.#pages.get(key);
    if (found?.epoch === epoch && found.identityEpoch === identityEpoch) return found.bytes;
    if (found) this.#forget(key, found);
    const text = await make();
    // The epoch was taken before the read: a change during the read makes the page old at once.
    if (text.length >= leastBytes && text.length < mostBytes / 8)
      this.#keep(key, { epoch, identityEpoch, bytes: Buffer.from(text) });
    return text;
  }

  #keep(key: string, page: Page): void {
    const before = this.#pages.get(key);
    if (before) this.#forget(key, before);
    this.#pages.set(key, page);
    this.#size += sizeOf(key, page);
    for (const [oldest, old] of this.#pages) {
      if (this.#size <= mostBytes) return;
      this.#forget(oldest, old);
    }
  }

  #forget(key: string, page: Page): void {
    this.#pages.delete(key);
    this.#size -= sizeOf(key, page);
  }
}

// Keys have the whole query in them, which can be as long as a page.
const sizeOf = (key: string, { bytes }: Page): number => key.length + bytes.length;
