// Changes by contract and path, gathered for a moment: each path once, and one word where there are too many.
import type { Row } from '../../core/state/engine.ts';

export type What = 'made' | 'changed' | 'removed';

export interface Change {
  what: What;
  row?: Row; // as far as it was written: whose it is may not be found out later
}

// The changes of a moment by their paths in the state, or that there were too many.
export interface Batch {
  contract: number;
  changes: ReadonlyMap<string, Change> | 'all';
}

const batchMs = 100;

export class ChangeBatches {
  readonly #most: number; // changes of a batch
  readonly #onBatch: (batches: readonly Batch[]) => void;
  readonly #pending = new Map<number, Map<string, Change> | 'all'>();
  #timer: NodeJS.Timeout | undefined;

  constructor(most: number, onBatch: (batches: readonly Batch[]) => void) {
    this.#most = most;
    this.#onBatch = onBatch;
  }

  add(contract: number, path: string, what: What, row?: Row): void {
    const pending = this.#pending.get(contract) ?? new Map<string, Change>();
    if (pending === 'all') return;
    const before = pending.get(path);
    if (!before && pending.size >= this.#most) {
      this.addAll(contract);
      return;
    }
    const known = row ?? before?.row;
    pending.set(path, {
      what: before && what === 'changed' ? before.what : what, // a removal is followed by the end of its operation
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
