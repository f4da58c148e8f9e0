// Work that only the node with the data can do. Other nodes leave it as a row of the state, and a reconciler of the
// node with the data does it. Each job may run twice: a node may be killed before the row is removed.
import { Fault } from '../../base/fault.ts';
import type { Reconciler, ReconcilerHome } from '../reconciler.ts';
import { type Row, rowOf } from '../state/engine.ts';
import type { Store } from '../store.ts';
import type { EngineHome } from './engine-home.ts';

export interface HomeJobsOptions<Job> {
  store: Store;
  home: Pick<EngineHome, 'otherAddress'> & ReconcilerHome;
  name: string; // of the reconciler, and the place of the rows
  everyMs: number;
  isAwaited: boolean; // the caller asks again until the outcome is known; otherwise it is enough that the job is stored
  work(job: Job, id: string): Promise<void>;
}

type Outcome = { done: true } | { refused: string };

interface Left<Job> {
  job: Job;
  outcome?: Outcome;
}

export class HomeJobs<Job> {
  readonly #options: HomeJobsOptions<Job>;

  constructor(options: HomeJobsOptions<Job>) {
    this.#options = options;
  }

  // Two jobs with the same id are the same job. Where it is awaited, this rejects with 'unavailable' until the outcome
  // is known: operations repeat such steps.
  async perform(id: string, job: Job): Promise<void> {
    const { store, home, name, isAwaited, work } = this.#options;
    if (home.isHere || (isAwaited && (await home.otherAddress()) === undefined)) return work(job, id);
    const row = rowOf({ contract: 0, place: name, id, body: JSON.stringify({ job } satisfies Left<Job>) });
    const known = await store.get(0, name, id, 'claim');
    if (!known) await store.apply([{ op: 'insert', table: 'claim', row }]);
    if (!isAwaited) return;
    const outcome = known && this.#read(known).outcome;
    if (!outcome)
      throw new Fault('unavailable', 'The node that keeps the data has not done this yet.', { retryAfterS: 1 });
    await store.apply([{ op: 'remove', table: 'claim', key: row, loose: true }]);
    if ('refused' in outcome) throw new Fault('refused', outcome.refused);
  }

  reconciler(): Reconciler {
    const { name, everyMs, home, store } = this.#options;
    // A region with one node leaves no job.
    const run = async (): Promise<void> => (store.engine.exclusive ? undefined : this.runLeft());
    return { name: `${name}s`, everyMs, home, everywhere: true, run };
  }

  // Does what other nodes have left.
  async runLeft(): Promise<void> {
    const { store, name } = this.#options;
    for await (const row of store.each({ contract: 0, place: name }, 'claim')) {
      const { job, outcome } = this.#read(row);
      if (!outcome) await this.#settle(row, job);
    }
  }

  async #settle(row: Row, job: Job): Promise<void> {
    const { store, isAwaited, work } = this.#options;
    const outcome: Outcome = await work(job, row.id).then(
      () => ({ done: true }),
      (error: unknown) => {
        if (!isAwaited || !(error instanceof Fault) || error.kind === 'unavailable') throw error;
        return { refused: error.message };
      },
    );
    if (!isAwaited) await store.apply([{ op: 'remove', table: 'claim', key: row, loose: true }]);
    else await store.apply([{ op: 'update', table: 'claim', row: { ...row, body: JSON.stringify({ job, outcome }) } }]);
  }

  // A row of an earlier version has no body where its id says everything.
  #read({ body }: Row): Left<Job> {
    return JSON.parse(body === '' ? '{}' : body) as Left<Job>;
  }
}
