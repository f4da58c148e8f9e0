// The work of operations on the engine. An engine that runs on one node's machine does its work there: another node
// leaves the job in the state and asks for its outcome again and again, and the engine's node looks for such jobs.
// Every job may run twice.
import { Fault } from '../../base/fault.ts';
import type { Seal } from '../../base/seal.ts';
import type { EngineHome } from '../../core/nodes/engine-home.ts';
import { type Row, rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { StreamingEngine } from '../engine/engine.ts';
import type { Job } from '../tools.ts';
import { hiddenOf, specOf } from './cluster.ts';
import { keepHandle } from './cluster-rows.ts';
import { topicSpecOf } from './topic.ts';

export interface JobOptions {
  store: Store;
  engine: StreamingEngine;
  home: Pick<EngineHome, 'elsewhere'> | undefined; // absent: every node reaches the engine
  seal: Seal;
  running: Set<string>; // the clusters that this process has started
}

type Outcome = { done: true } | { refused: string };

const place = 'streaming-job';

export class Jobs {
  readonly #options: JobOptions;

  constructor(options: JobOptions) {
    this.#options = options;
  }

  // Rejects with 'unavailable' as long as the outcome is not known: whoever performs operations asks again.
  async perform(job: Job): Promise<void> {
    if ((await this.#options.home?.elsewhere()) === undefined) return this.#run(job);
    const outcome = await this.#outcomeElsewhere(job);
    if ('refused' in outcome) throw new Fault('refused', outcome.refused);
  }

  async #outcomeElsewhere(job: Job): Promise<Outcome> {
    const { store } = this.#options;
    const row = rowOf({ contract: 0, place, id: `${job.verb} ${job.path}`, body: JSON.stringify({ job }) });
    const known = await store.get(0, place, row.id, 'claim');
    const { outcome } = known ? (JSON.parse(known.body) as { outcome?: Outcome }) : {};
    if (!known) await store.apply([{ op: 'insert', table: 'claim', row }]);
    if (!outcome)
      throw new Fault('unavailable', 'The node that has the brokers did not do it yet.', { retryAfterS: 1 });
    await store.apply([{ op: 'remove', table: 'claim', key: row, loose: true }]);
    return outcome;
  }

  // On the engine's node: what other nodes have left.
  async runLeft(): Promise<void> {
    const { store } = this.#options;
    for await (const row of store.each({ contract: 0, place }, 'claim')) {
      const { job, outcome } = JSON.parse(row.body) as { job: Job; outcome?: Outcome };
      if (!outcome) await this.#settle(row, job);
    }
  }

  async #settle(row: Row, job: Job): Promise<void> {
    let outcome: Outcome = { done: true };
    try {
      await this.#run(job);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind === 'unavailable') throw error;
      outcome = { refused: error.message };
    }
    const next = { ...row, body: JSON.stringify({ job, outcome }) };
    await this.#options.store.apply([{ op: 'update', table: 'claim', row: next }]);
  }

  async #run({ verb, contract, path }: Job): Promise<void> {
    const { store, engine, seal, running } = this.#options;
    const row = await store.at(contract, path);
    if (!row) return;
    if (verb === 'start') {
      const handle = await engine.start(specOf(row, seal), hiddenOf(row).handle);
      running.add(row.id);
      return keepHandle(store, row, handle);
    }
    if (verb === 'remove') {
      running.delete(row.id);
      return engine.remove(row.id, hiddenOf(row).handle);
    }
    const cluster = await store.at(contract, path.replace(/\/topics\/[^/]*$/, ''));
    const isGone = !cluster || cluster.state === 'DELETING';
    if (verb === 'delete topic') return isGone ? undefined : engine.deleteTopic(cluster.id, topicSpecOf(row).name);
    if (isGone) throw new Fault('refused', 'The cluster was deleted meanwhile.');
    await engine.createTopic(cluster.id, topicSpecOf(row));
  }
}
