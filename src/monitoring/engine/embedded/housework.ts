// What has to be done besides taking pushes, in steps of a few milliseconds: arenas that are full go to disk at once,
// as the event loop has turns for it; merging, retention and the like go on when somebody calls `step`.
import type { BlockRows } from './block-rows.ts';
import { damage } from './faults.ts';
import type { Connection } from './file.ts';
import { flushArena } from './flush.ts';
import type { Head } from './head.ts';
import { type Bucket, findBuckets, mergeBlocks, sourcesIn } from './merge.ts';
import { droppedTenants, pruneBlocks, type RetentionOptions, removeTenant } from './retention.ts';

type Work = Generator<undefined, void>;

const stepMs = 4;
const searchAgainMs = 10 * 60_000;
const vacuumPages = 256;
const fewFreePages = 256;

export interface HouseworkOptions extends RetentionOptions {
  connection: Connection;
  rows: BlockRows;
  head: Head;
  now: () => number;
  sealAfterMs: number;
}

export class Housework {
  readonly #options: HouseworkOptions;
  readonly #dropped = new Set<number>();
  readonly #figures = { flushes: 0, merges: 0, flushFailures: 0, damagedBlocks: 0, longestStepMs: 0 };
  #flushing: Work | undefined;
  #isScheduled = false;
  #merging: Work | undefined;
  #buckets: Bucket[] = [];
  #searched = { changes: -1, at: 0 };
  #removing: Work | undefined;
  #isClosed = false;

  constructor(options: HouseworkOptions) {
    this.#options = options;
  }

  figures(): Record<string, number> {
    return { ...this.#figures };
  }

  dropped(tenant: number): void {
    this.#dropped.add(tenant);
  }

  // Lets full arenas go to disk between other things.
  schedule(): void {
    if (this.#isScheduled || this.#isClosed || !this.#isFlushable()) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      try {
        if (this.#flushStep()) this.schedule();
      } catch {
        this.#figures.flushFailures += 1; // tried again by the next step, and told where it is in somebody's way
      }
    });
  }

  // Brings all full arenas to disk but that many, now.
  flush(leave = 0): void {
    while (this.#options.head.sealed.length > leave && this.#isFlushable()) this.#flushStep();
  }

  #isFlushable(): boolean {
    return this.#options.head.sealed[0]?.arena.isSettled ?? false;
  }

  #flushStep(): boolean {
    const { head, connection, rows } = this.#options;
    const segment = head.sealed[0];
    if (!segment?.arena.isSettled) return false;
    const isDropped = (tenant: number): boolean => this.#dropped.has(tenant);
    this.#flushing ??= flushArena({ arena: segment.arena, connection, rows, isDropped });
    try {
      if (this.#run(this.#flushing)) return true;
    } catch (error) {
      this.#flushing = undefined;
      throw error;
    }
    this.#flushing = undefined;
    this.#figures.flushes += 1;
    head.finish();
    return head.sealed.length > 0;
  }

  // A little of whatever is due. True: there is more.
  step(): boolean {
    const { head, now, sealAfterMs } = this.#options;
    const current = head.current;
    if (current && !current.arena.isEmpty && now() - current.begunAt >= sealAfterMs) head.seal();
    if (this.#isFlushable()) {
      this.#flushStep();
      return true;
    }
    return this.#removeStep() || this.#mergeStep() || this.#vacuumStep();
  }

  async prune(tenant: number, beforeMs: number): Promise<void> {
    const work = pruneBlocks(this.#options, tenant, beforeMs);
    while (!this.#isClosed && this.#run(work)) await new Promise(setImmediate);
  }

  #removeStep(): boolean {
    if (!this.#removing) {
      const [tenant] = droppedTenants(this.#options.connection);
      if (tenant === undefined) return false;
      this.#removing = removeTenant(this.#options, tenant);
    }
    if (!this.#run(this.#removing)) this.#removing = undefined;
    return true;
  }

  #mergeStep(): boolean {
    this.#merging ??= this.#nextMerge();
    if (!this.#merging) return false;
    try {
      if (this.#run(this.#merging)) return true;
    } catch (error) {
      this.#merging = undefined;
      if (!damage(error)) throw error;
      this.#figures.damagedBlocks += 1; // those who ask for it are told; the others are merged
      return true;
    }
    this.#merging = undefined;
    this.#figures.merges += 1;
    return true;
  }

  #nextMerge(): Work | undefined {
    const { connection, rows, now } = this.#options;
    if (this.#buckets.length === 0) this.#search();
    for (let bucket = this.#buckets.pop(); bucket; bucket = this.#buckets.pop()) {
      const sources = sourcesIn(connection, bucket, now());
      if (sources.length > 0) return mergeBlocks(connection, rows, bucket, sources);
    }
    return undefined;
  }

  // Only where blocks came since the last time, or a day may have come to its end.
  #search(): void {
    const { connection, now } = this.#options;
    const changes = this.#figures.flushes + this.#figures.merges;
    if (changes === this.#searched.changes && now() - this.#searched.at < searchAgainMs) return;
    this.#searched = { changes, at: now() };
    this.#buckets = findBuckets(connection);
  }

  // Gives space back that nothing new will need soon.
  #vacuumStep(): boolean {
    const { connection } = this.#options;
    const free = connection.number('PRAGMA freelist_count');
    if (free < fewFreePages || free * 4 < connection.number('PRAGMA page_count')) return false;
    connection.db.exec(`PRAGMA incremental_vacuum(${vacuumPages})`);
    return true;
  }

  // True: it is not at its end.
  #run(work: Work): boolean {
    const begun = performance.now();
    let more = true;
    while (more && performance.now() - begun < stepMs) more = !work.next().done;
    this.#figures.longestStepMs = Math.max(this.#figures.longestStepMs, performance.now() - begun);
    return more;
  }

  close(): void {
    this.#isClosed = true;
  }
}
