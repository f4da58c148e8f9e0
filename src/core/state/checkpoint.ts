// Keeps the write-ahead log short without stopping the main thread. A worker copies it passively whenever
// enough has gathered. Under constant writes that alone never ends the log, so beyond a second bound the
// writes are held, asynchronously, for the few milliseconds the worker needs for the rest.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Mode, Order, Report } from './checkpoint-worker.ts';

export interface CheckpointOptions {
  file: string;
  frameBytes: number;
  softBytes: number;
  hardBytes: number;
  measure: () => { frames: number; copied: number };
  release: () => void; // writes may go on
}

export interface Checkpointer {
  look(): void; // to be called after each commit
  held(): boolean;
  figures(): Record<string, number>;
  close(): Promise<void>;
}

export function createCheckpointer(options: CheckpointOptions): Checkpointer {
  const { file, measure, release } = options;
  const soft = options.softBytes / options.frameBytes;
  const hard = options.hardBytes / options.frameBytes;
  const figures = { checkpoints: 0, restarts: 0, checkpointFailures: 0, checkpointSynchronous: -1 };
  let worker: Worker | undefined;
  let order: Mode | undefined;
  let closing = false;
  let retryAt = 0; // after a failure: not before the log has this many frames

  const start = (): Worker => {
    const begun = new Worker(new URL(`./checkpoint-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: { file },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    });
    begun.unref();
    begun.on('message', (report: Report) => finish(report));
    begun.on('error', () => {});
    begun.on('exit', () => {
      if (worker === begun) worker = undefined;
      if (order) finish({ mode: order, done: false, synchronous: -1 });
    });
    return begun;
  };

  const send = (mode: Mode): void => {
    order = mode;
    worker ??= start();
    // Held writes wait for the worker, so the process must wait too.
    if (mode === 'RESTART') worker.ref();
    worker.postMessage(mode satisfies Order);
  };

  const finish = ({ mode, done, synchronous }: Report): void => {
    order = undefined;
    if (done || mode === 'PASSIVE') figures.checkpointSynchronous = synchronous;
    const { frames } = closing ? { frames: 0 } : measure();
    // A passive checkpoint that gives way to another is no failure.
    if (synchronous < 0 || (mode === 'RESTART' && !done)) {
      figures.checkpointFailures += 1;
      retryAt = frames + soft;
    } else {
      figures[mode === 'PASSIVE' ? 'checkpoints' : 'restarts'] += 1;
      if (mode === 'PASSIVE' && frames > hard && !closing) send('RESTART');
    }
    if (mode === 'RESTART') {
      worker?.unref();
      release();
    }
  };

  return {
    look() {
      if (order || closing) return;
      const { frames, copied } = measure();
      if (frames < retryAt - soft) retryAt = 0;
      if (frames >= retryAt && (frames - copied > soft || frames > hard)) send('PASSIVE');
    },
    held: () => order === 'RESTART',
    figures: () => ({ ...figures }),
    async close() {
      closing = true;
      const ending = worker;
      if (!ending) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      ending.once('exit', () => resolve());
      ending.ref();
      ending.postMessage('CLOSE' satisfies Order);
      await promise;
    },
  };
}
