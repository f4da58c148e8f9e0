// The metric engine works in threads of its own, so that neither decoding a push nor a heavy query blocks the event
// loop: one thread writes, a few answer queries. The writer shows each reader what it has in memory through a channel
// between the two; whichever of them starts later brings the channel. A reader has one query at a time, and contracts
// take turns: a contract without a query in a reader gets one of the spare readers, where the others are at work.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { Log } from '../../base/log.ts';
import {
  type CallOptions,
  type LossReason,
  LostCall,
  WorkerPool,
  type WorkerPoolOptions,
} from '../../core/worker-pool.ts';
import { embeddedFolder, type HeadMessage } from '../engine/address.ts';
import type { Pushed, PushJob } from '../engine/engine.ts';
import type { MetricFigures } from '../engine/figures.ts';
import { errorBytes } from '../promql/api/render.ts';

export interface Query {
  tenant: string;
  path: string; // query, query_range, label/job/values …
  parameters: string; // as in a URL
  nowMs: number;
  mostBytes?: number; // of the answer
}

export interface QueryAnswer {
  status: number;
  body: Uint8Array;
  isTooHeavy?: boolean; // it took too long, or more memory than a query may have
}

// On whose behalf: queries of different origins take turns.
export type QueryOrigin = Required<Pick<CallOptions, 'group'>> & Pick<CallOptions, 'signal'>;

export interface MetricThreadsOptions {
  address: string; // of the engine: embedded:FOLDER or prometheus+http://…
  log: Log;
}

export interface WriterCalls {
  push(job: PushJob): Promise<Pushed>;
  prune(old: { tenant: string; beforeMs: number }): Promise<void>;
  drop(tenant: string): Promise<void>;
  tidy(): Promise<boolean>;
  figures(): Promise<MetricFigures>;
}

export interface ReaderCalls {
  query(query: Query): Promise<QueryAnswer>;
}

// What the writer tells a reader. `complete`: that was all it has in memory; what follows is new.
export type WriterMessage = HeadMessage | { complete: true };

// What connects the two. `reader`: its index; a new port replaces its old one.
export interface HeadPort {
  head: MessagePort;
  reader: number;
}

const queryMs = 120_000;
const mostShared = 4; // readers that one contract may have at once
const leastReaders = 4;
const mostWaiting = 100; // queries of one contract
const idleMs = 15 * 60_000;
// Results and samples live outside of the heap, so a small young generation makes for short collections.
const youngMb = { writer: 16, reader: 3 };
// Series and their labels live in the heap: a query that needs more of it loses its thread.
const oldMb = { writer: undefined, reader: 1536 };

export class MetricThreads {
  readonly #address: string;
  readonly #writer: WorkerPool<WriterCalls>;
  readonly #readers: WorkerPool<ReaderCalls>;

  constructor({ address, log }: MetricThreadsOptions) {
    const optionsOf = (role: keyof typeof youngMb, module: URL): WorkerPoolOptions => ({
      name: 'The metric engine',
      module,
      workerData: { address },
      resourceLimits: {
        maxYoungGenerationSizeMb: youngMb[role],
        ...(oldMb[role] && { maxOldGenerationSizeMb: oldMb[role] }),
      },
      onError: (error) => log.error('metric thread broke', { role, error }),
    });
    this.#address = address;
    this.#writer = new WorkerPool({
      ...optionsOf('writer', new URL('./writer.ts', import.meta.url)),
      onStart: (writer) => {
        for (const [index, reader] of this.#readers.workers()) connect(writer, reader, index);
      },
    });
    // A reader of a remote engine mostly waits for it.
    const cores = embeddedFolder(address) === undefined ? mostShared : availableParallelism() - 1;
    const sharedThreads = Math.min(mostShared, Math.max(1, cores));
    this.#readers = new WorkerPool({
      ...optionsOf('reader', new URL('./reader.ts', import.meta.url)),
      threads: Math.max(leastReaders, 2 * sharedThreads),
      sharedThreads,
      callsPerThread: 1,
      waitingPerGroup: mostWaiting,
      idleMs,
      onStart: (reader, index) => {
        for (const [, writer] of this.#writer.workers()) connect(writer, reader, index);
      },
    });
  }

  get isRunning(): boolean {
    return this.#writer.isRunning;
  }

  push(job: PushJob): Promise<Pushed> {
    const { buffer } = job.push.body;
    return this.#writer.call('push', job, { transfer: buffer instanceof ArrayBuffer ? [buffer] : [] });
  }

  async query(query: Query, origin: QueryOrigin): Promise<QueryAnswer> {
    this.#writer.start(); // the answer includes what it has in memory
    try {
      return await this.#readers.call('query', query, { deadlineMs: queryMs, ...origin });
    } catch (error) {
      const answer = error instanceof LostCall ? tooHeavy[error.reason] : undefined;
      if (answer) return { ...answer(), isTooHeavy: true };
      throw error;
    }
  }

  prune(tenant: string, beforeMs: number): Promise<void> {
    return this.#writer.call('prune', { tenant, beforeMs });
  }

  // Does not start the engine where nothing was ever kept.
  async drop(tenant: string): Promise<void> {
    const folder = embeddedFolder(this.#address);
    if (folder !== undefined && !this.isRunning && !existsSync(folder)) return;
    await this.#writer.call('drop', tenant);
  }

  tidy(): Promise<boolean> {
    return this.#writer.call('tidy', undefined);
  }

  async figures(): Promise<MetricFigures> {
    return this.isRunning ? this.#writer.call('figures', undefined) : {};
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#readers.close()]);
  }
}

const tooHeavy: Readonly<Record<LossReason, (() => QueryAnswer) | undefined>> = {
  deadline: () => ({ status: 503, body: errorBytes('timeout', `query timed out: it ran for ${queryMs / 1000} s`) }),
  memory: () => ({ status: 422, body: errorBytes('execution', 'query processing would need too much memory') }),
  other: undefined,
};

function connect(writer: Worker, reader: Worker, index: number): void {
  const { port1, port2 } = new MessageChannel();
  writer.postMessage({ head: port1, reader: index } satisfies HeadPort, [port1]);
  reader.postMessage({ head: port2, reader: index } satisfies HeadPort, [port2]);
}
