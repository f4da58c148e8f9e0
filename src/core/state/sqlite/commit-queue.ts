// The commit queue: jobs that arrive in consecutive turns of the event loop share one transaction and one sync. A flush
// is synchronous from BEGIN to COMMIT, so that no read can see it half done: there must never be an await between.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type CommitJob, commitLimits, type Settled, settle } from '../commit-job.ts';
import type { Outcome } from '../engine.ts';
import type { StateFigures } from '../figures.ts';
import { storeFault } from './faults.ts';
import type { Prepare } from './table.ts';
import type { Writer } from './writer.ts';

const savepointFlushes = 16; // after a set failed
const collectMs = 1;

export interface Job {
  writes: number;
  perform: () => Outcome;
}

type QueuedJob = Job & CommitJob;

export interface QueueOptions {
  db: DatabaseSync;
  prepare: Prepare;
  writer: Writer;
  isPaused: () => boolean;
  committed: (pages: number) => void; // an estimate of the pages written
  failed: (error: unknown) => void; // a whole flush
}

export class CommitQueue {
  readonly #options: QueueOptions;
  readonly #figures = { commits: 0, syncs: 0, sets: 0, failedSets: 0, failedCommits: 0, repeatedFlushes: 0 };
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #back: StatementSync;
  readonly #done: StatementSync;
  #waiting: QueuedJob[] = [];
  #scheduled = false;
  #savepointFlushes = 0; // that are left

  constructor(options: QueueOptions) {
    const { prepare } = options;
    this.#options = options;
    this.#begin = prepare('BEGIN IMMEDIATE');
    this.#commit = prepare('COMMIT');
    this.#savepoint = prepare('SAVEPOINT one');
    this.#back = prepare('ROLLBACK TO one');
    this.#done = prepare('RELEASE one');
  }

  push(job: Job): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ writes: job.writes, perform: job.perform, resolve, reject });
      this.schedule();
    });
  }

  // Also to be called when writes are no longer paused.
  schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#options.isPaused()) return;
    this.#scheduled = true;
    this.#collect(performance.now() + collectMs, 0);
  }

  // Waits as long as each turn of the event loop brings more jobs: a sync costs as much for one as for all.
  #collect(until: number, seen: number): void {
    setImmediate(() => {
      const count = this.#waiting.length;
      if (count > seen && seen < commitLimits.jobs && performance.now() < until) {
        this.#collect(until, count);
        return;
      }
      this.#scheduled = false;
      if (!this.#options.isPaused()) this.#flush();
      this.schedule();
    });
  }

  drain(): void {
    while (this.#waiting.length > 0) this.#flush();
  }

  get commits(): number {
    return this.#figures.commits;
  }

  figures(): StateFigures {
    return { ...this.#figures, waiting: this.#waiting.length };
  }

  #flush(): void {
    const jobs = this.#take();
    if (jobs.length === 0) return;
    let results: Settled[];
    try {
      results = this.#attempt(jobs);
    } catch (error) {
      this.#rollBack();
      this.#figures.failedCommits += 1;
      this.#options.failed(error);
      const fault = storeFault(error, 'nothing was changed') ?? error;
      for (const job of jobs) job.reject(fault);
      return;
    }
    this.#figures.commits += 1;
    this.#figures.sets += jobs.length;
    const { writer, committed } = this.#options;
    if (writer.touched() > 0) this.#figures.syncs += 1;
    for (let at = 0; at < jobs.length; at++)
      if (settle(jobs[at] as QueuedJob, results[at])) this.#figures.failedSets += 1;
    committed(writer.pages());
  }

  #take(): QueuedJob[] {
    const waiting = this.#waiting;
    let writes = 0;
    let count = 0;
    while (count < waiting.length && count < commitLimits.jobs && writes < commitLimits.writes)
      writes += waiting[count++]?.writes ?? 0;
    this.#waiting = waiting.slice(count);
    return waiting.slice(0, count);
  }

  #attempt(jobs: Job[]): Settled[] {
    if (this.#savepointFlushes > 0) this.#savepointFlushes -= 1;
    else {
      const results = this.#perform(jobs, false);
      if (results) return results;
      this.#rollBack();
      this.#figures.repeatedFlushes += 1;
    }
    return this.#perform(jobs, true) ?? [];
  }

  // A savepoint costs SQLite a copy of each page the set touches, and most sets succeed. So the first attempt has none;
  // if a set fails after it has written, the transaction is rolled back and repeated with savepoints, which the next
  // flushes use at once.
  #perform(jobs: Job[], savepoints: boolean): Settled[] | undefined {
    const { writer } = this.#options;
    writer.begin();
    this.#begin.run();
    const results: Settled[] = [];
    for (const job of jobs) {
      const before = writer.touched();
      if (savepoints) this.#savepoint.run();
      writer.mark();
      const result = performOne(job);
      const failed = 'error' in result || !result.ok;
      if (failed) writer.unmark();
      if (failed && writer.touched() !== before) {
        this.#savepointFlushes = savepointFlushes;
        if (!savepoints) return undefined;
        this.#back.run();
      }
      if (savepoints) this.#done.run();
      results.push(result);
    }
    writer.end();
    this.#commit.run();
    return results;
  }

  #rollBack(): void {
    try {
      // After some errors SQLite has rolled back already.
      if (this.#options.db.isTransaction) this.#options.db.exec('ROLLBACK');
    } catch {
      // The next BEGIN reports the error.
    }
  }
}

// A fault of the store ends the whole flush; any other error belongs to the one job.
function performOne(job: Job): Settled {
  try {
    return job.perform();
  } catch (error) {
    if (storeFault(error, '')) throw error;
    return { error };
  }
}
