// Runs a model in a separate process, so that no other call of the region waits for it and a crash affects nothing
// else. The process starts with the first call. When it dies, its calls fail and the next call starts it again.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../../base/log.ts';
import { isWindows } from '../../../base/operating-system.ts';
import { EngineError, type TextOrder } from '../engine.ts';
import type { Answer, FromModel, Load, ToModel } from './protocol.ts';

type Call = { answer(answer: Answer): void; fail(error: EngineError): void };
type Order = { kind: 'generate'; order: TextOrder } | { kind: 'count'; input: TextOrder['input'] } | Embed;
type Embed = { kind: 'embed'; texts: string[] };

const program = fileURLToPath(new URL('./child/main.ts', import.meta.url));
const progressStep = 0.25;

export class ModelProcess {
  readonly #load: Load;
  readonly #name: string;
  readonly #log: Log;
  readonly #makeRoom: () => Promise<void>; // in memory, or throws
  readonly #calls = new Map<number, Call>();
  #child: ChildProcess | undefined;
  #loaded: Promise<void> | undefined;
  #nextId = 1;
  #usedAt = performance.now();

  constructor(name: string, load: Load, log: Log, makeRoom: () => Promise<void>) {
    this.#name = name;
    this.#makeRoom = makeRoom;
    this.#load = load;
    this.#log = log;
  }

  get isLoaded(): boolean {
    return this.#child !== undefined;
  }

  // The time since which it is idle; undefined while it works.
  get idleSince(): number | undefined {
    return this.#calls.size > 0 ? undefined : this.#usedAt;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  // Yields answers until the caller returns or an `end` arrives; an abort is sent to the process.
  async *call(order: Order, signal: AbortSignal): AsyncGenerator<Answer, void, undefined> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    const inbox = new Inbox();
    this.#calls.set(id, inbox);
    const abort = (): void => inbox.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    let isDone = false;
    try {
      await inbox.unlessFailed(this.#start());
      this.#send({ ...order, id } as ToModel);
      for (;;) {
        const answer = await inbox.next();
        if ('failed' in answer) {
          isDone = true;
          throw new EngineError(answer.failed, answer.message);
        }
        isDone = !('part' in answer) || answer.part.kind === 'end';
        yield answer;
        if (isDone) return;
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.#calls.delete(id);
      this.#usedAt = performance.now();
      if (!isDone) this.#send({ kind: 'cancel', id });
    }
  }

  // Ends the process; the next call starts it again.
  async stop(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#forget(child);
    this.#failAll(new EngineError('crashed', `The model ${this.#name} was unloaded.`));
    const { promise, resolve } = Promise.withResolvers<void>();
    child.once('exit', () => resolve());
    child.kill('SIGKILL'); // it has nothing to save
    await promise;
  }

  #send(message: ToModel): void {
    if (this.#child?.connected) this.#child.send(message, () => {}); // if it is gone, its exit event fails the calls
  }

  #start(): Promise<void> {
    if (this.#loaded) return this.#loaded;
    const loaded = this.#makeRoom().then(() => this.#spawn());
    this.#loaded = loaded;
    loaded.catch(() => {
      if (this.#loaded === loaded) this.#loaded = undefined;
    });
    return loaded;
  }

  #spawn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const began = performance.now();
    // No core dumps, because they would contain prompts. An empty environment, because a model needs nothing of it.
    const command = [process.execPath, '--no-warnings', program];
    const [first = '', ...words] = isWindows ? command : ['/bin/sh', '-c', 'ulimit -c 0; exec "$0" "$@"', ...command];
    const child = spawn(first, words, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: {},
    });
    this.#child = child;
    this.#log.info('loading a model', { model: this.#name, file: this.#load.file });
    let shown = 0;
    child.on('message', (message: FromModel) => {
      if (message.kind === 'answers') for (const one of message.answers) this.#calls.get(one.id)?.answer(one);
      else if (message.kind === 'log') this.#log.warn('a model says', { model: this.#name, says: message.message });
      else if (message.kind === 'progress' && message.share >= shown + progressStep) {
        shown = message.share;
        this.#log.info('loading a model', { model: this.#name, percent: Math.round(shown * 100) });
      } else if (message.kind === 'loaded') {
        const ms = Math.round(performance.now() - began);
        this.#log.info('loaded a model', { model: this.#name, ms, pid: child.pid });
        resolve();
      } else if (message.kind === 'unloadable') {
        // The library's message names the file, which is not for clients.
        this.#log.error('failed to load a model', { model: this.#name, says: message.message });
        reject(
          new EngineError(
            'crashed',
            `The model ${this.#name} can't be loaded. See the log of the region for the reason.`,
          ),
        );
        child.kill('SIGKILL');
      }
    });
    let isLoaded = false;
    promise.then(
      () => {
        isLoaded = true;
      },
      () => this.#forget(child),
    );
    child.on('error', (error) => reject(new EngineError('crashed', `The model can't be started: ${error.message}`)));
    child.on('exit', (code, signal) => {
      const wasWanted = this.#child === child;
      reject(
        new EngineError('crashed', `The process of the model ${this.#name} ended while the model was being loaded.`),
      );
      if (!wasWanted) return;
      this.#forget(child);
      this.#log.error('the process of a model ended', { model: this.#name, code, signal, calls: this.#calls.size });
      this.#failAll(
        new EngineError('crashed', `The process of the model ${this.#name} ended in the middle of this request.`),
      );
      if (isLoaded) this.#start().catch(() => {}); // the next caller gets the reason of a failure
    });
    child.send(this.#load, () => {});
    return promise;
  }

  #forget(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#loaded = undefined;
  }

  #failAll(error: EngineError): void {
    for (const call of this.#calls.values()) call.fail(error);
  }
}

// Answers in the order of their arrival, for one reader.
class Inbox implements Call {
  readonly #answers: Answer[] = [];
  #failure: { reason: unknown } | undefined;
  #wake: (() => void) | undefined;
  #fails = Promise.withResolvers<never>();

  constructor() {
    this.#fails.promise.catch(() => {});
  }

  answer(answer: Answer): void {
    this.#answers.push(answer);
    this.#wake?.();
  }

  fail(error: EngineError): void {
    this.abort(error);
  }

  abort(reason: unknown): void {
    this.#failure ??= { reason };
    this.#fails.reject(reason);
    this.#wake?.();
  }

  unlessFailed<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#fails.promise]);
  }

  async next(): Promise<Answer> {
    for (;;) {
      const answer = this.#answers.shift();
      if (answer) return answer;
      if (this.#failure) throw this.#failure.reason;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
