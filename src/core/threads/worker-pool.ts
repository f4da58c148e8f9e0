// Threads for work that would block the event loop: one or several workers of one module, and typed calls to them. The
// main thread has a WorkerPool; the module answers with `serveCalls` (worker-calls.ts). Threads start with the first
// call that needs them. A thread that dies fails the calls that it had, which may be repeated; the next call starts
// another. Calls wait in line by groups that take turns, so that the many calls of one do not delay another's.
import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import { currentTrace, type Trace } from '../../base/trace/trace-context.ts';
import { FairQueue } from '../fair-queue.ts';
import type { Functions, Message, Settlement } from './worker-calls.ts';

type Argument<Call> = Call extends (argument: infer Given) => unknown ? Given : never;
type Result<Call> = Call extends (argument: never) => infer Given ? Awaited<Given> : never;

export interface WorkerPoolOptions {
  name: string; // begins the message of a call that was lost: 'The metric engine'
  module: URL;
  threads?: number; // 1
  callsPerThread?: number; // more than these wait in line; unlimited if left out
  sharedThreads?: number; // the threads beyond these are for groups that have no call in a thread
  waitingPerGroup?: number; // calls in line; more are refused
  idleMs?: number; // a thread that had no call for this long ends; one that has grown ends earlier
  workerData?: unknown;
  execArgv?: string[];
  resourceLimits?: ResourceLimits;
  onStart?(worker: Worker, index: number): void;
  onError?(error: unknown): void; // the error that ended a thread
}

export interface CallOptions {
  transfer?: Transferable[];
  deadlineMs?: number; // from when a thread has the call; a thread that misses it is ended
  group?: string; // the caller's group
  signal?: AbortSignal; // a call that is aborted in line is not made
}

// Why a thread that had the call came to an end.
export type LossReason = 'deadline' | 'memory' | 'other';

export class LostCall extends Fault {
  readonly reason: LossReason;

  constructor(reason: LossReason, message: string) {
    super('unavailable', message, { retryAfterS: 1 });
    this.reason = reason;
  }
}

export interface WorkerPoolFigures {
  threads: number; // that run
  pending: number; // calls in threads
  waiting: number; // calls in line
  losses: number; // threads that died or missed a deadline
}

interface Call {
  name: string;
  argument: unknown;
  options: CallOptions;
  group: string;
  trace: Trace | undefined;
  resolve(value: never): void;
  reject(error: unknown): void;
  timer?: NodeJS.Timeout;
}

interface Thread {
  worker: Worker;
  pending: Map<number, Call>;
  idle?: NodeJS.Timeout;
  lastGroup?: string; // the thread's caches probably help this group
  isOutOfMemory?: boolean;
}

const closingMs = 20_000;
const grownIdleMs = 15_000;
const grownBytes = 64 * 1024 * 1024; // of its heap and its buffers

export class WorkerPool<Calls extends Functions<Calls>> {
  readonly #options: WorkerPoolOptions;
  readonly #threads: (Thread | undefined)[];
  readonly #queue = new FairQueue<Call>();
  #number = 0;
  #losses = 0;
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#threads = Array.from({ length: options.threads ?? 1 }, () => undefined);
  }

  call<Name extends keyof Calls & string>(
    name: Name,
    argument: Argument<Calls[Name]>,
    options: CallOptions = {},
  ): Promise<Result<Calls[Name]>> {
    if (this.#closed) return Promise.reject(new Fault('unavailable', 'The region is stopping.', { retryAfterS: 1 }));
    const { group = '', signal } = options;
    const { waitingPerGroup: most = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#queue.sizeOf(group) >= most) return Promise.reject(this.#full(most));
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        if (this.#queue.remove(group, call)) call.reject(this.#lost('was left', 'other'));
      };
      // A signal may outlive very many calls, as that of a client that follows a query for days.
      const settled = () => signal?.removeEventListener('abort', leave);
      const call: Call = {
        name,
        argument,
        options,
        group,
        trace: currentTrace(),
        resolve(value) {
          settled();
          resolve(value);
        },
        reject(error) {
          settled();
          reject(error);
        },
      };
      signal?.addEventListener('abort', leave);
      this.#queue.push(group, call);
      this.#dispatch();
    });
  }

  // The threads that run, by their index.
  *workers(): Generator<[index: number, worker: Worker]> {
    for (const [index, thread] of this.#threads.entries()) if (thread) yield [index, thread.worker];
  }

  get isRunning(): boolean {
    return this.#threads.some((thread) => thread !== undefined);
  }

  // All threads, where they are needed before the first call.
  start(): void {
    if (this.#closed) return;
    for (const index of this.#threads.keys()) this.#threads[index] ??= this.#start(index);
  }

  figures(): WorkerPoolFigures {
    const running = this.#threads.filter((thread) => thread !== undefined);
    return {
      threads: running.length,
      pending: running.reduce((sum, { pending }) => sum + pending.size, 0),
      waiting: this.#queue.size,
      losses: this.#losses,
    };
  }

  // Each thread ends its work in its own way; one that takes too long is terminated.
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#queue.drain()) reject(this.#lost('is being closed', 'other'));
    await Promise.all(
      [...this.workers()].map(async ([, worker]) => {
        const exited = new Promise((resolve) => worker.once('exit', resolve));
        const timer = setTimeout(() => void worker.terminate(), closingMs);
        worker.ref();
        worker.postMessage({ close: true } satisfies Message);
        await exited;
        clearTimeout(timer);
      }),
    );
  }

  #dispatch(): void {
    for (;;) {
      const loads = this.#threads.map((thread) => thread?.pending.size ?? 0);
      const least = Math.min(...loads);
      if (least >= (this.#options.callsPerThread ?? Number.POSITIVE_INFINITY)) return;
      const call = this.#queue.take((group) => this.#mayHaveTurn(group));
      if (!call) return;
      const free = [...loads.keys()].filter((index) => loads[index] === least);
      const known = free.find((index) => this.#threads[index]?.lastGroup === call.group);
      const running = free.find((index) => this.#threads[index]);
      this.#send(call, known ?? running ?? (free[0] as number));
    }
  }

  #mayHaveTurn(group: string): boolean {
    const { sharedThreads = Number.POSITIVE_INFINITY } = this.#options;
    const busy = this.#threads.filter((thread) => thread && thread.pending.size > 0) as Thread[];
    return busy.length < sharedThreads || !busy.some(({ pending }) => hasCallOf(pending, group));
  }

  #send(call: Call, index: number): void {
    const thread = this.#threads[index] ?? this.#start(index);
    this.#threads[index] = thread;
    const number = ++this.#number;
    const { name, argument, options, trace } = call;
    try {
      thread.worker.postMessage({ number, name, argument, trace } satisfies Message, options.transfer ?? []);
    } catch (error) {
      call.reject(error); // it can not be cloned
      return;
    }
    if (thread.pending.size === 0) thread.worker.ref();
    clearTimeout(thread.idle);
    thread.pending.set(number, call);
    thread.lastGroup = call.group;
    if (options.deadlineMs === undefined) return;
    const why = `did not answer in ${options.deadlineMs / 1000} s`;
    call.timer = setTimeout(() => this.#end(thread, index, why, 'deadline'), options.deadlineMs);
  }

  #start(index: number): Thread {
    const { module, workerData, execArgv, resourceLimits, onStart, onError } = this.#options;
    const worker = new Worker(module, {
      workerData,
      execArgv: execArgv ?? ['--enable-source-maps'], // each thread has its own setting
      ...(resourceLimits && { resourceLimits }),
    });
    const thread: Thread = { worker, pending: new Map() };
    worker.unref();
    worker.on('message', (settlements: Settlement[]) => this.#settle(thread, index, settlements));
    worker.on('error', (error: NodeJS.ErrnoException) => {
      thread.isOutOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      onError?.(error);
    });
    worker.on('exit', () => {
      if (thread.isOutOfMemory) this.#end(thread, index, 'ran out of memory', 'memory');
      else this.#end(thread, index, 'had to be restarted');
    });
    onStart?.(worker, index);
    return thread;
  }

  #settle(thread: Thread, index: number, settlements: Settlement[]): void {
    for (const [number, value, fault] of settlements) {
      const call = thread.pending.get(number);
      thread.pending.delete(number);
      clearTimeout(call?.timer);
      if (fault) call?.reject(new Fault(fault.kind, fault.message, fault.detail));
      else call?.resolve(value as never);
    }
    if (thread.pending.size === 0) {
      const { idleMs } = this.#options;
      thread.worker.unref();
      clearTimeout(thread.idle);
      if (idleMs !== undefined)
        thread.idle = setTimeout(() => this.#idle(thread, index, idleMs), Math.min(grownIdleMs, idleMs)).unref();
    }
    this.#dispatch();
  }

  // A thread that has grown releases its memory only when it ends. A thread of the usual size is kept a while longer.
  async #idle(thread: Thread, index: number, idleMs: number): Promise<void> {
    if (idleMs <= grownIdleMs) return this.#end(thread, index);
    const { idle } = thread;
    const figures = await thread.worker.getHeapStatistics().catch(() => undefined); // it may have ended
    if (!figures || thread.pending.size > 0 || thread.idle !== idle) return;
    const isGrown = figures.total_physical_size + figures.external_memory > grownBytes;
    if (isGrown) return this.#end(thread, index);
    thread.idle = setTimeout(() => this.#end(thread, index), idleMs - grownIdleMs).unref();
  }

  // Without a reason it is not counted as lost.
  #end(thread: Thread, index: number, why?: string, reason: LossReason = 'other'): void {
    if (this.#threads[index] !== thread) return;
    this.#threads[index] = undefined;
    clearTimeout(thread.idle);
    void thread.worker.terminate();
    if (why !== undefined && !this.#closed) this.#losses++;
    for (const { reject, timer } of thread.pending.values()) {
      clearTimeout(timer);
      reject(this.#lost(why ?? 'ended', reason));
    }
    if (!this.#closed) this.#dispatch();
  }

  #lost(why: string, reason: LossReason): LostCall {
    return new LostCall(reason, `${this.#options.name} ${why}. Try again.`);
  }

  #full(most: number): Fault {
    const message = `${this.#options.name} already has ${most} waiting calls of yours. Try again later.`;
    return new Fault('throttled', message, { retryAfterS: 1 });
  }
}

function hasCallOf(pending: ReadonlyMap<number, Call>, group: string): boolean {
  for (const call of pending.values()) if (call.group === group) return true;
  return false;
}
