// Collects changes by contract and path for a short time. A batch has each path once, or `all` if there are too many.
import type { Row } from '../../core/state/engine.ts';

export type What = 'made' | 'changed' | 'removed';

export interface Change {
  what: What;
  row?: Row; // if the write has it, because its owner may be unknown later
}

// The changes of a batch by state path, or `all` if there were too many.
export interface Batch {
  contract: number;
  changes: ReadonlyMap<string, Change> | 'all';
}

const batchMs = 100;

export class ChangeBatches {
  readonly #max: number; // changes of a batch
  readonly #onBatch: (batches: readonly Batch[]) => void;
  readonly #pending = new Map<number, Map<string, Change> | 'all'>();
  #timer: NodeJS.Timeout | undefined;

  constructor(max: number, onBatch: (batches: readonly Batch[]) => void) {
    this.#max = max;
    this.#onBatch = onBatch;
  }

  add(contract: number, path: string, what: What, row?: Row): void {
    const pending = this.#pending.get(contract) ?? new Map<string, Change>();
    if (pending === 'all') return;
    const before = pending.get(path);
    if (!before && pending.size >= this.#max) {
      this.addAll(contract);
      return;
    }
    const known = row ?? before?.row;
    pending.set(path, {
      what: before && what === 'changed' ? before.what : what, // the end of a deletion must not hide the removal
      ...(known && { row: known }),
    });
    this.#keep(contract, pending);
  }

  addAll(contract: number): void {
    this.#keep(contract, 'all');
  }

  #keep(contract: number, changes: Map<string, Change> | 'all'): void {
    this.#pending.set(contract, changes);
    this.#timer ??= setTimeout(() => this.#flush(), batchMs).unref();
  }

  #flush(): void {
    const batches = [...this.#pending].map(([contract, changes]) => ({ contract, changes }));
    this.#pending.clear();
    this.#timer = undefined;
    this.#onBatch(batches);
  }
}
