// Performs accepted operations: steps in order, progress kept in the journal, undo backwards on failure.
// Operations on one resource run one after another; a restart resumes all that a journal still knows.
import { Fault } from '../base/fault.ts';
import type { Values } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { abortWrites, commitWrites, erase } from './ending.ts';
import type { PlantedFaults } from './faults.ts';
import type { Model } from './model.ts';
import { type Change, type Journal, type Started, stepsOf } from './operation.ts';
import { failRequest, requestPlace, type Waiters } from './request.ts';
import type { Resource, Step, Task } from './resource.ts';
import type { Decision, Store } from './store.ts';

export interface RunnerOptions {
  store: Store;
  model: Model;
  faults: PlantedFaults;
  waiters: Waiters;
  now: () => number;
  paceMs: number;
  log: Log;
}

const retryMs = [50, 200, 1000, 3000];

export class Runner {
  #options: RunnerOptions;
  #tails = new Map<string, Promise<void>>();
  #stopped = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#tails.size;
  }

  start(started: Started): void {
    const path = started.row.place;
    const before = this.#tails.get(path);
    const performed = before ? before.then(() => this.#perform(started)) : this.#perform(started);
    const tail: Promise<void> = performed.then(
      () => this.#ended(path, tail),
      (error: unknown) => {
        this.#options.log.error('operation stopped', { request: started.journal.request, error });
        this.#ended(path, tail);
      },
    );
    this.#tails.set(path, tail);
  }

  #ended(path: string, tail: Promise<void>): void {
    if (this.#tails.get(path) === tail) this.#tails.delete(path);
  }

  async resume(): Promise<number> {
    const rows = await this.#options.store.learn();
    rows.sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const row of rows) this.start({ journal: JSON.parse(row.body) as Journal, row });
    return rows.length;
  }

  // Whatever has not ended stays in the journal for the next start.
  async drain(ms: number): Promise<void> {
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
    await Promise.race([Promise.all(this.#tails.values()), deadline]);
    this.#stopped = true;
  }

  async #perform(started: Started): Promise<void> {
    const { journal } = started;
    const idleMs = this.#idleMs(journal);
    if (idleMs !== undefined) {
      if (idleMs > 0) await pause(idleMs);
      if (!this.#stopped) await this.#commit(started);
      return;
    }
    const steps = await this.#steps(started);
    if (journal.failed === undefined) {
      try {
        for (; journal.done < steps.length; journal.done++) {
          if (journal.done > 0) await this.#keep(started);
          await pause(this.#paceOf((steps[journal.done] as Planned).resource));
          if (this.#stopped) return;
          await this.#step(steps[journal.done] as Planned);
        }
      } catch (error) {
        journal.failed = this.#messageOf(error, journal);
        await this.#keep(started);
      }
    }
    if (journal.failed === undefined) return this.#commit(started);
    // The step that failed may have done half its work: it is undone too.
    for (let at = Math.min(journal.done, steps.length - 1); at >= 0; at--) await this.#undo(steps[at] as Planned);
    return this.#abort(started, journal.failed);
  }

  // How long all steps together take, where none has work to do and no fault is planted: the usual case by far.
  #idleMs(journal: Journal): number | undefined {
    if (this.#options.faults.any || journal.failed !== undefined) return undefined;
    let ms = 0;
    for (const change of journal.changes) {
      const resource = this.#options.model.get(change.kind);
      for (const step of resource[change.way]) {
        if (step.run || step.undo) return undefined;
        ms += this.#paceOf(resource);
      }
    }
    return ms;
  }

  #paceOf(resource: Resource): number {
    return resource.pace ?? this.#options.paceMs;
  }

  async #steps({ journal, rows }: Started): Promise<Planned[]> {
    const { model, store } = this.#options;
    const planned: Planned[] = [];
    for (const [at, change] of journal.changes.entries()) {
      const steps = stepsOf(model, change);
      if (steps.length === 0) continue;
      const resource = model.get(change.kind);
      const row = rows?.[at] ?? (await store.at(journal.contract, change.path));
      const task = taskOf(journal, at, change.body ?? row?.body ?? '{}', model.desk(resource));
      for (const step of steps) planned.push({ step, change, resource, task });
    }
    return planned;
  }

  async #step({ step, change, task }: Planned): Promise<void> {
    const { faults } = this.#options;
    const name = `${change.way}.${step.name}`;
    await faults.strike(change.kind, name, 'before');
    await step.run?.(task);
    await faults.strike(change.kind, name, 'after');
  }

  async #undo({ step, change, task }: Planned): Promise<void> {
    await this.#patiently(async () => {
      await this.#options.faults.strike(change.kind, `${change.way}.${step.name}.undo`, 'before');
      await step.undo?.(task);
    });
  }

  async #keep(started: Started): Promise<void> {
    const { row, journal } = started;
    const next = { ...row, body: JSON.stringify(journal) };
    await this.#patiently(() => this.#options.store.must([{ op: 'update', table: 'journal', row: next }]));
    started.row = { ...next, version: row.version + 1 };
  }

  async #commit(started: Started): Promise<void> {
    const { store, model, now } = this.#options;
    const { journal } = started;
    let known = started.rows;
    const write = async (): Promise<Decision<void>> => {
      const { writes, gone } = await commitWrites({ store, model, now }, journal, known);
      known = undefined; // raced: read anew
      if (gone) writes.push(...(await this.#failure(journal, 'The resource was deleted meanwhile')));
      writes.push({ op: 'remove', table: 'journal', key: started.row, loose: true });
      return { writes, value: undefined };
    };
    await this.#end(started, 'commit', async () => {
      for (const change of journal.changes)
        if (change.way === 'remove') await erase({ store, model, now }, journal.contract, change);
      await store.change(write);
    });
  }

  async #abort(started: Started, message: string): Promise<void> {
    const { store, model, now } = this.#options;
    const { journal } = started;
    await this.#end(started, 'abort', () =>
      store.change(async () => {
        const writes = await abortWrites({ store, model, now }, journal);
        writes.push(...(await this.#failure(journal, message)));
        return {
          writes: [...writes, { op: 'remove', table: 'journal', key: started.row, loose: true }],
          value: undefined,
        };
      }),
    );
  }

  async #end({ journal }: Started, how: 'commit' | 'abort', work: () => Promise<void>): Promise<void> {
    const { faults, waiters } = this.#options;
    const { kind, way } = journal.changes[0] as Change;
    await this.#patiently(async () => {
      if (faults.any) await faults.strike(kind, `${way}.${how}`, 'before');
      await work();
    });
    waiters.ended(journal.request);
  }

  async #failure(journal: Journal, message: string) {
    const request = await this.#options.store.get(journal.contract, requestPlace, journal.request, 'request');
    return request ? [failRequest(request, message)] : [];
  }

  #messageOf(error: unknown, journal: Journal): string {
    if (error instanceof Fault) return error.message;
    this.#options.log.error('step failed', { request: journal.request, error });
    return 'An internal error broke this operation; it was undone';
  }

  // The store can't write for a while (a full disk): the operation waits, it is not lost.
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Fault && error.kind === 'unavailable') || this.#stopped) throw error;
        await pause(retryMs[Math.min(tries, retryMs.length - 1)] ?? 0);
      }
    }
  }
}

const pause = (ms: number): Promise<void> =>
  ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve();

interface Planned {
  step: Step;
  change: Change;
  resource: Resource;
  task: Task;
}

// Most steps look at nothing: the values are parsed when one asks for them.
function taskOf(journal: Journal, at: number, body: string, desk: Task['desk']): Task {
  const { contract, changes, memos } = journal;
  let values: Values | undefined;
  const memo = memos[at] ?? {};
  memos[at] = memo;
  return {
    contract,
    path: (changes[at] as Change).path,
    memo,
    desk,
    get values() {
      values ??= JSON.parse(body) as Values;
      return values;
    },
  };
}
