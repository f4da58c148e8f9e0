// Sorted texts in blocks: adding or removing one moves at most a few hundred others.

const maxPerBlock = 512;

export class SortedKeys {
  #blocks: string[][] = []; // none is empty
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(key: string): void {
    const at = Math.max(0, this.#blockAt(key));
    const block = this.#blocks[at];
    if (!block) {
      this.#blocks.push([key]);
      this.#size = 1;
      return;
    }
    const place = placeAfter(block, key);
    if (block[place - 1] === key) return;
    block.splice(place, 0, key);
    this.#size += 1;
    if (block.length > maxPerBlock) this.#blocks.splice(at + 1, 0, block.splice(maxPerBlock / 2));
  }

  remove(key: string): void {
    const at = this.#blockAt(key);
    const block = this.#blocks[at];
    const place = block ? placeAfter(block, key) - 1 : -1;
    if (block?.[place] !== key) return;
    block.splice(place, 1);
    this.#size -= 1;
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  // The last key that is not greater. The order is a ring: before the first comes the last.
  atOrBefore(key: string): string | undefined {
    const block = this.#blocks[this.#blockAt(key)] ?? this.#blocks.at(-1);
    return block?.[placeAfter(block, key) - 1] ?? block?.at(-1);
  }

  // The first key that is greater; after the last comes the first.
  after(key: string): string | undefined {
    const at = this.#blockAt(key);
    const block = this.#blocks[at];
    return block?.[placeAfter(block, key)] ?? this.#blocks[at + 1]?.[0] ?? this.#blocks[0]?.[0];
  }

  // The last block that begins with the key or one before it; -1: the key is before all of them.
  #blockAt(key: string): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle]?.[0] as string) <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

// The number of keys of the block that are not greater.
function placeAfter(block: readonly string[], key: string): number {
  let [low, high] = [0, block.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((block[middle] as string) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
