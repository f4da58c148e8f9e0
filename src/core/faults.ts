// Faults the lab plants into the steps of operations, so that failure, delay and crash can be shown from outside.
// The count that is left is kept before the fault strikes: a crash must not strike again after the restart.
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { Model } from './model.ts';
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
  #log: Log;
  #planted: PlantedFault[] = [];
  #stalled = new Set<() => void>();

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
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
    if (hit.mode === 'crash') {
      this.#log.error('the lab ends this process', { kind, step, when });
      process.kill(process.pid, 'SIGKILL');
    }
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

// What a fault can name: the kinds, and for each the points of its operations.
export function pointsOf(model: Model): Map<string, string[]> {
  const points = new Map<string, string[]>();
  for (const resource of model.all()) {
    const own = (['create', 'change', 'remove'] as const).flatMap((way) => [
      ...resource[way].flatMap(({ name }) => [`${way}.${name}`, `${way}.${name}.undo`]),
      ...(resource[way].length || way === 'remove' ? [`${way}.commit`, `${way}.abort`] : []),
    ]);
    points.set(resource.name, own);
  }
  return points;
}

export function demandKnown(model: Model, faults: readonly PlantedFault[]): void {
  const points = pointsOf(model);
  for (const { kind, step } of faults) {
    const known = kind === '*' ? [...new Set([...points.values()].flat())] : points.get(kind);
    if (!known)
      throw new Fault(
        'refused',
        `[(root).faults] There is no kind ${kind}. Known: *, ${[...points.keys()].join(', ')}`,
      );
    const fits =
      step === '*' || known.some((one) => one === step || (step.endsWith('.*') && one.startsWith(step.slice(0, -1))));
    if (!fits) throw new Fault('refused', `[(root).faults] ${kind} has no step ${step}. Known: *, ${known.join(', ')}`);
  }
}
