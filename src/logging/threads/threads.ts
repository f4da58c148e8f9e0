// The log engine in threads of its own, so that neither compressing blocks nor a search blocks the event loop.
import { MessageChannel } from 'node:worker_threads';
import type { Log } from '../../base/log.ts';
import { EngineThreads } from '../../core/threads/engine-threads.ts';
import type { CallOptions } from '../../core/threads/worker-pool.ts';
import { embeddedFolder } from '../engine/address.ts';
import type { AppendJob, Matcher } from '../engine/engine.ts';
import type { LogFigures } from '../engine/figures.ts';
import { packJob } from '../engine/packed-job.ts';
import type { LogPush, LogPushed } from '../push/push.ts';
import type { LogStore } from '../store.ts';
import { receiveAnswer } from './answer-stream.ts';
import type { ReaderCalls, WriterCalls } from './messages.ts';
import type { LogAnswer, LogQuestion } from './question.ts';

// On whose behalf: questions of different origins take turns.
export type QuestionOrigin = Required<Pick<CallOptions, 'group'>> & Pick<CallOptions, 'signal'>;

export interface LogThreadsOptions {
  address: string; // of the engine: embedded:FOLDER, loki+http://… or victorialogs+http://…
  log: Log;
}

const questionMs = 120_000;
const readerIdleMs = 5 * 60_000;
const writerLimits = { maxYoungGenerationSizeMb: 16 };
// Lines that a question works on live in the heap: one that needs more of it loses its thread.
const readerLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1024 };

export class LogThreads implements LogStore {
  readonly #threads: EngineThreads<WriterCalls, ReaderCalls>;

  constructor({ address, log }: LogThreadsOptions) {
    this.#threads = new EngineThreads({
      name: 'log',
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

  push(push: LogPush): Promise<LogPushed> {
    const { buffer, byteLength } = push.body;
    const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
    return this.#threads.writer.call('push', push, { transfer: isWhole ? [buffer] : [] });
  }

  // Durable when it resolves. Jobs share the syncs, and each is refused alone.
  async append(jobs: readonly AppendJob[]): Promise<void> {
    const appends = jobs.map(packJob).map((packed) => {
      return this.#threads.writer.call('append', packed, { transfer: [packed.buffer] });
    });
    await Promise.all(appends);
  }

  // The body has to be read to its end, or left by ending its iteration; `signal` ends it as well.
  async ask(question: LogQuestion, { group, signal }: QuestionOrigin): Promise<LogAnswer> {
    this.#threads.writer.start(); // the answer includes what it has in memory
    const { port1, port2 } = new MessageChannel();
    const asked = { question, port: port2 };
    const options = { group, deadlineMs: questionMs, transfer: [port2], ...(signal && { signal }) };
    return receiveAnswer(port1, this.#threads.readers.call('ask', asked, options), signal);
  }

  prune(tenant: string, matchers: readonly Matcher[], beforeNs: bigint): Promise<void> {
    return this.#threads.writer.call('prune', { tenant, matchers, beforeNs });
  }

  // Does not start the engine where nothing was ever kept.
  async drop(tenant: string): Promise<void> {
    if (!this.#threads.isEmpty) await this.#threads.writer.call('drop', tenant);
  }

  // Does a slice of the background work. True: there is more.
  tidy(): Promise<boolean> {
    return this.#threads.writer.call('tidy', undefined);
  }

  async figures(): Promise<LogFigures> {
    return this.isRunning ? this.#threads.writer.call('figures', undefined) : {};
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
