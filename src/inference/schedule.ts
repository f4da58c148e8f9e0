// Schedules orders. Each engine runs a number of orders at once; the others wait in a queue in which contracts take
// turns. The queue is bounded: an order that finds it full is refused with Retry-After. A client that leaves leaves the
// queue.
import { Fault } from '../base/fault.ts';
import { FairQueue } from '../core/fair-queue.ts';
import { counter, type Figures, gauge } from '../core/figures.ts';
import { readAhead } from './read-ahead.ts';

const maxWaiting = 128; // for one engine
const maxOfContract = 64; // of these

interface Scheduled {
  readonly parallel: number;
}

interface Waiting {
  begin(): void;
}

interface Turns {
  running: number;
  queue: FairQueue<Waiting>;
}

export const scheduleFigures = {
  running: gauge('Orders that engines are working on.'),
  waiting: gauge('Orders that wait for their turn.'),
  refused: counter('Orders that were refused because the queue was full.'),
} as const;

export class Schedule {
  readonly #turns = new Map<Scheduled, Turns>(); // of engines with orders
  #refused = 0;

  async run<T>(engine: Scheduled, contract: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#acquire(engine, contract, signal);
    try {
      return await work();
    } finally {
      this.#release(engine);
    }
  }

  async *stream<T>(
    engine: Scheduled,
    contract: number,
    signal: AbortSignal,
    source: () => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    await this.#acquire(engine, contract, signal);
    yield* readAhead(source(), () => this.#release(engine));
  }

  figures(): Figures<typeof scheduleFigures> {
    const all = [...this.#turns.values()];
    return {
      running: all.reduce((sum, { running }) => sum + running, 0),
      waiting: all.reduce((sum, { queue }) => sum + queue.size, 0),
      refused: this.#refused,
    };
  }

  async #acquire(engine: Scheduled, contract: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const turns = this.#turns.get(engine) ?? { running: 0, queue: new FairQueue<Waiting>() };
    this.#turns.set(engine, turns);
    if (turns.running < engine.parallel) {
      turns.running += 1;
      return;
    }
    const group = String(contract);
    if (turns.queue.size >= maxWaiting || turns.queue.sizeOf(group) >= maxOfContract) {
      this.#refused += 1;
      const message = 'The model is overloaded. Try again in a few seconds.';
      throw new Fault('throttled', message, { code: 'queue_full', retryAfterS: 5 });
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { begin: resolve };
    const leave = (): void => {
      if (turns.queue.remove(group, waiting)) reject(signal.reason);
    };
    turns.queue.push(group, waiting);
    signal.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  // The turn goes to the next order in the queue, which counts as running from now on.
  #release(engine: Scheduled): void {
    const turns = this.#turns.get(engine);
    if (!turns) return;
    const next = turns.queue.take(() => true);
    if (next) next.begin();
    else turns.running -= 1;
    if (turns.running === 0) this.#turns.delete(engine);
  }
}
