// The log engine in separate threads, so that neither compressing blocks nor a search blocks the event loop.
import { MessageChannel } from 'node:worker_threads';
import type { Log } from '../../base/log.ts';
import { EngineThreads } from '../../core/threads/engine-threads.ts';
import { movable } from '../../core/threads/worker-calls.ts';
import { type CallOptions, LostCall, WorkerPool } from '../../core/threads/worker-pool.ts';
import { embeddedFolder } from '../engine/address.ts';
import type { AppendJob, Matcher } from '../engine/engine.ts';
import type { LogFigures } from '../engine/figures.ts';
import { packJob } from '../engine/packed-job.ts';
import type { LogPush, LogPushed } from '../push/push.ts';
import type { LogStore } from '../store.ts';
import { receiveAnswer } from './answer-stream.ts';
import { type DecoderCalls, mostQuickBytes, type ReaderCalls, type WriterCalls } from './messages.ts';
import type { LogAnswer, LogQuestion } from './question.ts';

// The origin of a query: queries of different origins take turns.
export type QuestionOrigin = Required<Pick<CallOptions, 'group'>> & Pick<CallOptions, 'signal'>;

export interface LogThreadsOptions {
  address: string; // of the engine: embedded:FOLDER, loki+http://… or victorialogs+http://…
  log: Log;
}

const questionMs = 120_000;
const decodingMs = 60_000;
const decoderIdleMs = 20_000;
const mostWaitingPushes = 100;
const readerIdleMs = 5 * 60_000;
const writerLimits = { maxYoungGenerationSizeMb: 16 };
const decoderLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 };
// The lines of a query live in the heap: a query that needs more of it loses its thread.
const readerLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1024 };

export class LogThreads implements LogStore {
  readonly #threads: EngineThreads<WriterCalls, ReaderCalls>;
  readonly #decoders: WorkerPool<DecoderCalls>;

  constructor({ address, log }: LogThreadsOptions) {
    // A pipeline gets at most one of them while another one has a large push.
    this.#decoders = new WorkerPool({
      name: 'The log engine',
      module: new URL('./decoder.ts', import.meta.url),
      threads: 2,
      sharedThreads: 1,
      callsPerThread: 1,
      waitingPerGroup: mostWaitingPushes,
      idleMs: decoderIdleMs,
      resourceLimits: decoderLimits,
      onError: (error) => log.error('log thread broke', { role: 'decoder', error }),
    });
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

  // Durable when it resolves.
  async push(push: LogPush): Promise<LogPushed> {
    if (push.body.length > mostQuickBytes) return this.#pushLarge(push);
    const pushed = await this.#threads.writer.call('push', push, { transfer: movable(push.body) });
    return 'large' in pushed ? this.#pushLarge({ ...push, body: pushed.large }) : pushed;
  }

  async #pushLarge(push: LogPush): Promise<LogPushed> {
    const options = { group: push.tenant, deadlineMs: decodingMs, transfer: movable(push.body) };
    const { pushed, packed } = await this.#decoders.call('decode', push, options).catch(refused);
    if (packed) await this.#threads.writer.call('append', packed, { transfer: [packed.buffer] });
    return pushed;
  }

  // Durable when it resolves. Jobs share the syncs, and each is refused separately.
  async append(jobs: readonly AppendJob[]): Promise<void> {
    const appends = jobs.map(packJob).map((packed) => {
      return this.#threads.writer.call('append', packed, { transfer: [packed.buffer] });
    });
    await Promise.all(appends);
  }

  // The body must be read to its end, or released by ending its iteration; `signal` ends it as well.
  async ask(question: LogQuestion, { group, signal }: QuestionOrigin): Promise<LogAnswer> {
    this.#threads.writer.start(); // the answer includes lines in its memory
    const { port1, port2 } = new MessageChannel();
    const request = { question, port: port2 };
    const options = { group, deadlineMs: questionMs, transfer: [port2], ...(signal && { signal }) };
    return receiveAnswer(port1, this.#threads.readers.call('ask', request, options), signal);
  }

  prune(tenant: string, matchers: readonly Matcher[], beforeNs: bigint): Promise<void> {
    return this.#threads.writer.call('prune', { tenant, matchers, beforeNs });
  }

  // Does not start the engine if no lines were ever stored.
  async drop(tenant: string): Promise<void> {
    if (!this.#threads.isEmpty) await this.#threads.writer.call('drop', tenant);
  }

  // Performs a slice of the background work. True: there is more.
  tidy(): Promise<boolean> {
    return this.#threads.writer.call('tidy', undefined);
  }

  async figures(): Promise<LogFigures> {
    return this.isRunning ? this.#threads.writer.call('figures', undefined) : {};
  }

  async close(): Promise<void> {
    await this.#decoders.close();
    await this.#threads.close();
  }
}

// Agents would endlessly repeat a push that ends its thread each time.
export function refused(error: unknown): { pushed: LogPushed; packed?: undefined } {
  if (!(error instanceof LostCall) || error.reason === 'other') throw error;
  const message = 'The push takes too much memory or time to decode. Send smaller pushes.';
  return { pushed: { lines: 0, dropped: 0, reasons: [], fault: { kind: 'oversized', message } } };
}
