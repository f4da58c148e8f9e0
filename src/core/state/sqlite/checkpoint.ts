// Keeps the write-ahead log short without stopping the main thread. A worker copies it passively whenever
// enough has gathered. Under constant writes that alone never ends the log, so beyond a second bound the
// writes are held, asynchronously, for the few milliseconds the worker needs for the rest.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { StateFigures } from '../figures.ts';
import type { Mode, Order, Report } from './checkpoint-worker.ts';

export interface CheckpointOptions {
  file: string;
  frameBytes: number;
  softBytes: number;
  hardBytes: number;
  measure: () => { frames: number; copied: number };
  release: () => void; // writes may go on
  isRead: () => boolean; // somebody reads one moment for a while: the log can't begin anew until they are done
}

const treePages = 8; // of a commit, besides those of its rows

export class Checkpointer {
  readonly #options: CheckpointOptions;
  readonly #soft: number;
  readonly #hard: number;
  readonly #figures = { checkpoints: 0, restarts: 0, checkpointFailures: 0, checkpointSynchronous: -1 };
  #worker: Worker | undefined;
  #order: Mode | undefined;
  #closing = false;
  #unseen = Number.POSITIVE_INFINITY; // pages since the log was looked at, by and large; at first it may be any
  #retryAt = 0; // after a failure: not before the log has this many frames

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#soft = options.softBytes / options.frameBytes;
    this.#hard = options.hardBytes / options.frameBytes;
  }

  // To be called after each commit. Asking how long the log is costs as much as writing a few rows, so it is not asked
  // before a good part of what is allowed may have been written.
  look(pages: number): void {
    this.#unseen += pages + treePages;
    if (this.#order || this.#closing || this.#unseen < this.#soft / 4) return;
    const { frames, copied } = this.#options.measure();
    this.#unseen = frames === 0 ? Number.POSITIVE_INFINITY : 0; // none: it could not be told
    if (frames < this.#retryAt - this.#soft) this.#retryAt = 0;
    if (frames < this.#retryAt) return;
    if (frames - copied > this.#soft || frames > this.#hard) this.#send('PASSIVE');
  }

  held(): boolean {
    return this.#order === 'RESTART';
  }

  figures(): StateFigures {
    return { ...this.#figures };
  }

  async close(): Promise<void> {
    this.#closing = true;
    const ending = this.#worker;
    if (!ending) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    ending.once('exit', () => resolve());
    ending.ref();
    ending.postMessage('CLOSE' satisfies Order);
    await promise;
  }

  #send(mode: Mode): void {
    this.#order = mode;
    this.#worker ??= this.#start();
    // Held writes wait for the worker, so the process must wait too.
    if (mode === 'RESTART') this.#worker.ref();
    this.#worker.postMessage(mode satisfies Order);
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./checkpoint-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: { file: this.#options.file },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    });
    worker.unref();
    worker.on('message', (report: Report) => this.#finish(report));
    worker.on('error', () => {}); // counted as a failure when it exits
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      if (this.#order) this.#finish({ mode: this.#order, done: false, synchronous: -1 });
    });
    return worker;
  }

  #finish({ mode, done, synchronous }: Report): void {
    this.#order = undefined;
    this.#unseen = Number.POSITIVE_INFINITY;
    const frames = this.#closing ? 0 : this.#options.measure().frames;
    // A passive checkpoint that gives way to another connection is no failure.
    if (synchronous < 0 || (mode === 'RESTART' && !done)) {
      this.#figures.checkpointFailures += 1;
      this.#retryAt = frames + this.#soft;
    } else {
      this.#figures.checkpointSynchronous = synchronous;
      this.#figures[mode === 'PASSIVE' ? 'checkpoints' : 'restarts'] += 1;
      const isDue = mode === 'PASSIVE' && frames > this.#hard && !this.#closing;
      if (isDue && !this.#options.isRead()) this.#send('RESTART');
    }
    if (mode === 'RESTART') {
      this.#worker?.unref();
      this.#options.release();
    }
  }
}
