// The log engine works in threads of its own, so that neither compressing blocks nor a search blocks the event loop:
// one thread writes, a few answer questions. A reader has one question at a time, and contracts take turns: a
// contract without a question in a reader gets one of the spare readers, where the others are at work.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { MessageChannel, type Worker } from 'node:worker_threads';
import type { Log } from '../../base/log.ts';
import { type CallOptions, WorkerPool, type WorkerPoolOptions } from '../../core/worker-pool.ts';
import { embeddedFolder } from '../engine/address.ts';
import type { AppendJob, Matcher } from '../engine/engine.ts';
import type { LogFigures } from '../engine/figures.ts';
import { packJob } from '../engine/packed-job.ts';
import type { LogPush, LogPushed } from '../push/push.ts';
import type { LogStore } from '../store.ts';
import { receiveAnswer } from './answer-stream.ts';
import type { ReaderCalls, SnapshotPort, ThreadData, WriterCalls } from './messages.ts';
import type { LogAnswer, LogQuestion } from './question.ts';

// On whose behalf: questions of different origins take turns.
export type QuestionOrigin = Required<Pick<CallOptions, 'group'>> & Pick<CallOptions, 'signal'>;

export interface LogThreadsOptions {
  address: string; // of the engine: embedded:FOLDER, loki+http://… or victorialogs+http://…
  log: Log;
}

const questionMs = 120_000;
const mostShared = 4; // readers that one contract may have at once
const leastReaders = 4;
const mostWaiting = 100; // questions of one contract
const idleMs = 5 * 60_000;
const youngMb = { writer: 16, reader: 16 };
// Lines that a question works on live in the heap: one that needs more of it loses its thread.
const oldMb = { writer: undefined, reader: 1024 };

export class LogThreads implements LogStore {
  readonly #address: string;
  readonly #writer: WorkerPool<WriterCalls>;
  readonly #readers: WorkerPool<ReaderCalls>;

  constructor({ address, log }: LogThreadsOptions) {
    const optionsOf = (role: keyof typeof youngMb, module: URL): WorkerPoolOptions => ({
      name: 'The log engine',
      module,
      workerData: { address } satisfies ThreadData,
      resourceLimits: {
        maxYoungGenerationSizeMb: youngMb[role],
        ...(oldMb[role] && { maxOldGenerationSizeMb: oldMb[role] }),
      },
      onError: (error) => log.error('log thread broke', { role, error }),
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

  push(push: LogPush): Promise<LogPushed> {
    const { buffer, byteLength } = push.body;
    const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
    return this.#writer.call('push', push, { transfer: isWhole ? [buffer] : [] });
  }

  // Durable when it resolves. Jobs share the syncs, and each is refused alone.
  async append(jobs: readonly AppendJob[]): Promise<void> {
    const appends = jobs.map(packJob).map((packed) => {
      return this.#writer.call('append', packed, { transfer: [packed.buffer] });
    });
    await Promise.all(appends);
  }

  // The body has to be read to its end, or left by ending its iteration; `signal` ends it as well.
  async ask(question: LogQuestion, { group, signal }: QuestionOrigin): Promise<LogAnswer> {
    this.#writer.start(); // the answer includes what it has in memory
    const { port1, port2 } = new MessageChannel();
    const asked = { question, port: port2 };
    const options = { group, deadlineMs: questionMs, transfer: [port2], ...(signal && { signal }) };
    return receiveAnswer(port1, this.#readers.call('ask', asked, options), signal);
  }

  prune(tenant: string, matchers: readonly Matcher[], beforeNs: bigint): Promise<void> {
    return this.#writer.call('prune', { tenant, matchers, beforeNs });
  }

  // Does not start the engine where nothing was ever kept.
  async drop(tenant: string): Promise<void> {
    const folder = embeddedFolder(this.#address);
    if (folder !== undefined && !this.isRunning && !existsSync(folder)) return;
    await this.#writer.call('drop', tenant);
  }

  // Does a slice of the background work. True: there is more.
  tidy(): Promise<boolean> {
    return this.#writer.call('tidy', undefined);
  }

  async figures(): Promise<LogFigures> {
    return this.isRunning ? this.#writer.call('figures', undefined) : {};
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#readers.close()]);
  }
}

function connect(writer: Worker, reader: Worker, index: number): void {
  const { port1, port2 } = new MessageChannel();
  writer.postMessage({ snapshots: port1, reader: index } satisfies SnapshotPort, [port1]);
  reader.postMessage({ snapshots: port2, reader: index } satisfies SnapshotPort, [port2]);
}
