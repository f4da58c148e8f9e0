// The commit queue. While one batch is in flight the next one is collected; a batch is one statement and one commit.
// When the connection breaks, the node's row tells whether the batch was committed; if not, it is sent again.
import type { Fault } from '../../../base/fault.ts';
import { commitLimits, type Settled, settle } from '../commit-job.ts';
import type { Outcome, WriteSet } from '../engine.ts';
import type { StateFigures } from '../figures.ts';
import { unknownOutcome } from '../unknown-outcome.ts';
import { Batch, type Job } from './batch.ts';
import { performByBisection } from './batch-bisect.ts';
import type { Ask, Connection } from './connection.ts';
import { findFailures } from './failing-sets.ts';
import { isRace, isRefusal, Lost, storeFault } from './faults.ts';
import type { NodeRow } from './node-row.ts';
import { Combinations } from './statements.ts';
import { inTransaction } from './transaction.ts';

export interface QueueOptions {
  connection: Connection;
  node: NodeRow;
  channel: string;
  outcomeTimeoutMs: number;
}

const bisectedJobs = 64;
const maxRaces = 20;

export class CommitQueue {
  readonly #connection: Connection;
  readonly #node: NodeRow;
  readonly #channel: string;
  readonly #outcomeTimeoutMs: number;
  readonly #combinations = new Combinations();
  readonly #figures = { commits: 0, syncs: 0, sets: 0, failedSets: 0, failedCommits: 0, repeatedFlushes: 0 };
  #waiting: Job[] = [];
  #conflicting = new Set<Job>(); // waiting jobs that share a key with an earlier one
  #running: Promise<void> | undefined;

  constructor({ connection, node, channel, outcomeTimeoutMs }: QueueOptions) {
    this.#connection = connection;
    this.#node = node;
    this.#channel = channel;
    this.#outcomeTimeoutMs = outcomeTimeoutMs;
  }

  push(set: WriteSet, topics: readonly string[]): Promise<Outcome> {
    if (this.#connection.fault) return Promise.reject(this.#connection.fault);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ writes: set.length, set, topics, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  // The server is down: jobs that were not sent yet need not wait.
  refuse(fault: Fault): void {
    for (const job of this.#waiting.splice(0)) job.reject(fault);
  }

  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  figures(): StateFigures {
    return { ...this.#figures, waiting: this.#waiting.length };
  }

  async #run(): Promise<void> {
    for (;;) {
      // Jobs of one turn of the event loop share a batch.
      await new Promise(setImmediate);
      if (this.#waiting.length === 0) break;
      if (this.#conflicting.size > 0) await this.#settleConflicting();
      const { jobs, batch } = this.#take();
      if (jobs.length > 0) await this.#flush(jobs, batch);
    }
    this.#running = undefined;
  }

  // After the earlier job's commit most of them fail.
  async #settleConflicting(): Promise<void> {
    const conflicting = this.#waiting.filter((job) => this.#conflicting.has(job));
    this.#conflicting.clear();
    const left = new Set(await this.#settleFailing(conflicting).catch(() => conflicting));
    const settled = new Set(conflicting.filter((job) => !left.has(job)));
    this.#waiting = this.#waiting.filter((job) => !settled.has(job));
  }

  // Takes all jobs without a common key; the first one is always among them. Jobs that fit no batch are taken when one
  // of them is the first, to be performed by bisection.
  #take(): { jobs: Job[]; batch?: Batch } {
    const batch = new Batch();
    const jobs: Job[] = [];
    const kept: Job[] = [];
    const alone: Job[] = [];
    let writes = 0;
    for (const [at, job] of this.#waiting.entries()) {
      if (at >= commitLimits.jobs || writes >= commitLimits.writes) {
        kept.push(...this.#waiting.slice(at));
        break;
      }
      const fit = batch.add(job.set);
      if (fit === 'added') {
        jobs.push(job);
        writes += job.writes;
        continue;
      }
      kept.push(job);
      if (fit === 'later') this.#conflicting.add(job);
      else alone.push(job);
    }
    if (jobs.length === 0 || alone[0] === this.#waiting[0]) {
      const taken = new Set(alone.slice(0, bisectedJobs));
      this.#waiting = this.#waiting.filter((job) => !taken.has(job));
      return { jobs: [...taken] };
    }
    this.#waiting = kept;
    return { jobs, batch };
  }

  async #flush(jobs: Job[], batch: Batch | undefined): Promise<void> {
    let left = jobs;
    try {
      let whole = batch;
      while (left.length > 0) {
        const results = await this.#perform(left, whole);
        if (results) return this.#settle(left, results);
        // Some write failed. Sets that fail by themselves are settled; the others are tried together once more.
        this.#figures.repeatedFlushes += 1;
        const before = left.length;
        left = await this.#settleFailing(left);
        whole = left.length < before ? batchOf(left) : undefined;
      }
    } catch (error) {
      this.#figures.failedCommits += 1;
      const fault = storeFault(error, 'nothing was changed') ?? error;
      for (const job of left) job.reject(fault);
    }
  }

  #settle(jobs: Job[], results: Settled[]): void {
    this.#figures.commits += 1;
    this.#figures.syncs += 1;
    this.#figures.sets += jobs.length;
    for (const [at, job] of jobs.entries()) if (settle(job, results[at])) this.#figures.failedSets += 1;
  }

  // Settles the jobs that fail by themselves; returns the others.
  async #settleFailing(jobs: Job[]): Promise<Job[]> {
    try {
      const failureOf = await findFailures(
        jobs.map((job) => job.set),
        await this.#connection.session(),
      );
      return jobs.filter((job) => {
        const failure = failureOf(job.set);
        if (!failure) return true;
        this.#figures.sets += 1;
        if (settle(job, failure)) this.#figures.failedSets += 1;
        return false;
      });
    } catch (error) {
      // A value that PostgreSQL refuses, or a broken connection: the next attempt reports it.
      if (isRefusal(error) || error instanceof Lost) return jobs;
      throw error;
    }
  }

  // Without a batch: by bisection. Undefined: a write of the batch failed, and nothing was changed.
  async #perform(jobs: Job[], batch: Batch | undefined): Promise<Settled[] | undefined> {
    let races = 0;
    const deadline = performance.now() + this.#outcomeTimeoutMs;
    for (;;) {
      const ask = await this.#connection.session();
      const number = ++this.#node.number;
      const results: Settled[] = [];
      try {
        if (batch)
          return await inTransaction(
            ask,
            () => this.#send(ask, batch, topicsOf(jobs), number),
            (outcomes) => outcomes !== undefined,
          );
        await this.#bisect(ask, jobs, results, number);
        return results;
      } catch (error) {
        if (error instanceof Lost) {
          const committed = await this.#committed(number, deadline, error);
          if (committed !== undefined) return batch ? batch.outcomes(committed) : results;
        } else if (batch && isRefusal(error)) return undefined;
        else if (!isRace(error) || ++races > maxRaces) throw error;
      }
    }
  }

  // The result of a batch whose answer was lost. Undefined: it was not committed and can be sent again.
  async #committed(number: number, deadline: number, error: Lost): Promise<string | undefined> {
    const left = deadline - performance.now();
    if (!(await this.#connection.reopened(Math.max(left, 0)))) throw unknownOutcome(error);
    const { batch, result } = this.#node.committed;
    if (batch === number) return result;
    if (left <= 0) throw error;
    return undefined;
  }

  // Undefined: a write failed. The caller decides whether its transaction is committed.
  async #send(ask: Ask, batch: Batch, topics: Set<string>, number: number): Promise<Outcome[] | undefined> {
    const statement = this.#combinations.of(batch.present());
    const { id, epoch } = this.#node;
    const notification = JSON.stringify([...topics].map((topic) => `${id} ${topic}`));
    const values = [...batch.values(statement), id, epoch, number, this.#channel, notification];
    const { rows } = await ask(statement, values);
    const [held, own, result] = rows[0] as [held: number, own: number, result: string];
    if (own !== 1) throw this.#fencedOff();
    return held === batch.strict ? batch.outcomes(result) : undefined;
  }

  async #bisect(ask: Ask, jobs: Job[], results: Settled[], number: number): Promise<void> {
    const tools = {
      ask,
      perform: (batch: Batch, topics: Set<string>) => this.#send(ask, batch, topics, number),
      finish: async (topics: Set<string>) => {
        await this.#send(ask, new Batch(), topics, number);
      },
    };
    await performByBisection(jobs, tools, results);
  }

  // Another connection has raised the epoch, or the node's row was deleted.
  #fencedOff(): Lost {
    this.#connection.drop();
    return new Lost('fenced');
  }
}

function batchOf(jobs: readonly Job[]): Batch {
  const batch = new Batch();
  for (const job of jobs) batch.add(job.set);
  return batch;
}

const noTopics = new Set<string>();
function topicsOf(jobs: readonly Job[]): Set<string> {
  let topics = noTopics;
  for (const job of jobs) if (job.topics.length > 0) topics = topics.union(new Set(job.topics));
  return topics;
}
