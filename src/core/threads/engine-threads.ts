// The threads of an engine that keeps what is pushed, so that neither keeping it nor a heavy question blocks the event
// loop: one thread writes, a few answer questions. The writer shows each reader what it has in memory through a channel
// between the two; whichever of them starts later brings the channel. A reader has one question at a time, and
// contracts take turns: a contract without a question in a reader gets one of the spare readers, where the others are
// at work.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { MessageChannel, type ResourceLimits, type Worker } from 'node:worker_threads';
import { holdFolder } from '../../base/held-folders.ts';
import type { Log } from '../../base/log.ts';
import type { ReaderPort, ThreadData } from './engine-thread.ts';
import type { Functions } from './worker-calls.ts';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

export interface EngineThreadsOptions {
  name: string; // log, metric
  address: string;
  folder: string | undefined; // of an embedded engine
  writer: EngineThread;
  reader: EngineThread;
  readerIdleMs: number; // a reader that had no question for this long ends
  log: Log;
}

interface EngineThread {
  module: URL;
  limits: ResourceLimits;
}

const mostShared = 4; // readers that one contract may have at once
const leastReaders = 4;
const mostWaiting = 100; // questions of one contract

export class EngineThreads<Writing extends Functions<Writing>, Reading extends Functions<Reading>> {
  readonly writer: WorkerPool<Writing>;
  readonly readers: WorkerPool<Reading>;
  readonly #folder: string | undefined;

  constructor({ name, address, folder, writer, reader, readerIdleMs, log }: EngineThreadsOptions) {
    const optionsOf = (role: string, { module, limits }: EngineThread): WorkerPoolOptions => ({
      name: `The ${name} engine`,
      module,
      workerData: { address } satisfies ThreadData,
      resourceLimits: limits,
      onError: (error) => log.error(`${name} thread broke`, { role, error }),
    });
    this.#folder = folder;
    this.writer = new WorkerPool({
      ...optionsOf('writer', writer),
      onStart: (started) => {
        if (folder !== undefined) holdFolder(folder);
        for (const [index, other] of this.readers.workers()) connect(started, other, index);
      },
    });
    // A reader of a remote engine mostly waits for it.
    const cores = folder === undefined ? mostShared : availableParallelism() - 1;
    const sharedThreads = Math.min(mostShared, Math.max(1, cores));
    this.readers = new WorkerPool({
      ...optionsOf('reader', reader),
      threads: Math.max(leastReaders, 2 * sharedThreads),
      sharedThreads,
      callsPerThread: 1,
      waitingPerGroup: mostWaiting,
      idleMs: readerIdleMs,
      onStart: (started, index) => {
        for (const [, other] of this.writer.workers()) connect(other, started, index);
      },
    });
  }

  get isRunning(): boolean {
    return this.writer.isRunning;
  }

  // An embedded engine that never ran, in this process or an earlier one, has kept nothing.
  get isEmpty(): boolean {
    return this.#folder !== undefined && !this.isRunning && !existsSync(this.#folder);
  }

  async close(): Promise<void> {
    await Promise.all([this.writer.close(), this.readers.close()]);
  }
}

function connect(writer: Worker, reader: Worker, index: number): void {
  const { port1, port2 } = new MessageChannel();
  writer.postMessage({ port: port1, reader: index } satisfies ReaderPort, [port1]);
  reader.postMessage({ port: port2, reader: index } satisfies ReaderPort, [port2]);
}
