// Keeps the write-ahead log short without blocking the main thread. A worker runs passive checkpoints beyond a soft
// limit. Under constant writes these never restart the log, so beyond a hard limit writes are paused, asynchronously,
// for the few milliseconds that a restarting checkpoint takes.
import { WorkerPool } from '../../threads/worker-pool.ts';
import type { StateFigures } from '../figures.ts';
import type { CheckpointCalls, Mode, Report } from './checkpoint-worker.ts';

export interface CheckpointOptions {
  file: string;
  frameBytes: number;
  softBytes: number;
  hardBytes: number;
  measure: () => { frames: number; copied: number };
  resume: () => void; // writes may continue
  isCopied: () => boolean; // a dump copies the file: the log can't restart before it is done
}

const treePages = 8; // inner pages of a commit, in addition to those of its rows

export class Checkpointer {
  readonly #options: CheckpointOptions;
  readonly #soft: number;
  readonly #hard: number;
  readonly #figures = { checkpoints: 0, restarts: 0, checkpointFailures: 0, checkpointSynchronous: -1 };
  readonly #thread: WorkerPool<CheckpointCalls>;
  #running: Mode | undefined;
  #closing = false;
  #unmeasured = Number.POSITIVE_INFINITY; // estimated pages since the log was measured; infinite: measure it
  #retryAt = 0; // after a failure: not before the log has this many frames

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#soft = options.softBytes / options.frameBytes;
    this.#hard = options.hardBytes / options.frameBytes;
    this.#thread = new WorkerPool({
      name: 'The checkpoint',
      module: new URL('./checkpoint-worker.ts', import.meta.url),
      workerData: { file: options.file },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    });
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
    if (frames - copied > this.#soft || frames > this.#hard) void this.#run('PASSIVE');
  }

  isPausing(): boolean {
    return this.#running === 'RESTART';
  }

  figures(): StateFigures {
    return { ...this.#figures };
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#thread.close();
  }

  async #run(mode: Mode): Promise<void> {
    this.#running = mode;
    const failure = { done: false, synchronous: -1 };
    this.#finish(mode, await this.#thread.call('checkpoint', mode).catch(() => failure));
  }

  #finish(mode: Mode, { done, synchronous }: Report): void {
    this.#running = undefined;
    this.#unmeasured = Number.POSITIVE_INFINITY;
    const frames = this.#closing ? 0 : this.#options.measure().frames;
    // A passive checkpoint that yields to another connection has not failed.
    if (synchronous < 0 || (mode === 'RESTART' && !done)) {
      this.#figures.checkpointFailures += 1;
      this.#retryAt = frames + this.#soft;
    } else {
      this.#figures.checkpointSynchronous = synchronous;
      this.#figures[mode === 'PASSIVE' ? 'checkpoints' : 'restarts'] += 1;
      const isDue = mode === 'PASSIVE' && frames > this.#hard && !this.#closing;
      if (isDue && !this.#options.isCopied()) void this.#run('RESTART');
    }
    if (mode === 'RESTART') this.#options.resume();
  }
}
