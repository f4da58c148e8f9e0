// What changes in the state, by contract, told in batches. It is taken from the write sets that this process applies;
// changes of other nodes are added by other-nodes.ts. While nobody listens, a write set costs one comparison.
import { requestPlace } from '../../core/operation/request.ts';
import type { Row, Write, WriteSet } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';

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

export type Listener = (batch: Batch) => void;

const batchMs = 100;
const mostChanges = 1000; // of a batch

export class ChangeFeed {
  readonly #listeners = new Map<number, Set<Listener>>();
  readonly #pending = new Map<number, Map<string, Change> | 'all'>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Pick<Store, 'follow'>) {
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
    if (!this.#listeners.has(contract)) return;
    const pending = this.#pending.get(contract) ?? new Map<string, Change>();
    this.#timer ??= setTimeout(() => this.#flush(), batchMs).unref();
    this.#pending.set(contract, pending);
    if (pending === 'all') return;
    if (pending.size >= mostChanges) {
      this.addAll(contract);
      return;
    }
    const before = pending.get(path);
    const known = row ?? before?.row;
    pending.set(path, {
      what: before && what === 'changed' ? before.what : what, // a removal is followed by the end of its operation
      ...(known && { row: known }),
    });
  }

  addAll(contract: number): void {
    this.#timer ??= setTimeout(() => this.#flush(), batchMs).unref();
    this.#pending.set(contract, 'all');
  }

  #follow(writes: WriteSet): void {
    if (this.#listeners.size === 0) return;
    for (const write of writes) this.#note(write);
  }

  #note(write: Write): void {
    if (write.op === 'guard' || write.op === 'count' || write.op === 'append') return;
    const key = write.op === 'remove' ? write.key : write.row;
    if (!this.#listeners.has(key.contract)) return;
    const { contract, place, id } = key;
    if (write.table === 'resource') this.add(contract, `${place}/${id}`, words[write.op], rowIn(key));
    if (write.table === 'request') this.add(contract, `${requestPlace}/${id}`, words[write.op], rowIn(key));
    if (write.table === 'link') this.add(contract, place.slice(0, place.indexOf(' ')), 'changed');
    if (write.table === 'journal' && write.op !== 'update') this.#noteOperation(write.op, contract, place, id);
  }

  // With an operation the resource becomes BUSY, with its end AVAILABLE, whether its row is written or not.
  #noteOperation(op: 'insert' | 'remove', contract: number, path: string, request: string): void {
    this.add(contract, path, 'changed');
    if (op === 'remove') this.add(contract, `${requestPlace}/${request}`, 'changed');
  }

  #flush(): void {
    const pending = [...this.#pending];
    this.#pending.clear();
    this.#timer = undefined;
    for (const [contract, changes] of pending)
      for (const listener of this.#listeners.get(contract) ?? []) listener({ contract, changes });
  }
}

const words: Record<'insert' | 'update' | 'remove', What> = { insert: 'made', update: 'changed', remove: 'removed' };

// Most removals hand over the row that they have read instead of its key alone.
const rowIn = (key: object): Row | undefined => ('owner' in key ? (key as Row) : undefined);
