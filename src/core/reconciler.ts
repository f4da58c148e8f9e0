// A reconciler never ends, takes no input and converges the actual state to the desired state. It is due by the
// platform's clock, so that moving the clock makes it run, and also by elapsed time: the platform's clock may stop for
// long after the machine's clock has jumped back. A failure is logged, and the reconciler runs again.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { EngineHome } from './nodes/engine-home.ts';
import type { Node } from './nodes/node.ts';

export interface Reconciler {
  readonly name: string;
  readonly everyMs: number;
  readonly home?: ReconcilerHome | undefined; // of data that it works on: it runs on the node that has them
  readonly everywhere?: boolean; // without such a home: on each node; otherwise one node at a time runs it
  run(): Promise<void>;
  // Ends on the other nodes what `run` may have begun there. Both are called as soon as the data change their node.
  leave?(): Promise<void>;
}

export type ReconcilerHome = Pick<EngineHome, 'isShared' | 'isHere' | 'isOnOtherNode' | 'follow'>;

interface Scheduled {
  reconciler: Reconciler;
  dueAt: number;
  ranAt: number; // by performance.now()
  running?: Promise<void> | undefined;
  next?: Promise<void> | undefined; // the run that was requested while it was running
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
    const entry = { reconciler, dueAt: this.#clock.now() + reconciler.everyMs, ranAt: performance.now() };
    this.#entries.push(entry);
    if (reconciler.leave) reconciler.home?.follow(() => void this.#runAfterwards(entry));
  }

  start(): void {
    this.#timer = setInterval(() => {
      for (const entry of this.#due()) void this.#run(entry);
    }, 1000);
    this.#timer.unref();
  }

  // Runs all due reconcilers, and resolves when they have ended. The lab calls it after it moved the clock.
  async runDue(): Promise<void> {
    await Promise.all(this.#due().map((entry) => this.#runAfterwards(entry)));
  }

  // Runs a reconciler now, in addition to its timer, because its input has changed.
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
    entry.running = this.#work(reconciler)
      .catch((error: unknown) => this.#log.error('reconciler failed', { reconciler: reconciler.name, error }))
      .finally(() => {
        entry.running = undefined;
      });
    return entry.running;
  }

  async #work(reconciler: Reconciler): Promise<void> {
    const { name, home, everywhere } = reconciler;
    if (home?.isOnOtherNode) await reconciler.leave?.();
    else if (home && !home.isHere) return;
    else if (everywhere || (home && !home.isShared)) await reconciler.run();
    else await this.#node.alone(`reconciler ${name}`, () => reconciler.run());
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#entries.map((entry) => entry.running));
  }
}
