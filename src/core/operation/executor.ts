// Executes one accepted operation: its steps in order, with progress kept in the journal between them, then commit,
// or after a failure undo backwards and abort. The journal row is removed at the version that is known here, so an
// operation that another node has taken over can't be ended twice.
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { Model } from '../model.ts';
import type { Node } from '../nodes/node.ts';
import type { Resource, Step } from '../resource.ts';
import type { Outcome, Row, Write } from '../state/engine.ts';
import type { Decision, Store } from '../store.ts';
import { inSpan, type SpanSink } from '../tracing/span.ts';
import { abortWrites, commitWrites, erase, lockCreatedRows } from './commit-and-abort.ts';
import { type Change, type Journal, stepsOf, wordOf } from './journal.ts';
import type { Started } from './operation.ts';
import type { PlantedFaults } from './planted-faults.ts';
import { failRequest, requestPlace, type Waiters } from './request.ts';
import { type StepTask, taskOf } from './step-task.ts';

export interface RunnerOptions {
  store: Store;
  model: Model;
  faults: PlantedFaults;
  waiters: Waiters;
  node: Node;
  now: () => number;
  paceMs: number;
  log: Log;
  spans?: SpanSink | undefined;
}

export const notHeardMs = 100;
const retryMs = [50, 200, 1000, 3000];

export class Executor {
  readonly #options: RunnerOptions;
  done = 0; // operations, since the start of the process
  failed = 0;
  isStopped = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  async run(started: Started): Promise<void> {
    const { journal } = started;
    const steps = await this.retryWhileUnavailable(() => this.#steps(started));
    if (journal.failed === undefined) {
      try {
        for (; journal.done < steps.length; journal.done++) {
          if (journal.done > 0) await this.#keep(started);
          await pause(paceOf(this.#options, (steps[journal.done] as StepTask).resource));
          if (!(await this.goesOn(started))) return;
          await this.#step(started, steps[journal.done] as StepTask);
        }
      } catch (error) {
        if (isRunByOtherNode(error)) throw error;
        journal.failed = this.#messageOf(error, journal);
        await this.#keep(started);
      }
    }
    if (!(await this.goesOn(started))) return;
    if (journal.failed === undefined) return this.commit(started);
    // The step that failed may have done half its work: it is undone too.
    for (let at = Math.min(journal.done, steps.length - 1); at >= 0; at--) await this.#undo(steps[at] as StepTask);
    return this.#abort(started, journal.failed);
  }

  // Not after the end was called, nor when another node may have taken it over. Where this node has not been heard of
  // for a while, it waits until it is known which of the two it is.
  async goesOn({ row }: Started): Promise<boolean> {
    const { node } = this.#options;
    while (!this.isStopped && row.owner === node.id) {
      if (node.isHeard) return true;
      await pause(notHeardMs);
    }
    return false;
  }

  async #steps({ journal, rows }: Started): Promise<StepTask[]> {
    const { model, store } = this.#options;
    const tasks: StepTask[] = [];
    for (const [at, change] of journal.changes.entries()) {
      const steps = stepsOf(model, change);
      if (steps.length === 0) continue;
      const resource = model.get(change.kind);
      const row = rows?.[at] ?? (await store.at(journal.contract, change.path));
      const task = taskOf(journal, at, row, model.context(resource));
      for (const step of steps) tasks.push({ step, change, resource, task });
    }
    return [...tasks.filter(({ step }) => !step.late), ...tasks.filter(({ step }) => step.late)];
  }

  async #step(started: Started, { step, change, task }: StepTask): Promise<void> {
    const { faults, spans } = this.#options;
    const name = `${wordOf(change)}.${step.name}`;
    if (faults.any) {
      await faults.strike(task.contract, change.kind, name, 'before');
      if (!(await this.goesOn(started))) throw runByOtherNode(); // a stall may outlast the lease
    }
    // A step may ask the store, which can be unavailable for a while.
    if (step.run && hasWork(step, task.context.tools))
      await inSpan(spans, `${change.kind} ${name}`, {}, () => this.retryWhileUnavailable(async () => step.run?.(task)));
    await faults.strike(task.contract, change.kind, name, 'after');
  }

  async #undo({ step, change, task }: StepTask): Promise<void> {
    const { faults, spans } = this.#options;
    const name = `${wordOf(change)}.${step.name}.undo`;
    await this.retryWhileUnavailable(async () => {
      await faults.strike(task.contract, change.kind, name, 'before');
      if (step.undo && hasWork(step, task.context.tools))
        await inSpan(spans, `${change.kind} ${name}`, {}, async () => step.undo?.(task));
    });
  }

  async #keep(started: Started): Promise<void> {
    const { row, journal } = started;
    const next = { ...row, body: JSON.stringify(journal) };
    const { store } = this.#options;
    const { ok } = await this.retryWhileUnavailable(() => store.apply([{ op: 'update', table: 'journal', row: next }]));
    if (!ok) return this.#recognize(started, next);
    started.row = { ...next, version: row.version + 1 };
  }

  // Written, but not as we know it: the answer to our own writing may have been lost.
  async #recognize(started: Started, { contract, place, id, owner, body }: Row): Promise<void> {
    const row = await this.#options.store.get(contract, place, id, 'journal');
    if (row?.owner !== owner || row.body !== body) throw runByOtherNode();
    started.row = row;
  }

  async commit(started: Started): Promise<void> {
    const { store, model, now } = this.#options;
    const { journal } = started;
    let known = started.rows;
    const write = async (): Promise<Decision<void>> => {
      const { writes, gone } = await commitWrites({ store, model, now }, journal, known);
      known = undefined; // another write came first: read again
      if (gone) writes.push(...(await this.#failure(journal, 'The resource was deleted during the operation')));
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

  async #end({ journal, span }: Started, how: 'commit' | 'abort', work: () => Promise<void>): Promise<void> {
    const { faults, waiters } = this.#options;
    const first = journal.changes[0] as Change;
    await this.retryWhileUnavailable(async () => {
      if (faults.any) await faults.strike(journal.contract, first.kind, `${wordOf(first)}.${how}`, 'before');
      await work();
    });
    if (how === 'commit') this.done += 1;
    else this.failed += 1;
    span?.end(how === 'abort' ? { 'error.type': 'aborted' } : {});
    waiters.ended(journal.request);
  }

  async #failure(journal: Journal, message: string) {
    const request = await this.#options.store.get(journal.contract, requestPlace, journal.request, 'request');
    return request ? [failRequest(request, message)] : [];
  }

  #messageOf(error: unknown, journal: Journal): string {
    if (error instanceof Fault) return error.message;
    this.#options.log.error('step failed', { request: journal.request, error });
    return 'The operation failed with an internal error and was undone';
  }

  // The store can't write for a while (a full disk): the operation waits, it is not lost.
  async retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Fault && error.kind === 'unavailable') || this.isStopped) throw error;
        await pause(retryMs[Math.min(tries, retryMs.length - 1)] ?? 0);
      }
    }
  }
}

export const hasWork = (step: Step, tools: unknown): boolean =>
  Boolean(step.run || step.undo) && (step.isNeeded?.(tools) ?? true);

export const paceOf = ({ paceMs }: RunnerOptions, resource: Resource): number => resource.lifecycle.pace ?? paceMs;

const leaving = (row: Row): Write => ({ op: 'remove', table: 'journal', key: row, version: row.version });

// A journal row of another version: another node has ended the operation or has taken it over.
const ended = (at: number) => (outcome: Outcome & { ok: false }) => (outcome.at === at ? runByOtherNode() : undefined);

// A separate class, because a conflict that a step throws is a failure of the step, which must be undone.
class RunByOtherNode extends Fault {}
const runByOtherNode = (): Fault => new RunByOtherNode('conflict', 'Another node runs this operation');
export const isRunByOtherNode = (error: unknown): boolean => error instanceof RunByOtherNode;

export const pause = (ms: number): Promise<void> =>
  ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve();
