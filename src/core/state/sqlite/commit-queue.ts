// The queue of changes and the transaction they share. What arrives in turns of the event loop that follow each other
// is committed together. A flush is synchronous from BEGIN to COMMIT: no read can see it half done, so no await may
// ever come between.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Outcome } from '../engine.ts';
import type { StateFigures } from '../figures.ts';
import { most, type Settled, settle, type Waiting } from '../waiting.ts';
import { storeFault } from './faults.ts';
import type { Prepare } from './table.ts';
import type { Writer } from './writes.ts';

const waryFlushes = 16;
const gatherMs = 1;

export interface Job {
  writes: number;
  perform: () => Outcome;
}

type WaitingJob = Job & Waiting;

export interface QueueOptions {
  db: DatabaseSync;
  prepare: Prepare;
  writer: Writer;
  held: () => boolean;
  committed: (pages: number) => void; // that were written, by and large
  failed: (error: unknown) => void; // a whole flush
}

export class Queue {
  readonly #options: QueueOptions;
  readonly #figures = { commits: 0, syncs: 0, sets: 0, failedSets: 0, failedCommits: 0, repeatedFlushes: 0 };
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #back: StatementSync;
  readonly #done: StatementSync;
  #waiting: WaitingJob[] = [];
  #scheduled = false;
  #wary = 0;

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

  // Also to be called when writes are no longer held.
  schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#options.held()) return;
    this.#scheduled = true;
    this.#gather(performance.now() + gatherMs, 0);
  }

  // As long as each turn of the event loop brings more of them, they are worth waiting for: the sync costs as much for
  // one as for all.
  #gather(until: number, seen: number): void {
    setImmediate(() => {
      const count = this.#waiting.length;
      if (count > seen && seen < most.jobs && performance.now() < until) {
        this.#gather(until, count);
        return;
      }
      this.#scheduled = false;
      if (!this.#options.held()) this.#flush();
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
      if (settle(jobs[at] as WaitingJob, results[at])) this.#figures.failedSets += 1;
    committed(writer.pages());
  }

  #take(): WaitingJob[] {
    const waiting = this.#waiting;
    let writes = 0;
    let count = 0;
    while (count < waiting.length && count < most.jobs && writes < most.writes) writes += waiting[count++]?.writes ?? 0;
    this.#waiting = waiting.slice(count);
    return waiting.slice(0, count);
  }

  #attempt(jobs: Job[]): Settled[] {
    if (this.#wary > 0) this.#wary -= 1;
    else {
      const results = this.#perform(jobs, false);
      if (results) return results;
      this.#rollBack();
      this.#figures.repeatedFlushes += 1;
    }
    return this.#perform(jobs, true) ?? [];
  }

  // A savepoint costs SQLite a copy of each page the set touches, and most sets hold. So the first attempt has
  // none; where a set fails after having written, all is rolled back and done again with savepoints, and the
  // next flushes begin with them.
  #perform(jobs: Job[], careful: boolean): Settled[] | undefined {
    const { writer } = this.#options;
    writer.begin();
    this.#begin.run();
    const results: Settled[] = [];
    for (const job of jobs) {
      const before = writer.touched();
      if (careful) this.#savepoint.run();
      writer.mark();
      const result = performOne(job);
      const failed = 'error' in result || !result.ok;
      if (failed) writer.unmark();
      if (failed && writer.touched() !== before) {
        this.#wary = waryFlushes;
        if (!careful) return undefined;
        this.#back.run();
      }
      if (careful) this.#done.run();
      results.push(result);
    }
    writer.end();
    this.#commit.run();
    return results;
  }

  #rollBack(): void {
    try {
      // SQLite has rolled back by itself after some errors.
      if (this.#options.db.isTransaction) this.#options.db.exec('ROLLBACK');
    } catch {
      // Nothing to be done: the next BEGIN says what is wrong.
    }
  }
}

// What is the store's own fault ends the whole flush; anything else is that one job's.
function performOne(job: Job): Settled {
  try {
    return job.perform();
  } catch (error) {
    if (storeFault(error, '')) throw error;
    return { error };
  }
}
