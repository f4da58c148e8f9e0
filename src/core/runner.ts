// Performs accepted operations: steps in order, progress kept in the journal, undo backwards on failure.
// Operations on one resource run one after another; a restart resumes all that a journal still knows.
import { Fault } from '../base/fault.ts';
import type { Values } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { PlantedFaults } from './faults.ts';
import { give, holdsOf, take } from './holds.ts';
import { mark } from './meter.ts';
import type { Model } from './model.ts';
import { type Change, type Journal, type RowState, removalWrites, stepsOf } from './operation.ts';
import { doneMessage, endRequest, findRequest, type Waiters } from './request.ts';
import { pathOf, type Resource, type Step, type Task } from './resource.ts';
import type { Row, Write } from './state/engine.ts';
import type { Store } from './store.ts';

export interface RunnerOptions {
  store: Store;
  model: Model;
  faults: PlantedFaults;
  waiters: Waiters;
  now: () => number;
  paceMs: number;
  log: Log;
}

const eraseAtOnce = 100;
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

  start(journal: Journal, row: Row, request?: Row): void {
    const path = row.place;
    const before = this.#tails.get(path);
    const run = (): Promise<void> => this.#perform(journal, row, request);
    const tail = (before ? before.then(run) : run()).catch((error: unknown) => {
      this.#options.log.error('operation stopped', { request: journal.request, error });
    });
    this.#tails.set(path, tail);
    void tail.then(() => {
      if (this.#tails.get(path) === tail) this.#tails.delete(path);
    });
  }

  async resume(): Promise<number> {
    const rows: Row[] = [];
    for await (const row of this.#options.store.each({ below: '' }, 'journal')) rows.push(row);
    rows.sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const row of rows) this.start(JSON.parse(row.body) as Journal, row);
    return rows.length;
  }

  // Whatever has not ended stays in the journal for the next start.
  async drain(ms: number): Promise<void> {
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
    await Promise.race([Promise.all(this.#tails.values()), deadline]);
    this.#stopped = true;
  }

  async #perform(journal: Journal, row: Row, request: Row | undefined): Promise<void> {
    const steps = this.#steps(journal);
    let journalRow = row;
    if (journal.failed === undefined) {
      try {
        for (; journal.done < steps.length; journal.done++) {
          if (journal.done > 0) journalRow = await this.#keep(journal, journalRow);
          await this.#pause(steps[journal.done] as Planned);
          if (this.#stopped) return;
          await this.#step(steps[journal.done] as Planned);
        }
      } catch (error) {
        journal.failed = this.#messageOf(error, journal);
        journalRow = await this.#keep(journal, journalRow);
      }
    }
    if (journal.failed === undefined) return this.#end(journal, journalRow, request, 'commit');
    // The step that failed may have done half its work: it is undone too.
    for (let at = Math.min(journal.done, steps.length - 1); at >= 0; at--) await this.#undo(steps[at] as Planned);
    return this.#end(journal, journalRow, request, 'abort');
  }

  #steps(journal: Journal): Planned[] {
    const { model } = this.#options;
    return journal.changes.flatMap((change, at) => {
      const resource = model.get(change.kind);
      const memo = journal.memos[at] ?? {};
      journal.memos[at] = memo;
      const values = change.body ? (JSON.parse(change.body) as Values) : {};
      const task: Task = { contract: change.contract, path: change.path, values, memo, desk: model.desk(resource) };
      return stepsOf(model, change).map((step): Planned => ({ step, change, resource, task }));
    });
  }

  #pause({ resource }: Planned): Promise<void> {
    const ms = resource.pace ?? this.#options.paceMs;
    return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve();
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

  async #keep(journal: Journal, row: Row): Promise<Row> {
    const next = { ...row, body: JSON.stringify(journal) };
    await this.#patiently(() => this.#options.store.must([{ op: 'update', table: 'journal', row: next }]));
    return { ...next, version: row.version + 1 };
  }

  async #end(journal: Journal, journalRow: Row, request: Row | undefined, how: 'commit' | 'abort'): Promise<void> {
    const { store, waiters, faults } = this.#options;
    const first = journal.changes[0] as Change;
    await this.#patiently(async () => {
      await faults.strike(first.kind, `${first.way}.${how}`, 'before');
      if (how === 'commit')
        for (const change of journal.changes) if (change.way === 'remove') await this.#erase(change);
      await store.change(async () => {
        const asked = request ?? (await findRequest(store, journal.contract, journal.request));
        const { writes, gone } = await this.#lastWrites(journal, how);
        const failed =
          how === 'abort' ? (journal.failed ?? 'failed') : gone ? 'The resource was deleted meanwhile' : undefined;
        if (asked) writes.push(endRequest(asked, failed ? 'FAILED' : 'DONE', failed ?? doneMessage));
        writes.push({ op: 'remove', table: 'journal', key: journalRow, loose: true });
        request = undefined; // read anew if this is raced
        return { writes, value: undefined };
      });
    });
    waiters.ended(journal.request);
  }

  // All below a resource that is being removed, a hundred rows at a time; others are served in between.
  async #erase(change: Change): Promise<void> {
    const { store, model, now } = this.#options;
    for (;;) {
      const rows = await store.range({ contract: change.contract, below: `${change.path}/`, limit: eraseAtOnce });
      if (rows.length === 0) return;
      const outcome = await store.apply(rows.flatMap((row) => removalWrites(model.find(row.kind), row, now())));
      if (outcome.ok) await new Promise(setImmediate);
    }
  }

  async #lastWrites(journal: Journal, how: 'commit' | 'abort'): Promise<{ writes: Write[]; gone: boolean }> {
    const { store, model } = this.#options;
    const writes: Write[] = [];
    let gone = false;
    for (const change of journal.changes) {
      const row = await store.at(change.contract, change.path);
      if (!row) {
        gone ||= change.way !== 'remove';
        continue;
      }
      const resource = model.get(change.kind);
      if (change.way === 'remove') writes.push(...this.#removal(resource, row, how));
      // A removal that came after this change takes over: it gives back whatever the row holds.
      else if (row.state !== ('DELETING' satisfies RowState)) writes.push(...this.#settle(resource, row, change, how));
    }
    return { writes, gone };
  }

  #removal(resource: Resource, row: Row, how: 'commit' | 'abort'): Write[] {
    if (how === 'commit') return removalWrites(resource, row, this.#options.now());
    return [{ op: 'update', table: 'resource', row: { ...row, state: 'AVAILABLE' satisfies RowState } }];
  }

  #settle(resource: Resource, row: Row, change: Change, how: 'commit' | 'abort'): Write[] {
    const now = this.#options.now();
    const state = 'AVAILABLE' satisfies RowState;
    if (change.way === 'create' && how === 'abort') {
      return [
        { op: 'remove', table: 'resource', key: row, version: row.version },
        ...give(row, holdsOf(row), holdsOf({ hidden: '' })),
      ];
    }
    if (how === 'abort') {
      // What stood before is what the row holds without what the change took.
      const before = change.before ?? '';
      return [
        { op: 'update', table: 'resource', row: { ...row, state, hidden: before } },
        ...give(row, holdsOf(row), holdsOf({ hidden: before })),
      ];
    }
    const next = { ...row, state, body: change.body, hidden: change.hidden };
    const values = JSON.parse(change.body) as Values;
    return [
      { op: 'update', table: 'resource', row: next },
      ...take(row, holdsOf(row), holdsOf(next), () => undefined),
      ...give(row, holdsOf(row), holdsOf(next)),
      ...mark(resource, row.contract, pathOf(row), values, now),
    ];
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
        await new Promise((resolve) => setTimeout(resolve, retryMs[Math.min(tries, retryMs.length - 1)]));
      }
    }
  }
}

interface Planned {
  step: Step;
  change: Change;
  resource: Resource;
  task: Task;
}
