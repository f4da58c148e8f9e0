// Threads for work that would block the event loop: one or several workers of one module, and typed calls to them. The
// main thread has a WorkerPool; the module answers with `serveCalls`. Threads start with the first call that needs
// them. A thread that dies fails the calls that it had, which may be repeated; the next call starts another.
import { parentPort, type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import { Fault, type FaultDetail, type FaultKind } from '../base/fault.ts';

// What a module offers: functions of one argument, which can be cloned, as can what they return.
type Functions<Calls> = { [Name in keyof Calls]: (argument: never) => unknown };
type Argument<Call> = Call extends (argument: infer Given) => unknown ? Given : never;
type Result<Call> = Call extends (argument: never) => infer Given ? Awaited<Given> : never;

export interface WorkerPoolOptions {
  name: string; // begins the message of a call that was lost: 'The metric engine'
  module: URL;
  threads?: number; // 1
  callsPerThread?: number; // more than these wait in line; unlimited if left out
  idleMs?: number; // a thread that had no call for this long ends
  workerData?: unknown;
  execArgv?: string[];
  resourceLimits?: ResourceLimits;
  onStart?(worker: Worker, index: number): void;
  onError?(error: unknown): void; // what a thread died of
}

export interface CallOptions {
  transfer?: Transferable[];
  deadlineMs?: number; // from when a thread has the call; a thread that misses it is ended
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
  resolve(value: never): void;
  reject(error: unknown): void;
  timer?: NodeJS.Timeout;
}

interface Thread {
  worker: Worker;
  pending: Map<number, Call>;
  idle?: NodeJS.Timeout;
}

type Message = { number: number; name: string; argument: unknown } | { close: true };
type SentFault = { kind: FaultKind; message: string; detail: FaultDetail };
type Settlement = [number: number, value: unknown, fault?: SentFault];

const closingMs = 20_000;

export class WorkerPool<Calls extends Functions<Calls>> {
  readonly #options: WorkerPoolOptions;
  readonly #threads: (Thread | undefined)[];
  readonly #queue: Call[] = [];
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
    return new Promise((resolve, reject) => {
      this.#queue.push({ name, argument, options, resolve, reject });
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
      waiting: this.#queue.length,
      losses: this.#losses,
    };
  }

  // Each thread ends its work in its own way; one that takes too long is terminated.
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#queue.splice(0)) reject(this.#lost('is being closed'));
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
      const call = this.#queue[0];
      const loads = this.#threads.map((thread) => thread?.pending.size ?? 0);
      const index = loads.indexOf(Math.min(...loads));
      if (!call || (loads[index] as number) >= (this.#options.callsPerThread ?? Number.POSITIVE_INFINITY)) return;
      this.#queue.shift();
      this.#send(call, index);
    }
  }

  #send(call: Call, index: number): void {
    const thread = this.#threads[index] ?? this.#start(index);
    this.#threads[index] = thread;
    const number = ++this.#number;
    const { name, argument, options } = call;
    try {
      thread.worker.postMessage({ number, name, argument } satisfies Message, options.transfer ?? []);
    } catch (error) {
      call.reject(error); // it can not be cloned
      return;
    }
    if (thread.pending.size === 0) thread.worker.ref();
    clearTimeout(thread.idle);
    thread.pending.set(number, call);
    if (options.deadlineMs === undefined) return;
    const why = `did not answer in ${options.deadlineMs / 1000} s`;
    call.timer = setTimeout(() => this.#end(thread, index, why), options.deadlineMs);
  }

  #start(index: number): Thread {
    const { module, workerData, execArgv, resourceLimits, onStart, onError } = this.#options;
    const worker = new Worker(module, {
      workerData,
      ...(execArgv && { execArgv }),
      ...(resourceLimits && { resourceLimits }),
    });
    const thread: Thread = { worker, pending: new Map() };
    worker.unref();
    worker.on('message', (settlements: Settlement[]) => this.#settle(thread, index, settlements));
    worker.on('error', (error) => onError?.(error));
    worker.on('exit', () => this.#end(thread, index, 'had to be restarted'));
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
      if (idleMs !== undefined) thread.idle = setTimeout(() => this.#end(thread, index), idleMs).unref();
    }
    this.#dispatch();
  }

  // Without a reason it is no loss.
  #end(thread: Thread, index: number, why?: string): void {
    if (this.#threads[index] !== thread) return;
    this.#threads[index] = undefined;
    clearTimeout(thread.idle);
    void thread.worker.terminate();
    if (why !== undefined && !this.#closed) this.#losses++;
    for (const { reject, timer } of thread.pending.values()) {
      clearTimeout(timer);
      reject(this.#lost(why ?? 'ended'));
    }
    if (!this.#closed) this.#dispatch();
  }

  #lost(why: string): Fault {
    return new Fault('unavailable', `${this.#options.name} ${why}. Try again.`, { retryAfterS: 1 });
  }
}

// In the worker: answers calls until the pool is closed. Faults go back to the caller. Anything else is a bug: the
// thread dies of it, so that it is logged whole and no call goes on in a state that nobody has thought of.
export function serveCalls<Calls extends Functions<Calls>>(calls: Calls, close?: () => Promise<void> | void): void {
  let settled: Settlement[] = [];
  let transfer: Transferable[] = [];

  // Calls that end together are told in one message.
  const flush = (): void => {
    parentPort?.postMessage(settled, transfer);
    settled = [];
    transfer = [];
  };
  const settle = (settlement: Settlement): void => {
    if (settled.push(settlement) === 1) queueMicrotask(flush);
  };
  parentPort?.on('message', async (message: Message | object) => {
    if ('close' in message) {
      await close?.();
      process.exit();
    }
    if (!('number' in message)) return; // something between this thread and another
    const { number, name, argument } = message;
    try {
      const value = await calls[name as keyof Calls](argument as never);
      transfer.push(...(transfers.get(value as object) ?? []));
      settle([number, value]);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { cause: _, ...detail } = error.detail;
      settle([number, undefined, { kind: error.kind, message: error.message, detail }]);
    }
  });
}

const transfers = new WeakMap<object, Transferable[]>();

// Marks what a call returns: these parts of it are moved to the caller instead of copied.
export function transferring<Value extends object>(value: Value, parts: Transferable[]): Value {
  transfers.set(value, parts);
  return value;
}
