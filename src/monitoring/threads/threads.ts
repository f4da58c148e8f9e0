// The metric engine works in threads of its own, so that neither decoding a push nor a heavy query blocks the event
// loop: one thread writes, a few answer queries. The writer shows each reader what it has in memory through a channel
// between the two; whichever of them starts later brings the channel.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { Log } from '../../base/log.ts';
import { WorkerPool, type WorkerPoolOptions } from '../../core/worker-pool.ts';
import { embeddedFolder, type HeadMessage } from '../engine/address.ts';
import type { Pushed, PushJob } from '../engine/engine.ts';
import type { MetricFigures } from '../engine/figures.ts';

export interface Query {
  tenant: string;
  path: string; // query, query_range, label/job/values …
  parameters: string; // as in a URL
  nowMs: number;
}

export interface QueryAnswer {
  status: number;
  body: Uint8Array;
}

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
const mostReaders = 4;
// Results and samples live outside of the heap, so a small young generation makes for short collections.
const youngMb = { writer: 16, reader: 3 };

export class MetricThreads {
  readonly #address: string;
  readonly #writer: WorkerPool<WriterCalls>;
  readonly #readers: WorkerPool<ReaderCalls>;

  constructor({ address, log }: MetricThreadsOptions) {
    const optionsOf = (role: keyof typeof youngMb, module: URL): WorkerPoolOptions => ({
      name: 'The metric engine',
      module,
      workerData: { address },
      resourceLimits: { maxYoungGenerationSizeMb: youngMb[role] },
      onError: (error) => log.error('metric thread broke', { role, error }),
    });
    this.#address = address;
    this.#writer = new WorkerPool({
      ...optionsOf('writer', new URL('./writer.ts', import.meta.url)),
      onStart: (writer) => {
        for (const [index, reader] of this.#readers.workers()) connect(writer, reader, index);
      },
    });
    this.#readers = new WorkerPool({
      ...optionsOf('reader', new URL('./reader.ts', import.meta.url)),
      threads: Math.min(mostReaders, Math.max(1, availableParallelism() - 1)),
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

  query(query: Query): Promise<QueryAnswer> {
    this.#writer.start(); // the answer includes what it has in memory
    return this.#readers.call('query', query, { deadlineMs: queryMs });
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

function connect(writer: Worker, reader: Worker, index: number): void {
  const { port1, port2 } = new MessageChannel();
  writer.postMessage({ head: port1, reader: index } satisfies HeadPort, [port1]);
  reader.postMessage({ head: port2, reader: index } satisfies HeadPort, [port2]);
}
