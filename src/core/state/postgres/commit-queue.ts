// The queue of changes. While one batch is in flight the next one gathers; a batch is one statement and one commit.
// Where the connection breaks, the node's row tells what became of the batch, and what was not done is done again.
import type { Fault } from '../../../base/fault.ts';
import type { Outcome, WriteSet } from '../engine.ts';
import type { StateFigures } from '../figures.ts';
import { unknownOutcome } from '../unknown-outcome.ts';
import { most, type Settled, settle, type Waiting } from '../waiting.ts';
import { performCarefully } from './batch-bisect.ts';
import type { Ask, Link } from './connection.ts';
import { isRace, isRefusal, Lost, storeFault } from './faults.ts';
import { lookInto } from './look.ts';
import type { NodeRow } from './node.ts';
import { Combinations } from './statements.ts';
import { Batch } from './writes.ts';

export interface Job extends Waiting {
  set: WriteSet;
  topics: readonly string[];
}

export interface QueueOptions {
  link: Link;
  node: NodeRow;
  channel: string;
  patienceMs: number;
}

const carefulJobs = 64;
const mostRaces = 20;

export class Queue {
  readonly #link: Link;
  readonly #node: NodeRow;
  readonly #channel: string;
  readonly #patienceMs: number;
  readonly #combinations = new Combinations();
  readonly #figures = { commits: 0, syncs: 0, sets: 0, failedSets: 0, failedCommits: 0, repeatedFlushes: 0 };
  #waiting: Job[] = [];
  #behind = new Set<Job>(); // of those that wait: who wants what an earlier one wanted
  #running: Promise<void> | undefined;

  constructor({ link, node, channel, patienceMs }: QueueOptions) {
    this.#link = link;
    this.#node = node;
    this.#channel = channel;
    this.#patienceMs = patienceMs;
  }

  push(set: WriteSet, topics: readonly string[]): Promise<Outcome> {
    if (this.#link.fault) return Promise.reject(this.#link.fault);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ writes: set.length, set, topics, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  // The server is gone: who has not been sent yet need not wait.
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
      // What arrives in one turn of the event loop goes together.
      await new Promise(setImmediate);
      if (this.#waiting.length === 0) break;
      if (this.#behind.size > 0) await this.#siftBehind();
      const { jobs, batch } = this.#take();
      if (jobs.length > 0) await this.#flush(jobs, batch);
    }
    this.#running = undefined;
  }

  // Those that wanted what an earlier one wanted mostly find now that they came too late.
  async #siftBehind(): Promise<void> {
    const behind = this.#waiting.filter((job) => this.#behind.has(job));
    this.#behind.clear();
    const left = new Set(await this.#sift(behind).catch(() => behind));
    const settled = new Set(behind.filter((job) => !left.has(job)));
    this.#waiting = this.#waiting.filter((job) => !settled.has(job));
  }

  // All that have nothing to do with each other, however many stand between; the first one is always among them.
  // Those that need the careful way are taken when one of them is the first.
  #take(): { jobs: Job[]; batch?: Batch } {
    const batch = new Batch();
    const jobs: Job[] = [];
    const kept: Job[] = [];
    const alone: Job[] = [];
    let writes = 0;
    for (const [at, job] of this.#waiting.entries()) {
      if (at >= most.jobs || writes >= most.writes) {
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
      if (fit === 'later') this.#behind.add(job);
      else alone.push(job);
    }
    if (jobs.length === 0 || alone[0] === this.#waiting[0]) {
      const careful = new Set(alone.slice(0, carefulJobs));
      this.#waiting = this.#waiting.filter((job) => !careful.has(job));
      return { jobs: [...careful] };
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
        // Something in it did not hold. Who fails alone is told so; the others are tried together once more.
        this.#figures.repeatedFlushes += 1;
        const before = left.length;
        left = await this.#sift(left);
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

  // Tells those that fail by themselves; returns the others.
  async #sift(jobs: Job[]): Promise<Job[]> {
    try {
      const judge = await lookInto(
        jobs.map((job) => job.set),
        await this.#link.session(),
      );
      return jobs.filter((job) => {
        const failure = judge(job.set);
        if (!failure) return true;
        this.#figures.sets += 1;
        if (settle(job, failure)) this.#figures.failedSets += 1;
        return false;
      });
    } catch (error) {
      // A value that PostgreSQL does not take, or a connection that breaks: the next try says so itself.
      if (isRefusal(error) || error instanceof Lost) return jobs;
      throw error;
    }
  }

  // Without a batch: carefully. Undefined: something in the batch does not hold, and nothing was changed.
  async #perform(jobs: Job[], batch: Batch | undefined): Promise<Settled[] | undefined> {
    let races = 0;
    const deadline = performance.now() + this.#patienceMs;
    for (;;) {
      const ask = await this.#link.session();
      const number = ++this.#node.number;
      const results: Settled[] = [];
      try {
        if (batch) return await this.#send(ask, batch, topicsOf(jobs), number);
        await this.#carefully(ask, jobs, results, number);
        return results;
      } catch (error) {
        if (error instanceof Lost) {
          const committed = await this.#committed(number, deadline, error);
          if (committed !== undefined) return batch ? batch.outcomes(committed) : results;
        } else if (batch && isRefusal(error)) return undefined;
        else if (!isRace(error) || ++races > mostRaces) throw error;
      }
    }
  }

  // What became of a batch whose answer was lost. Undefined: nothing, it can be done again.
  async #committed(number: number, deadline: number, error: Lost): Promise<string | undefined> {
    const left = deadline - performance.now();
    if (!(await this.#link.back(Math.max(left, 0)))) throw unknownOutcome(error);
    const { batch, result } = this.#node.committed;
    if (batch === number) return result;
    if (left <= 0) throw error;
    return undefined;
  }

  async #send(ask: Ask, batch: Batch, topics: Set<string>, number: number): Promise<Outcome[]> {
    const statement = this.#combinations.of(batch.present());
    const { id, epoch } = this.#node;
    const told = JSON.stringify([...topics].map((topic) => `${id} ${topic}`));
    const values = [...batch.values(statement), batch.strict, id, epoch, number, this.#channel, told];
    const { rows } = await ask(statement, values);
    return batch.outcomes(rows[0]?.[1] as string);
  }

  async #carefully(ask: Ask, jobs: Job[], results: Settled[], number: number): Promise<void> {
    const tools = {
      ask,
      perform: (batch: Batch, topics: Set<string>) => this.#send(ask, batch, topics, number),
      finish: async (topics: Set<string>) => {
        try {
          await this.#send(ask, new Batch(), topics, number);
        } catch (error) {
          if (!isRefusal(error)) throw error;
          // Another connection has raised the epoch, or the row is gone: this one counts no longer.
          this.#link.drop();
          throw new Lost('fenced', { cause: error });
        }
      },
    };
    await performCarefully(jobs, tools, results);
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
