// A queue of several groups, such as contracts, that take turns: however many items one of them has, the first item of
// another waits for one turn of each group at most.

export class FairQueue<Item> {
  readonly #groups = new Map<string, Item[]>(); // in the order of their turns; none is empty
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(group: string): number {
    return this.#groups.get(group)?.length ?? 0;
  }

  push(group: string, item: Item): void {
    const items = this.#groups.get(group);
    if (items) items.push(item);
    else this.#groups.set(group, [item]);
    this.#size += 1;
  }

  // The next item of a group that may run; the group moves to the end of the queue.
  take(mayHaveTurn: (group: string) => boolean): Item | undefined {
    for (const [group, items] of this.#groups) {
      if (!mayHaveTurn(group)) continue;
      const item = items.shift();
      this.#size -= 1;
      this.#groups.delete(group);
      if (items.length > 0) this.#groups.set(group, items);
      return item;
    }
    return undefined;
  }

  // False: it is not in the queue any more.
  remove(group: string, item: Item): boolean {
    const items = this.#groups.get(group) ?? [];
    const at = items.indexOf(item);
    if (at < 0) return false;
    items.splice(at, 1);
    this.#size -= 1;
    if (items.length === 0) this.#groups.delete(group);
    return true;
  }

  drain(): Item[] {
    const all = [...this.#groups.values()].flat();
    this.#groups.clear();
    this.#size = 0;
    return all;
  }
}
