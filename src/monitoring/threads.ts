// The metric engine works in threads of its own, so that neither decoding nor a heavy query holds up anybody else's
// call: one thread writes, a few answer questions. They begin with the first need of them. A thread that breaks costs
// the calls that it had, which may be repeated, and is begun anew.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { letHelpersGoLast } from '../base/thread-priority.ts';
import { embeddedFolder, type HeadMessage } from './engine/address.ts';
import type { Pushed, PushJob } from './engine/engine.ts';
import type { MetricFigures } from './engine/figures.ts';

export interface Question {
  tenant: string;
  path: string; // query, query_range, label/job/values …
  parameters: string; // as in a URL
  nowMs: number;
}

export interface Answer {
  status: number;
  body: Uint8Array;
}

export interface MetricThreadsOptions {
  address: string; // of the engine: embedded:FOLDER or prometheus+http://…
  log: Log;
  questionMs?: number; // before a question is given up
}

export interface WriterCalls {
  push: { job: PushJob };
  prune: { tenant: string; beforeMs: number };
  drop: { tenant: string };
  tidy: Record<never, never>;
  figures: Record<never, never>;
}

export interface WriterReplies {
  push: Pushed;
  prune: null;
  drop: null;
  tidy: boolean;
  figures: MetricFigures;
}

// What goes over: a call with its number, and answers by number, many at a time.
export interface Call {
  number: number;
  kind: string;
  with: unknown;
}

export type Settlement = [number: number, value: unknown, fault?: { kind: Fault['kind']; message: string }];

const questionMs = 120_000;
const closingMs = 20_000;
const mostReaders = 4;
// What lives long there lies outside of the heap; where others wait for a breath, a collection shall be short.
const youngMb = { writer: 16, reader: 3 };

export class MetricThreads {
  readonly #options: MetricThreadsOptions;
  readonly #writer: Thread;
  readonly #readers: Thread[];
  #closed = false;

  constructor(options: MetricThreadsOptions) {
    this.#options = options;
    const count = Math.min(mostReaders, Math.max(1, availableParallelism() - 1));
    this.#readers = Array.from({ length: count }, (_, at) =>
      createThread('reader', options, (worker) => this.#connect(at, worker)),
    );
    this.#writer = createThread('writer', options, () => this.#connectAll());
  }

  get isRunning(): boolean {
    return this.#writer.isRunning;
  }

  push(job: PushJob): Promise<Pushed> {
    const { buffer } = job.push.body;
    return this.#call('push', { job }, buffer instanceof ArrayBuffer ? [buffer] : []);
  }

  async ask(question: Question): Promise<Answer> {
    this.#demandOpen();
    this.#writer.start(); // what it has in memory belongs to the answer
    const [free = this.#readers[0] as Thread] = [...this.#readers].sort((a, b) => a.waiting - b.waiting);
    const limit = this.#options.questionMs ?? questionMs;
    const timer = setTimeout(() => free.abandon(`a query did not end in ${limit / 1000} s`), limit);
    try {
      return (await free.call('ask', question)) as Answer;
    } finally {
      clearTimeout(timer);
    }
  }

  async prune(tenant: string, beforeMs: number): Promise<void> {
    await this.#call('prune', { tenant, beforeMs });
  }

  // Where nothing was ever kept there is no need to begin.
  async drop(tenant: string): Promise<void> {
    const folder = embeddedFolder(this.#options.address);
    if (folder !== undefined && !this.isRunning && !existsSync(folder)) return;
    await this.#call('drop', { tenant });
  }

  tidy(): Promise<boolean> {
    return this.#call('tidy', {});
  }

  async figures(): Promise<MetricFigures> {
    return this.#writer.isRunning ? this.#call('figures', {}) : {};
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#writer, ...this.#readers].map((thread) => thread.close()));
  }

  #call<Kind extends keyof WriterCalls>(
    kind: Kind,
    message: WriterCalls[Kind],
    transfer: ArrayBuffer[] = [],
  ): Promise<WriterReplies[Kind]> {
    this.#demandOpen();
    return this.#writer.call(kind, message, transfer) as Promise<WriterReplies[Kind]>;
  }

  #demandOpen(): void {
    if (this.#closed) throw new Fault('unavailable', 'The region is stopping.', { retryAfterS: 1 });
  }

  // The writer shows each reader what it has in memory, by a channel between the two.
  #connect(at: number, reader: Worker): void {
    const writer = this.#writer?.worker;
    if (writer) join(writer, reader, at);
  }

  #connectAll(): void {
    const writer = this.#writer.worker;
    for (const [at, { worker }] of this.#readers.entries()) if (worker && writer) join(writer, worker, at);
  }
}

function join(writer: Worker, reader: Worker, at: number): void {
  const { port1, port2 } = new MessageChannel();
  writer.postMessage({ head: port1, at }, [port1]);
  reader.postMessage({ head: port2 }, [port2]);
}

// `told`: that was all it has in memory; what comes from now on is new.
export type HeardFromWriter = HeadMessage | { told: true };

export interface HeadPort {
  head: MessagePort;
  at?: number; // the reader's number: a new port takes the place of its old one
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Thread {
  readonly worker: Worker | undefined;
  readonly isRunning: boolean;
  readonly waiting: number;
  start(): Worker;
  call(kind: string, message: unknown, transfer?: ArrayBuffer[]): Promise<unknown>;
  abandon(why: string): void;
  close(): Promise<void>;
}

function createThread(
  role: 'writer' | 'reader',
  { address, log }: MetricThreadsOptions,
  started: (worker: Worker) => void,
): Thread {
  const pending = new Map<number, Pending>();
  let worker: Worker | undefined;
  let number = 0;

  const failAll = (message: string): void => {
    const fault = new Fault('unavailable', message, { retryAfterS: 1 });
    for (const { reject } of pending.values()) reject(fault);
    pending.clear();
  };
  const settle = (settlements: Settlement[]): void => {
    for (const [at, value, fault] of settlements) {
      const one = pending.get(at);
      pending.delete(at);
      if (fault) one?.reject(new Fault(fault.kind, fault.message));
      else one?.resolve(value);
    }
  };
  const start = (): Worker => {
    if (worker) return worker;
    const file = new URL(`./thread-${role}${extname(import.meta.url)}`, import.meta.url); // .js in the npm package
    const made = new Worker(file, {
      workerData: { address },
      resourceLimits: { maxYoungGenerationSizeMb: youngMb[role] },
    });
    worker = made;
    if (role === 'reader') letHelpersGoLast(); // from now on they compile and collect for queries
    made.unref();
    made.on('message', settle);
    made.on('error', (error) => log.error('metric thread broke', { role, error }));
    made.on('exit', () => {
      if (worker !== made) return;
      worker = undefined;
      failAll('The metric engine had to begin anew. Try again.');
    });
    started(made);
    return made;
  };
  return {
    get worker() {
      return worker;
    },
    get isRunning() {
      return worker !== undefined;
    },
    get waiting() {
      return pending.size;
    },
    start,
    call(kind, message, transfer = []) {
      return new Promise((resolve, reject) => {
        const target = start();
        pending.set(++number, { resolve, reject });
        target.postMessage({ number, kind, with: message } satisfies Call, transfer);
      });
    },
    abandon(why) {
      const broken = worker;
      worker = undefined;
      log.warn('metric thread given up', { role, why });
      failAll(`The metric engine had to begin anew: ${why}.`);
      void broken?.terminate();
    },
    async close() {
      const target = worker;
      if (!target) return;
      target.ref();
      const timer = setTimeout(() => void target.terminate(), closingMs);
      const ended = new Promise((resolve) => target.once('exit', resolve));
      target.postMessage({ number: 0, kind: 'close', with: undefined } satisfies Call);
      await ended;
      clearTimeout(timer);
    },
  };
}
