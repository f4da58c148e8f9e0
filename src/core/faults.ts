// Faults the lab plants into the steps of operations, so that failure, delay and crash can be shown from outside.
// The count that is left is kept before the fault strikes: a crash must not strike again after the restart.
import { Fault } from '../base/fault.ts';
import { rowOf } from './state/engine.ts';
import type { Store } from './store.ts';

export interface PlantedFault {
  kind: string; // the resource's name, or * for every one
  step: string; // `create.provision`, `change.commit`, `remove.*`
  mode: 'fail' | 'stall' | 'crash';
  times: number; // how often it still strikes
  when: 'before' | 'after'; // the step's work
  message: string; // of a failure
}

const key = { contract: 0, place: 'lab', id: 'faults' };

export class PlantedFaults {
  #store: Store;
  #planted: PlantedFault[] = [];
  #stalled = new Set<() => void>();

  constructor(store: Store) {
    this.#store = store;
  }

  async load(): Promise<void> {
    const row = await this.#store.get(key.contract, key.place, key.id);
    this.#planted = row ? (JSON.parse(row.body) as PlantedFault[]) : [];
  }

  // Those that still strike, the same before and after a restart.
  list(): PlantedFault[] {
    return this.#planted.filter((one) => one.times > 0);
  }

  get any(): boolean {
    return this.#planted.length > 0;
  }

  // Replaces all of them; whoever is stalled goes on.
  async plant(faults: PlantedFault[]): Promise<void> {
    this.#planted = faults;
    await this.#keep();
    for (const release of this.#stalled) release();
    this.#stalled.clear();
  }

  async strike(kind: string, step: string, when: 'before' | 'after'): Promise<void> {
    if (this.#planted.length === 0) return;
    const hit = this.#planted.find((one) => one.times > 0 && one.when === when && matches(one, kind, step));
    if (!hit) return;
    hit.times -= 1;
    await this.#keep();
    if (hit.mode === 'crash') process.kill(process.pid, 'SIGKILL');
    if (hit.mode === 'stall') await new Promise<void>((resolve) => this.#stalled.add(resolve));
    if (hit.mode === 'fail') throw new Fault('unavailable', hit.message);
  }

  async #keep(): Promise<void> {
    const body = JSON.stringify(this.list());
    await this.#store.change(async () => {
      const row = await this.#store.get(key.contract, key.place, key.id);
      const next = { ...(row ?? rowOf(key)), kind: 'lab', body };
      return { writes: [{ op: row ? 'update' : 'insert', table: 'resource', row: next }], value: undefined };
    });
  }
}

const matches = (fault: PlantedFault, kind: string, step: string): boolean =>
  (fault.kind === '*' || fault.kind === kind) &&
  (fault.step === '*' ||
    fault.step === step ||
    (fault.step.endsWith('.*') && step.startsWith(fault.step.slice(0, -1))));
