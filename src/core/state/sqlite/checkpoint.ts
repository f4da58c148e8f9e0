// Keeps the write-ahead log short without blocking the main thread. A worker runs passive checkpoints beyond a soft
// limit. Under constant writes these never restart the log, so beyond a hard limit writes are paused, asynchronously,
// for the few milliseconds that a restarting checkpoint takes.
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
  resume: () => void; // writes may go on
  isCopied: () => boolean; // a dump copies the file: the log can't restart before it is done
}

const treePages = 8; // inner pages of a commit, besides those of its rows

export class Checkpointer {
  readonly #options: CheckpointOptions;
  readonly #soft: number;
  readonly #hard: number;
  readonly #figures = { checkpoints: 0, restarts: 0, checkpointFailures: 0, checkpointSynchronous: -1 };
  #worker: Worker | undefined;
  #running: Mode | undefined;
  #closing = false;
  #unmeasured = Number.POSITIVE_INFINITY; // estimated pages since the log was measured; infinite: measure it
  #retryAt = 0; // after a failure: not before the log has this many frames

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#soft = options.softBytes / options.frameBytes;
    this.#hard = options.hardBytes / options.frameBytes;
  }

  // To be called after each commit. Measuring the log costs as much as writing a few rows, so it is done only when a
  // quarter of the soft limit may have been written.
  committed(pages: number): void {
    this.#unmeasured += pages + treePages;
    if (this.#running || this.#closing || this.#unmeasured < this.#soft / 4) return;
    const { frames, copied } = this.#options.measure();
    this.#unmeasured = frames === 0 ? Number.POSITIVE_INFINITY : 0; // zero: it could not be measured
    if (frames < this.#retryAt - this.#soft) this.#retryAt = 0;
    if (frames < this.#retryAt) return;
    if (frames - copied > this.#soft || frames > this.#hard) this.#send('PASSIVE');
  }

  isPausing(): boolean {
    return this.#running === 'RESTART';
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
    this.#running = mode;
    this.#worker ??= this.#start();
    // Paused writes wait for the worker, so the process must wait too.
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
      if (this.#running) this.#finish({ mode: this.#running, done: false, synchronous: -1 });
    });
    return worker;
  }

  #finish({ mode, done, synchronous }: Report): void {
    this.#running = undefined;
    this.#unmeasured = Number.POSITIVE_INFINITY;
    const frames = this.#closing ? 0 : this.#options.measure().frames;
    // A passive checkpoint that gives way to another connection is no failure.
    if (synchronous < 0 || (mode === 'RESTART' && !done)) {
      this.#figures.checkpointFailures += 1;
      this.#retryAt = frames + this.#soft;
    } else {
      this.#figures.checkpointSynchronous = synchronous;
      this.#figures[mode === 'PASSIVE' ? 'checkpoints' : 'restarts'] += 1;
      const isDue = mode === 'PASSIVE' && frames > this.#hard && !this.#closing;
      if (isDue && !this.#options.isCopied()) this.#send('RESTART');
    }
    if (mode === 'RESTART') {
      this.#worker?.unref();
      this.#options.resume();
    }
  }
}
