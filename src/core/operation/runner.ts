// Performs accepted operations: steps in order, progress kept in the journal, undo backwards on failure.
// Operations on one resource run one after another; a restart resumes all that a journal still knows.
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { counter, type Figures, gauge } from '../figures.ts';
import type { Model } from '../model.ts';
import type { Node } from '../nodes/node.ts';
import type { Resource } from '../resource.ts';
import type { Key, Outcome, Row, Write } from '../state/engine.ts';
import type { Decision, Store } from '../store.ts';
import { abortWrites, commitWrites, erase, lockCreatedRows } from './commit-and-abort.ts';
import { type Change, type Journal, journalOf, stepsOf, wordOf } from './journal.ts';
import type { Accepted, Started } from './operation.ts';
import type { PlantedFaults } from './planted-faults.ts';
import { failRequest, requestPlace, type Waiters } from './request.ts';
import { type StepTask, taskOf } from './step-task.ts';
import { TimerBatch } from './timer-batch.ts';

export const operationFigures = {
  running: gauge('Operations under way.'),
  done: counter('Operations that were carried out.'),
  failed: counter('Operations that failed and were undone.'),
};

export interface RunnerOptions {
  store: Store;
  model: Model;
  faults: PlantedFaults;
  waiters: Waiters;
  node: Node;
  now: () => number;
  paceMs: number;
  log: Log;
}

const notHeardMs = 100;
const retryMs = [50, 200, 1000, 3000];

// An operation that only takes its time and then leaves the journal.
interface TimedOperation {
  key: Key;
  version: number;
}

export class Runner {
  #options: RunnerOptions;
  #behind = new Map<string, Started[]>(); // by the path of a running operation: those that wait for its end
  #idle = new TimerBatch<TimedOperation>((due) => void this.#leave(due));
  #drained: (() => void) | undefined;
  #done = 0;
  #failed = 0;
  #stopped = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#behind.size;
  }

  figures(): Figures<typeof operationFigures> {
    return { running: this.running, done: this.#done, failed: this.#failed };
  }

  start({ journal }: Pick<Accepted, 'journal'>): void {
    if (journal) this.#enqueue(journal);
    else this.#done += 1; // with its acceptance
  }

  #enqueue(one: Started): void {
    const behind = this.#behind.get(one.row.place);
    if (behind) {
      behind.push(one);
      return;
    }
    this.#behind.set(one.row.place, []);
    this.#begin(one);
  }

  #begin(started: Started): void {
    const { journal, row } = started;
    const idleMs = journal.failed === undefined ? this.#idleMs(journal.changes) : undefined;
    if (idleMs !== undefined && this.#isPlain(journal.changes)) {
      const { contract, place, id, version } = row;
      this.#idle.add(idleMs, { key: { contract, place, id }, version });
      return;
    }
    this.#perform(started, idleMs).then(
      () => this.#ended(row.place),
      (error: unknown) => {
        const { log } = this.#options;
        if (isElsewhere(error)) log.warn('operation left to others', { request: journal.request });
        else log.error('operation stopped', { request: journal.request, error });
        this.#ended(row.place);
      },
    );
  }

  #ended(path: string): void {
    const next = this.#behind.get(path)?.shift();
    if (next) this.#begin(next);
    else this.#behind.delete(path);
    if (this.running === 0) this.#drained?.();
  }

  // Goes on with journals that somebody left behind, in the order they were made.
  adopt(rows: Row[]): void {
    const isLast = ({ kind }: Row): number => (kind === 'remove' ? 1 : 0); // whatever the clocks of two nodes say
    rows.sort((a, b) => isLast(a) - isLast(b) || (a.id < b.id ? -1 : 1));
    for (const row of rows) this.#enqueue({ journal: journalOf(row), row });
  }

  knows({ place }: Row): boolean {
    return this.#behind.has(place);
  }

  // To be called before it is written: from then on it is known who runs it.
  own({ row }: Started): void {
    row.owner = this.#options.node.id;
  }

  // Whatever has not ended stays in the journal for the next start.
  async drain(ms: number): Promise<void> {
    if (this.running > 0)
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
        setTimeout(resolve, ms).unref();
      });
    this.#stopped = true;
  }

  async #perform(started: Started, idleMs: number | undefined): Promise<void> {
    const { journal } = started;
    if (started.row.kind === 'remove' && !(await this.#isNext(started))) return;
    if (idleMs !== undefined) {
      if (idleMs > 0) await pause(idleMs);
      if (await this.#goesOn(started)) await this.#commit(started);
      return;
    }
    const steps = await this.#retryWhileUnavailable(() => this.#steps(started));
    if (journal.failed === undefined) {
      try {
        for (; journal.done < steps.length; journal.done++) {
          if (journal.done > 0) await this.#keep(started);
          await pause(this.#paceOf((steps[journal.done] as StepTask).resource));
          if (!(await this.#goesOn(started))) return;
          await this.#step(started, steps[journal.done] as StepTask);
        }
      } catch (error) {
        if (isElsewhere(error)) throw error;
        journal.failed = this.#messageOf(error, journal);
        await this.#keep(started);
      }
    }
    if (!(await this.#goesOn(started))) return;
    if (journal.failed === undefined) return this.#commit(started);
    // The step that failed may have done half its work: it is undone too.
    for (let at = Math.min(journal.done, steps.length - 1); at >= 0; at--) await this.#undo(steps[at] as StepTask);
    return this.#abort(started, journal.failed);
  }

  // Not after the end was called, nor when another node may have taken it over. Where this node has not been heard of
  // for a while, it waits until it is known which of the two it is.
  async #goesOn({ row }: Started): Promise<boolean> {
    const { node } = this.#options;
    while (!this.#stopped && row.owner === node.id) {
      if (node.isHeard) return true;
      await pause(notHeardMs);
    }
    return false;
  }

  // A removal may be accepted while its target is still being made or changed, by another node as well: it comes after
  // that. Where the other one has died meanwhile and left it to us, it stands behind this one here, and may pass.
  async #isNext(started: Started): Promise<boolean> {
    const { store } = this.#options;
    const { contract, place } = started.row;
    if (store.engine.exclusive) return true;
    while (!this.#stopped) {
      const all = await this.#retryWhileUnavailable(() => store.range({ contract, place, limit: 10 }, 'journal'));
      const before = all.find((one) => one.kind !== 'remove');
      if (!before) return true;
      const behind = this.#behind.get(place) ?? [];
      const at = behind.findIndex(({ row }) => row.id === before.id);
      if (at >= 0) {
        behind.unshift(...behind.splice(at, 1), started);
        return false;
      }
      await pause(notHeardMs);
    }
    return false;
  }

  // How long all steps together take, where none has work to do and no fault is planted: the usual case by far.
  #idleMs(changes: readonly Change[]): number | undefined {
    if (this.#options.faults.any) return undefined;
    let ms = 0;
    for (const change of changes) {
      const resource = this.#options.model.get(change.kind);
      for (const step of stepsOf(this.#options.model, change)) {
        if (step.run || step.undo) return undefined;
        ms += this.#paceOf(resource);
      }
    }
    return ms;
  }

  // For `accept`.
  readonly isInstant = (changes: readonly Change[]): boolean => this.#idleMs(changes) === 0;

  // Nothing is left to write at its end but that it has ended: what stands in nothing is not guarded either.
  #isPlain(changes: readonly Change[]): boolean {
    const { model } = this.#options;
    return changes.every(({ way, kind }) => way === 'create' && isAlone(model.get(kind)));
  }

  // Those that are due leave the journal together; where that fails, each for itself.
  async #leave(due: TimedOperation[]): Promise<void> {
    const { store, faults, waiters, log } = this.#options;
    if (this.#stopped) return;
    try {
      const writes = due.map(({ key, version }): Write => ({ op: 'remove', table: 'journal', key, version }));
      const together = !faults.any && (await this.#retryWhileUnavailable(() => store.apply(writes))).ok;
      for (const { key } of due) {
        if (together) {
          this.#done += 1;
          waiters.ended(key.id);
        } else await this.#leaveAlone(key);
        this.#ended(key.place);
      }
    } catch (error) {
      log.error('operations stopped', { error });
    }
  }

  async #leaveAlone({ contract, place, id }: Key): Promise<void> {
    const row = await this.#retryWhileUnavailable(() => this.#options.store.get(contract, place, id, 'journal'));
    const started = row && { row, journal: journalOf(row) };
    if (started && (await this.#goesOn(started))) await this.#commit(started);
  }

  #paceOf(resource: Resource): number {
    return resource.pace ?? this.#options.paceMs;
  }

  async #steps({ journal, rows }: Started): Promise<StepTask[]> {
    const { model, store } = this.#options;
    const tasks: StepTask[] = [];
    for (const [at, change] of journal.changes.entries()) {
      const steps = stepsOf(model, change);
      if (steps.length === 0) continue;
      const resource = model.get(change.kind);
      const row = rows?.[at] ?? (await store.at(journal.contract, change.path));
      const task = taskOf(journal, at, change.body ?? row?.body ?? '{}', model.context(resource));
      for (const step of steps) tasks.push({ step, change, resource, task });
    }
    return [...tasks.filter(({ step }) => !step.late), ...tasks.filter(({ step }) => step.late)];
  }

  async #step(started: Started, { step, change, task }: StepTask): Promise<void> {
    const { faults } = this.#options;
    const name = `${wordOf(change)}.${step.name}`;
    if (faults.any) {
      await faults.strike(change.kind, name, 'before');
      if (!(await this.#goesOn(started))) throw endedElsewhere(); // a stall may outlast the lease
    }
    await this.#retryWhileUnavailable(async () => step.run?.(task)); // it may ask the store, which can be gone for a while
    await faults.strike(change.kind, name, 'after');
  }

  async #undo({ step, change, task }: StepTask): Promise<void> {
    await this.#retryWhileUnavailable(async () => {
      await this.#options.faults.strike(change.kind, `${wordOf(change)}.${step.name}.undo`, 'before');
      await step.undo?.(task);
    });
  }

  async #keep(started: Started): Promise<void> {
    const { row, journal } = started;
    const next = { ...row, body: JSON.stringify(journal) };
    const { store } = this.#options;
    const { ok } = await this.#retryWhileUnavailable(() =>
      store.apply([{ op: 'update', table: 'journal', row: next }]),
    );
    if (!ok) return this.#recognize(started, next);
    started.row = { ...next, version: row.version + 1 };
  }

  // Written, but not as we know it: the answer to our own writing may have been lost.
  async #recognize(started: Started, { contract, place, id, owner, body }: Row): Promise<void> {
    const row = await this.#options.store.get(contract, place, id, 'journal');
    if (row?.owner !== owner || row.body !== body) throw endedElsewhere();
    started.row = row;
  }

  async #commit(started: Started): Promise<void> {
    const { store, model, now } = this.#options;
    const { journal } = started;
    let known = started.rows;
    const write = async (): Promise<Decision<void>> => {
      const { writes, gone } = await commitWrites({ store, model, now }, journal, known);
      known = undefined; // raced: read anew
      if (gone) writes.push(...(await this.#failure(journal, 'The resource was deleted meanwhile')));
      return { writes: [...writes, leaving(started.row)], value: undefined, refuse: ended(writes.length) };
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
    await this.#end(started, 'abort', async () => {
      await lockCreatedRows({ store, model, now }, journal);
      await store.change(async () => {
        const writes = await abortWrites({ store, model, now }, journal);
        writes.push(...(await this.#failure(journal, message)));
        return { writes: [...writes, leaving(started.row)], value: undefined, refuse: ended(writes.length) };
      });
    });
  }

  async #end({ journal }: Started, how: 'commit' | 'abort', work: () => Promise<void>): Promise<void> {
    const { faults, waiters } = this.#options;
    const first = journal.changes[0] as Change;
    await this.#retryWhileUnavailable(async () => {
      if (faults.any) await faults.strike(first.kind, `${wordOf(first)}.${how}`, 'before');
      await work();
    });
    if (how === 'commit') this.#done += 1;
    else this.#failed += 1;
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
  async #retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
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

const isAlone = (resource: Resource): boolean => resource.parents.length === 0 && !resource.meter;

const leaving = (row: Row): Write => ({ op: 'remove', table: 'journal', key: row, version: row.version });

// Where it is not in the journal as we know it, somebody else has ended it or has taken it over.
const ended = (at: number) => (outcome: Outcome & { ok: false }) => (outcome.at === at ? endedElsewhere() : undefined);

const endedElsewhere = (): Fault => new Fault('conflict', 'The operation is in other hands');
const isElsewhere = (error: unknown): boolean => error instanceof Fault && error.kind === 'conflict';

const pause = (ms: number): Promise<void> =>
  ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve();
