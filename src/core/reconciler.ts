// A reconciler never ends, takes no input and converges what is to what should be. It is due by the platform's
// clock, so that moving the clock makes it run, and by time that passed besides: the clock may stand still for long,
// after the machine's has jumped back. One that fails is logged and comes again.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Node } from './nodes/node.ts';

export interface Reconciler {
  readonly name: string;
  readonly everyMs: number;
  readonly everywhere?: boolean; // on each node; else one at a time has it
  run(): Promise<void>;
}

interface Scheduled {
  reconciler: Reconciler;
  dueAt: number;
  ranAt: number; // as performance.now() tells
  running?: Promise<void> | undefined;
  next?: Promise<void> | undefined; // the run that was asked for while it was running
}

export class Reconcilers {
  #clock: Clock;
  #log: Log;
  #entries: Scheduled[] = [];
  #node: Node;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock, log: Log, node: Node) {
    this.#clock = clock;
    this.#log = log;
    this.#node = node;
  }

  add(reconciler: Reconciler): void {
    this.#entries.push({ reconciler, dueAt: this.#clock.now() + reconciler.everyMs, ranAt: performance.now() });
  }

  start(): void {
    this.#timer = setInterval(() => {
      for (const entry of this.#due()) void this.#run(entry);
    }, 1000);
    this.#timer.unref();
  }

  // Runs what is due; resolves when that has run. The lab calls it after it moved the clock.
  async runDue(): Promise<void> {
    await Promise.all(this.#due().map((entry) => this.#runAfterwards(entry)));
  }

  // Runs one of them now, besides its timer: something has changed that it looks after.
  async nudge(name: string): Promise<void> {
    const entry = this.#entries.find(({ reconciler }) => reconciler.name === name);
    if (!entry) throw new Error(`there is no reconciler ${name}`);
    await this.#runAfterwards(entry);
  }

  #due(): Scheduled[] {
    const now = this.#clock.now();
    return this.#entries.filter(
      ({ dueAt, ranAt, reconciler }) => dueAt <= now || performance.now() - ranAt >= reconciler.everyMs,
    );
  }

  // One that is running runs once more: it may have looked before the change.
  #runAfterwards(entry: Scheduled): Promise<void> {
    if (!entry.running) return this.#run(entry);
    entry.next ??= entry.running.then(() => this.#run(entry));
    return entry.next;
  }

  #run(entry: Scheduled): Promise<void> {
    entry.dueAt = this.#clock.now() + entry.reconciler.everyMs;
    entry.ranAt = performance.now();
    if (entry.running) return entry.running;
    entry.next = undefined;
    const { reconciler } = entry;
    entry.running = (
      reconciler.everywhere
        ? reconciler.run()
        : this.#node.alone(`reconciler ${reconciler.name}`, () => reconciler.run())
    )
      .catch((error: unknown) => this.#log.error('reconciler failed', { reconciler: entry.reconciler.name, error }))
      .finally(() => {
        entry.running = undefined;
      });
    return entry.running;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#entries.map((entry) => entry.running));
  }
}
