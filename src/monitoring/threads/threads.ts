// The metric engine in separate threads, so that neither decoding a push nor a heavy query blocks the event loop.
import type { Log } from '../../base/log.ts';
import { EngineThreads } from '../../core/threads/engine-threads.ts';
import { type CallOptions, type LossReason, LostCall } from '../../core/threads/worker-pool.ts';
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
  isTooHeavy?: boolean; // it exceeded the time or memory limit of a query
}

// The origin of a query: queries of different origins take turns.
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

// Messages of the writer to a reader. `complete`: its whole memory was announced; later messages are new.
export type WriterMessage = HeadMessage | { complete: true };

const queryMs = 120_000;
const readerIdleMs = 15 * 60_000;
const writerLimits = { maxYoungGenerationSizeMb: 16 };
// Results and samples are outside of the heap, so a small young generation keeps collections short. Series and their
// labels are in the heap: a query that needs more of it loses its thread.
const readerLimits = { maxYoungGenerationSizeMb: 3, maxOldGenerationSizeMb: 1536 };

export class MetricThreads {
  readonly #threads: EngineThreads<WriterCalls, ReaderCalls>;

  constructor({ address, log }: MetricThreadsOptions) {
    this.#threads = new EngineThreads({
      name: 'metric',
      address,
      folder: embeddedFolder(address),
      writer: { module: new URL('./writer.ts', import.meta.url), limits: writerLimits },
      reader: { module: new URL('./reader.ts', import.meta.url), limits: readerLimits },
      readerIdleMs,
      log,
    });
  }

  get isRunning(): boolean {
    return this.#threads.isRunning;
  }

  push(job: PushJob): Promise<Pushed> {
    const { buffer } = job.push.body;
    return this.#threads.writer.call('push', job, { transfer: buffer instanceof ArrayBuffer ? [buffer] : [] });
  }

  async query(query: Query, origin: QueryOrigin): Promise<QueryAnswer> {
    this.#threads.writer.start(); // the answer includes samples in its memory
    try {
      return await this.#threads.readers.call('query', query, { deadlineMs: queryMs, ...origin });
    } catch (error) {
      const answer = error instanceof LostCall ? tooHeavy[error.reason] : undefined;
      if (answer) return { ...answer(), isTooHeavy: true };
      throw error;
    }
  }

  prune(tenant: string, beforeMs: number): Promise<void> {
    return this.#threads.writer.call('prune', { tenant, beforeMs });
  }

  // Does not start the engine if no metrics were ever stored.
  async drop(tenant: string): Promise<void> {
    if (!this.#threads.isEmpty) await this.#threads.writer.call('drop', tenant);
  }

  tidy(): Promise<boolean> {
    return this.#threads.writer.call('tidy', undefined);
  }

  async figures(): Promise<MetricFigures> {
    return this.isRunning ? this.#threads.writer.call('figures', undefined) : {};
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}

const tooHeavy: Readonly<Record<LossReason, (() => QueryAnswer) | undefined>> = {
  deadline: () => ({ status: 503, body: errorBytes('timeout', `query timed out: it ran for ${queryMs / 1000} s`) }),
  memory: () => ({ status: 422, body: errorBytes('execution', 'query processing would need too much memory') }),
  other: undefined,
};
