// Publishes changes of the state in batches per contract. It reads the write sets of this process; other-nodes.ts adds
// the changes of other nodes. Without listeners, a write set costs one comparison.
import { movesClock } from '../../core/region-clock.ts';
import type { Row, WriteSet } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { type Batch, ChangeBatches, type What } from './change-batches.ts';
import type { ChangesIn } from './changes-in-writes.ts';

export type Listener = (batch: Batch) => void;

const maxChanges = 1000; // of a batch

export class ChangeFeed {
  readonly #listeners = new Map<number, Set<Listener>>();
  readonly #batches = new ChangeBatches(maxChanges, (batches) => this.#publish(batches));
  readonly #changesIn: ChangesIn;

  constructor(store: Pick<Store, 'follow'>, changesIn: ChangesIn) {
    this.#changesIn = changesIn;
    store.follow((writes) => this.#follow(writes));
  }

  listen(contract: number, listener: Listener): () => void {
    const others = this.#listeners.get(contract);
    if (others) others.add(listener);
    else this.#listeners.set(contract, new Set([listener]));
    return () => {
      const left = this.#listeners.get(contract);
      left?.delete(listener);
      if (left?.size === 0) this.#listeners.delete(contract);
    };
  }

  get contracts(): number[] {
    return [...this.#listeners.keys()];
  }

  add(contract: number, path: string, what: What, row?: Row): void {
    if (this.#listeners.has(contract)) this.#batches.add(contract, path, what, row);
  }

  addAll(contract: number): void {
    if (this.#listeners.has(contract)) this.#batches.addAll(contract);
  }

  #follow(writes: WriteSet): void {
    if (this.#listeners.size === 0) return;
    if (writes.some(movesClock)) for (const contract of this.contracts) this.addAll(contract);
    for (const write of writes)
      for (const { contract, path, what, row } of this.#changesIn(write)) this.add(contract, path, what, row);
  }

  #publish(batches: readonly Batch[]): void {
    for (const batch of batches) for (const listener of this.#listeners.get(batch.contract) ?? []) listener(batch);
  }
}
