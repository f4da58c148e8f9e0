// The queue of changes and the transaction they share. What arrives in one turn of the event loop is committed
// together. A flush is synchronous from BEGIN to COMMIT: no read can see it half done, so no await may ever
// come between.
import type { DatabaseSync } from 'node:sqlite';
import type { Outcome } from './engine.ts';
import { storeFault } from './sqlite-faults.ts';
import type { Prepare, Writer } from './sqlite-writes.ts';

const flushJobs = 512;
const flushWrites = 4096; // some 20 ms

export interface Job {
  writes: number;
  perform: () => Outcome;
}

interface Waiting extends Job {
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

type Settled = Outcome | { error: unknown };

export interface Queue {
  push(job: Job): Promise<Outcome>;
  release(): void; // goes on after having been held
  drain(): void;
  figures(): Record<string, number>;
}

export interface QueueOptions {
  db: DatabaseSync;
  prepare: Prepare;
  writer: Writer;
  held: () => boolean;
  committed: () => void;
}

export function createQueue({ db, prepare, writer, held, committed }: QueueOptions): Queue {
  const begin = prepare('BEGIN IMMEDIATE');
  const commit = prepare('COMMIT');
  const savepoint = prepare('SAVEPOINT one');
  const back = prepare('ROLLBACK TO one');
  const done = prepare('RELEASE one');
  const figures = { commits: 0, syncs: 0, sets: 0, failedSets: 0, failedCommits: 0, repeatedFlushes: 0 };
  let waiting: Waiting[] = [];
  let scheduled = false;

  const schedule = (): void => {
    if (scheduled || waiting.length === 0 || held()) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      if (!held()) flush();
      schedule();
    });
  };

  const rollBack = (): void => {
    try {
      // SQLite has rolled back by itself after some errors.
      if (db.isTransaction) db.exec('ROLLBACK');
    } catch {
      // Nothing to be done: the next BEGIN says what is wrong.
    }
  };

  const performOne = (job: Job): Settled => {
    try {
      return job.perform();
    } catch (error) {
      if (storeFault(error, '')) throw error;
      return { error };
    }
  };

  // A savepoint costs SQLite a copy of each page the set touches, and most sets hold. So the first attempt has
  // none; where a set fails after having written, all is rolled back and done again with savepoints.
  const perform = (jobs: Job[], careful: boolean): Settled[] | undefined => {
    writer.begin();
    begin.run();
    const results: Settled[] = [];
    for (const job of jobs) {
      const before = writer.touched();
      if (careful) savepoint.run();
      writer.mark();
      const result = performOne(job);
      const failed = 'error' in result || !result.ok;
      if (failed && writer.touched() !== before) {
        if (!careful) return undefined;
        back.run();
        writer.unmark();
      }
      if (careful) done.run();
      results.push(result);
    }
    writer.end();
    commit.run();
    return results;
  };

  const attempt = (jobs: Job[]): Settled[] => {
    const results = perform(jobs, false);
    if (results) return results;
    rollBack();
    figures.repeatedFlushes += 1;
    return perform(jobs, true) ?? [];
  };

  const flush = (): void => {
    const jobs = take();
    if (jobs.length === 0) return;
    let results: Settled[];
    try {
      results = attempt(jobs);
    } catch (error) {
      rollBack();
      figures.failedCommits += 1;
      const fault = storeFault(error, 'nothing was changed') ?? error;
      for (const job of jobs) job.reject(fault);
      return;
    }
    figures.commits += 1;
    figures.sets += jobs.length;
    if (writer.touched() > 0) figures.syncs += 1;
    for (const [at, job] of jobs.entries()) settle(job, results[at]);
    committed();
  };

  const settle = (job: Waiting, result: Settled | undefined): void => {
    if (!result || 'error' in result) {
      figures.failedSets += 1;
      job.reject(result?.error);
    } else {
      if (!result.ok) figures.failedSets += 1;
      job.resolve(result);
    }
  };

  const take = (): Waiting[] => {
    let writes = 0;
    let count = 0;
    while (count < waiting.length && count < flushJobs && writes < flushWrites) writes += waiting[count++]?.writes ?? 0;
    const taken = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return taken;
  };

  return {
    push: (job) =>
      new Promise((resolve, reject) => {
        waiting.push({ ...job, resolve, reject });
        schedule();
      }),
    release: schedule,
    drain() {
      while (waiting.length > 0) flush();
    },
    figures: () => ({ ...figures, waiting: waiting.length }),
  };
}
