// Flushes full arenas to disk, one after the other, in slices of a few milliseconds between other events. Blocks are
// committed without a sync; when all blocks of an arena are written, the database is synced once in another thread, and
// only then the arena and its write-ahead log are released.
import type { BlockRows } from '../block/rows.ts';
import type { Connection } from '../database.ts';
import { flushArena } from './flush.ts';
import type { Head, Segment } from './head.ts';

export type Work = Generator<undefined, void>;

export interface FlushQueueOptions {
  connection: Connection;
  rows: BlockRows;
  head: Head;
  run: (work: Work) => boolean; // runs a slice; true: there is more
}

export class FlushQueue {
  readonly #options: FlushQueueOptions;
  readonly #dropped = new Set<number>(); // tenants
  readonly figures = { flushes: 0, flushFailures: 0 };
  #work: Work | undefined;
  #written: Segment | undefined; // a written segment that waits for the sync
  #syncing: Promise<void> | undefined;
  #isScheduled = false;
  #isClosed = false;

  constructor(options: FlushQueueOptions) {
    this.#options = options;
  }

  dropped(tenant: number): void {
    this.#dropped.add(tenant);
  }

  get isDue(): boolean {
    return this.#options.head.sealed[0]?.arena.isSettled ?? false;
  }

  schedule(): void {
    if (this.#isScheduled || this.#syncing || this.#isClosed || !this.isDue) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      // A failed flush is retried with the next push or step; it is reported to callers that have to wait for it.
      this.step().then(
        () => this.schedule(),
        () => {},
      );
    });
  }

  async step(): Promise<void> {
    if (this.#isClosed || !this.isDue) return;
    try {
      if (this.#write()) await this.#sync();
    } catch (error) {
      this.figures.flushFailures += 1;
      throw error;
    }
  }

  // Flushes until at most this many full arenas are left.
  finish(leave: number): void {
    while (this.#options.head.sealed.length > leave && this.isDue) {
      if (!this.#write()) continue;
      this.#options.connection.syncLog();
      this.#done(this.#written);
    }
  }

  // Returns true if the first arena is completely written.
  #write(): boolean {
    const { head, connection, rows, run } = this.#options;
    const segment = head.sealed[0];
    if (!segment) return false;
    if (this.#written === segment) return true;
    const isDropped = (tenant: number): boolean => this.#dropped.has(tenant);
    this.#work ??= flushArena({ arena: segment.arena, connection, rows, isDropped });
    try {
      if (run(this.#work)) return false;
    } catch (error) {
      this.#work = undefined;
      throw error;
    }
    this.#work = undefined;
    this.#written = segment;
    return true;
  }

  async #sync(): Promise<void> {
    const segment = this.#written;
    this.#syncing ??= this.#options.connection.syncLogAside().finally(() => {
      this.#syncing = undefined;
    });
    await this.#syncing;
    this.#done(segment);
  }

  // Unless a caller that could not wait has done it already.
  #done(segment: Segment | undefined): void {
    if (!segment || segment !== this.#written) return;
    this.#written = undefined;
    this.figures.flushes += 1;
    this.#options.head.finish();
  }

  // Afterwards no flush continues by itself.
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#syncing?.catch(() => {});
  }
}
