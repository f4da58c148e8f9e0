// Runs accepted operations. Operations on one resource run one after another; a restart resumes all operations in the
// journal. Operations without work only wait, and leave the journal in batches.
import { withTrace } from '../../base/trace/trace-context.ts';
import { counter, type Figures, gauge } from '../figures.ts';
import type { Resource } from '../resource.ts';
import type { Key, Row, Write } from '../state/engine.ts';
import { type OpenSpan, openSpan } from '../tracing/span.ts';
import { Executor, hasWork, isRunByOtherNode, notHeardMs, paceOf, pause, type RunnerOptions } from './executor.ts';
import { type Change, type Journal, journalOf, stepsOf, wordOf } from './journal.ts';
import type { Accepted, Started } from './operation.ts';
import { TimerBatch } from './timer-batch.ts';

export const operationFigures = {
  running: gauge('Running operations.'),
  done: counter('Completed operations.'),
  failed: counter('Operations that failed and were undone.'),
};

// An operation that only waits and then leaves the journal.
interface TimedOperation {
  key: Key;
  version: number;
  span: OpenSpan | undefined;
}

export class Runner {
  readonly #options: RunnerOptions;
  readonly #executor: Executor;
  #behind = new Map<string, Started[]>(); // by the path of a running operation: those that wait for its end
  #idle = new TimerBatch<TimedOperation>((due) => void this.#leave(due));
  #drained: (() => void) | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#executor = new Executor(options);
  }

  get running(): number {
    return this.#behind.size;
  }

  figures(): Figures<typeof operationFigures> {
    return { running: this.running, done: this.#executor.done, failed: this.#executor.failed };
  }

  start({ journal }: Pick<Accepted, 'journal'>): void {
    if (journal) this.#enqueue({ ...journal, span: this.#openSpan(journal.journal) });
    else this.#executor.done += 1; // with its acceptance
  }

  // Below the span of the call that is being answered.
  #openSpan({ changes, request }: Journal): OpenSpan | undefined {
    const [first] = changes;
    if (!this.#options.spans || !first) return undefined;
    const attributes = { 'cumulet.request_id': request };
    return openSpan(this.#options.spans, { name: `${first.kind} ${wordOf(first)}`, kind: 'internal', attributes });
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
    const { journal, row, span } = started;
    const idleMs = journal.failed === undefined ? this.#idleMs(journal.changes) : undefined;
    if (idleMs !== undefined && this.#isPlain(journal.changes)) {
      const { contract, place, id, version } = row;
      this.#idle.add(idleMs, { key: { contract, place, id }, version, span });
      return;
    }
    withTrace(span?.trace, () => this.#run(started, idleMs)).then(
      () => this.#ended(row.place),
      (error: unknown) => {
        this.#report(journal.request, error);
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

  // Resumes operations of earlier processes or other nodes, in the order of their acceptance.
  adopt(rows: Row[]): void {
    const isLast = ({ kind }: Row): number => (kind === 'remove' ? 1 : 0); // whatever the clocks of two nodes say
    rows.sort((a, b) => isLast(a) - isLast(b) || (a.id < b.id ? -1 : 1));
    for (const row of rows) this.#enqueue({ journal: journalOf(row), row });
  }

  knows({ place }: Row): boolean {
    return this.#behind.has(place);
  }

  // Must be called before the row is written: it names the node that runs the operation.
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
    this.#executor.isStopped = true;
  }

  async #run(started: Started, idleMs: number | undefined): Promise<void> {
    if (started.row.kind === 'remove' && !(await this.#isNext(started))) return;
    if (idleMs === undefined) return this.#executor.run(started);
    await pause(idleMs);
    if (await this.#executor.goesOn(started)) await this.#executor.commit(started);
  }

  // A removal may be accepted while its target is still being created or changed, by another node as well, and runs
  // after that. If that node died and this one took over its operation, it is queued behind the removal, and may pass.
  async #isNext(started: Started): Promise<boolean> {
    const { store } = this.#options;
    const { contract, place } = started.row;
    if (store.engine.exclusive) return true;
    while (!this.#executor.isStopped) {
      const all = await this.#executor.retryWhileUnavailable(() =>
        store.range({ contract, place, limit: 10 }, 'journal'),
      );
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
      const { tools } = this.#options.model.context(resource);
      for (const step of stepsOf(this.#options.model, change)) {
        if (hasWork(step, tools)) return undefined;
        ms += paceOf(this.#options, resource);
      }
    }
    return ms;
  }

  // For `accept`.
  readonly isInstant = (changes: readonly Change[]): boolean => this.#idleMs(changes) === 0;

  // At its end nothing is written but the removal of the journal row: without parents there is no guard either.
  #isPlain(changes: readonly Change[]): boolean {
    const { model } = this.#options;
    return changes.every(({ way, kind }) => way === 'create' && isAlone(model.get(kind)));
  }

  // Those that are due leave the journal together; where that fails, each for itself.
  async #leave(due: TimedOperation[]): Promise<void> {
    if (this.#executor.isStopped) return;
    if (!(await this.#leaveTogether(due))) {
      for (const one of due) void this.#leaveAlone(one);
      return;
    }
    for (const { key, span } of due) {
      this.#executor.done += 1;
      span?.end();
      this.#options.waiters.ended(key.id);
      this.#ended(key.place);
    }
  }

  async #leaveTogether(due: readonly TimedOperation[]): Promise<boolean> {
    const { store, faults, log } = this.#options;
    if (faults.any) return false;
    const writes = due.map(({ key, version }): Write => ({ op: 'remove', table: 'journal', key, version }));
    try {
      return (await this.#executor.retryWhileUnavailable(() => store.apply(writes))).ok;
    } catch (error) {
      log.error('operations could not end together', { error });
      return false;
    }
  }

  // None waits for another, which may be stalled, or fails with it.
  async #leaveAlone({ key: { contract, place, id }, span }: TimedOperation): Promise<void> {
    try {
      const row = await this.#executor.retryWhileUnavailable(() =>
        this.#options.store.get(contract, place, id, 'journal'),
      );
      const started = row && { row, journal: journalOf(row), span };
      if (started && (await this.#executor.goesOn(started))) await this.#executor.commit(started);
    } catch (error) {
      this.#report(id, error);
    }
    this.#ended(place);
  }

  #report(request: string, error: unknown): void {
    const { log } = this.#options;
    if (isRunByOtherNode(error)) log.warn('operation left to others', { request });
    else log.error('operation stopped', { request, error });
  }
}

const isAlone = (resource: Resource): boolean => resource.parents.length === 0 && !resource.usage.meter;
