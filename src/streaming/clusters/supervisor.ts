// Keeps the clusters of the region running on the engine's node: it starts all of them after a start of the process,
// and later those whose brokers could not be started. Such a cluster shows as FAILED in the meantime.
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { Seal } from '../../base/seal.ts';
import { failureOf } from '../../core/regional.ts';
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { StreamingEngine } from '../engine/engine.ts';
import { hiddenOf, specOf } from './cluster.ts';
import { everyCluster, keepHandle, keepTrouble } from './cluster-rows.ts';

export interface SupervisorOptions {
  store: Store;
  engine: StreamingEngine;
  seal: Seal;
  log: Log;
  running: Set<string>; // the clusters that this process has started, here or by an operation
}

const mostAtOnce = 4;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #silent = new Set<string>(); // clusters whose last start failed

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { store, running } = this.#options;
    const before = [...running]; // clusters created in the meantime may be missing below
    const seen = new Set<string>();
    const starts: Promise<void>[] = [];
    for await (const row of everyCluster(store)) {
      seen.add(row.id);
      if (running.has(row.id) || !(await this.#isDue(row))) continue;
      starts.push(this.#start(row));
      if (starts.length >= mostAtOnce) await Promise.all(starts.splice(0));
    }
    await Promise.all(starts);
    for (const id of before) if (!seen.has(id)) await this.#stop(id); // another node has removed it
  }

  // Outside brokers run before this process has reached them, unless it has tried.
  isServing(id: string): boolean {
    const { engine, running } = this.#options;
    return running.has(id) || (engine.outside !== undefined && !this.#silent.has(id));
  }

  // Called when another node takes over the clusters.
  async leave(): Promise<void> {
    const { running } = this.#options;
    for (const id of [...running]) await this.#stop(id);
  }

  async #stop(id: string): Promise<void> {
    const { engine, running } = this.#options;
    running.delete(id);
    await engine.stop(id);
  }

  // While a cluster is created or deleted, its operation starts or stops it.
  async #isDue(row: Row): Promise<boolean> {
    if (row.state === 'DELETING') return false;
    if (failureOf(row) !== undefined && hiddenOf(row).isBroken !== true) return false; // it was never created
    return !(await this.#options.store.creating(row.contract, pathOf(row)));
  }

  async #start(row: Row): Promise<void> {
    const { store, engine, seal, log, running } = this.#options;
    try {
      const handle = await engine.start(specOf(row, seal), hiddenOf(row).handle);
      running.add(row.id);
      this.#silent.delete(row.id);
      await keepHandle(store, row, handle);
    } catch (error) {
      this.#silent.add(row.id);
      const isPassing = error instanceof Fault && error.kind === 'unavailable';
      log[isPassing ? 'warn' : 'error']('the brokers of a cluster cannot be started', { cluster: row.id, error });
      if (error instanceof Fault && error.kind === 'refused') await keepTrouble(store, row, error.message);
    }
  }
}
