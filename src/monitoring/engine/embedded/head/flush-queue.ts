// Brings full arenas to disk, one after the other, a few milliseconds at a time and as the event loop has turns for it.
// The blocks are committed without waiting for the disk; when all of an arena are, the file's log is synced once, off
// this thread, and only then the arena and the pushes it came from are let go.
import type { BlockRows } from '../block/rows.ts';
import type { Connection } from '../database.ts';
import { flushArena } from './flush.ts';
import type { Head, Segment } from './head.ts';

export type Work = Generator<undefined, void>;

export interface FlushQueueOptions {
  connection: Connection;
  rows: BlockRows;
  head: Head;
  run: (work: Work) => boolean; // a little of it; true: it is not at its end
}

export class FlushQueue {
  readonly #options: FlushQueueOptions;
  readonly #dropped = new Set<number>(); // tenants
  readonly figures = { flushes: 0, flushFailures: 0 };
  #work: Work | undefined;
  #written: Segment | undefined; // only the sync is missing
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
      // What fails is tried again with the next push or step, and told where it is in somebody's way.
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

  // Brings all full arenas to disk but that many, and waits for it.
  finish(leave: number): void {
    while (this.#options.head.sealed.length > leave && this.isDue) {
      if (!this.#write()) continue;
      this.#options.connection.syncLog();
      this.#done(this.#written);
    }
  }

  // True: all of the first arena is written.
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

  // Unless somebody who could not wait was here before.
  #done(segment: Segment | undefined): void {
    if (!segment || segment !== this.#written) return;
    this.#written = undefined;
    this.figures.flushes += 1;
    this.#options.head.finish();
  }

  // Nothing goes on by itself after that.
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#syncing?.catch(() => {});
  }
}
