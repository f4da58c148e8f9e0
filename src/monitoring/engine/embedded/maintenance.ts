// Background work of the writer, in steps of a few milliseconds. Full arenas are flushed automatically
// (head/flush-queue.ts); compaction and retention continue when `step` is called.
import type { MetricFigures } from '../figures.ts';
import { type Bucket, findBuckets, mergeBlocks, sourcesIn } from './block/compaction.ts';
import type { BlockRows } from './block/rows.ts';
import type { Connection } from './database.ts';
import { damage } from './faults.ts';
import { FlushQueue, type Work } from './head/flush-queue.ts';
import type { Head } from './head/head.ts';
import { droppedTenants, pruneBlocks, type RetentionOptions, removeTenant } from './retention.ts';

const flushMs = 4;
const stepMs = 1;
const searchAgainMs = 10 * 60_000;
const vacuumPages = 256;
const fewFreePages = 256;

export interface MaintenanceOptions extends RetentionOptions {
  connection: Connection;
  rows: BlockRows;
  head: Head;
  now: () => number;
  sealAfterMs: number;
}

interface Merging {
  tenant: number;
  work: Work;
}

export class Maintenance {
  readonly #options: MaintenanceOptions;
  readonly flushing: FlushQueue;
  readonly #figures = { merges: 0, damagedBlocks: 0, longestStepSeconds: 0 };
  #merging: Merging | undefined;
  #buckets: Bucket[] = [];
  #searched = { changes: -1, at: 0 };
  #removing: Work | undefined;
  #isClosed = false;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
    this.flushing = new FlushQueue({ ...options, run: (work) => this.#run(work, flushMs) });
  }

  figures(): MetricFigures {
    return { ...this.#figures, ...this.flushing.figures };
  }

  // Performs a slice of the due work. True: there is more.
  async step(): Promise<boolean> {
    const { head, now, sealAfterMs } = this.#options;
    const current = head.current;
    if (current && !current.arena.isEmpty && now() - current.begunAt >= sealAfterMs) head.seal();
    if (this.flushing.isDue) {
      await this.flushing.step();
      return true;
    }
    return this.#removeStep() || this.#mergeStep() || this.#vacuumStep();
  }

  async prune(tenant: number, beforeMs: number): Promise<void> {
    const work = pruneBlocks(this.#options, tenant, beforeMs);
    for (;;) {
      this.#endMergeOf(tenant);
      if (this.#isClosed || !this.#run(work)) return;
      await new Promise(setImmediate);
    }
  }

  // Its blocks are about to be removed, and new ones may get their ids, which a merge would then remove.
  #endMergeOf(tenant: number): void {
    if (this.#merging?.tenant !== tenant) return;
    this.#merging.work.return(undefined);
    this.#merging = undefined;
  }

  #removeStep(): boolean {
    if (!this.#removing) {
      const [tenant] = droppedTenants(this.#options.connection);
      if (tenant === undefined) return false;
      this.#endMergeOf(tenant);
      this.#removing = removeTenant(this.#options, tenant);
    }
    if (!this.#run(this.#removing)) this.#removing = undefined;
    return true;
  }

  #mergeStep(): boolean {
    this.#merging ??= this.#nextMerge();
    if (!this.#merging) return false;
    try {
      if (this.#run(this.#merging.work)) return true;
    } catch (error) {
      this.#merging = undefined;
      if (!damage(error)) throw error;
      this.#figures.damagedBlocks += 1; // queries report it; the other blocks are merged
      return true;
    }
    this.#merging = undefined;
    this.#figures.merges += 1;
    return true;
  }

  #nextMerge(): Merging | undefined {
    const { connection, rows, now } = this.#options;
    if (this.#buckets.length === 0) this.#search();
    for (let bucket = this.#buckets.pop(); bucket; bucket = this.#buckets.pop()) {
      const sources = sourcesIn(connection, bucket, now());
      if (sources.length > 0) return { tenant: bucket.tenant, work: mergeBlocks(connection, rows, bucket, sources) };
    }
    return undefined;
  }

  // Only after new blocks were written, or when a day may have ended.
  #search(): void {
    const { connection, now } = this.#options;
    const changes = this.flushing.figures.flushes + this.#figures.merges;
    if (changes === this.#searched.changes && now() - this.#searched.at < searchAgainMs) return;
    this.#searched = { changes, at: now() };
    this.#buckets = findBuckets(connection);
  }

  // Returns free pages that will not be needed soon.
  #vacuumStep(): boolean {
    const { connection } = this.#options;
    const free = connection.number('PRAGMA freelist_count');
    if (free < fewFreePages || free * 4 < connection.number('PRAGMA page_count')) return false;
    connection.db.exec(`PRAGMA incremental_vacuum(${vacuumPages})`);
    return true;
  }

  // Returns true if there is more to do.
  #run(work: Work, ms = stepMs): boolean {
    const begun = performance.now();
    let more = true;
    while (more && performance.now() - begun < ms) more = !work.next().done;
    const seconds = (performance.now() - begun) / 1000;
    this.#figures.longestStepSeconds = Math.max(this.#figures.longestStepSeconds, seconds);
    return more;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flushing.close();
  }
}
