// Faults the lab plants into the steps of operations, so that failure, delay and crash can be shown from outside.
// The count that is left is kept before the fault strikes: a crash must not strike again after the restart.
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Model } from '../model.ts';
import { type Row, rowOf, type Write } from '../state/engine.ts';
import type { Store } from '../store.ts';

export interface PlantedFault {
  kind: string; // the resource's name, or * for every one
  step: string; // `create.provision`, `change.commit`, `remove.*`
  mode: 'fail' | 'stall' | 'crash';
  times: number; // how often it still strikes
  when: 'before' | 'after'; // the step's work
  message: string; // of a failure
  contract?: number; // the contract whose operations it strikes; absent: all contracts
}

const key = { contract: 0, place: 'lab', id: 'faults' };

export class PlantedFaults {
  #store: Store;
  #log: Log;
  #planted: PlantedFault[] = [];
  #plantings: Plantings = {};
  #stalled = new Map<() => void, string>(); // with the planting of their fault

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  // At the start, and whenever another node has planted some or was struck.
  load(): Promise<void> {
    return this.#keep((row) => {
      this.#follow(row);
      return undefined;
    });
  }

  #follow({ body, hidden }: Row): void {
    this.#planted = JSON.parse(body) as PlantedFault[];
    this.#plantings = plantingsOf(hidden);
    this.#release();
  }

  // Those that still strike, the same before and after a restart; of one contract alone, where it is named.
  list(contract?: number): PlantedFault[] {
    const isListed = (one: PlantedFault): boolean => contract === undefined || one.contract === contract;
    return this.#planted.filter((one) => one.times > 0 && isListed(one));
  }

  get any(): boolean {
    return this.#planted.length > 0;
  }

  // Replaces all of them, or those of one contract; operations that they have stalled continue.
  async plant(faults: PlantedFault[], contract?: number): Promise<void> {
    await this.#keep((row) => {
      this.#follow(row);
      const others = contract === undefined ? [] : this.#planted.filter((one) => one.contract !== contract);
      const scopes = contract === undefined ? faults.map(scopeOf) : [String(contract)];
      const kept = contract === undefined ? {} : this.#plantings;
      const plantings = { ...kept, ...Object.fromEntries(scopes.map((scope) => [scope, uuid()])) };
      return { ...row, hidden: JSON.stringify(plantings), body: JSON.stringify([...others, ...faults]) };
    });
    await this.load();
  }

  #release(): void {
    const plantings = Object.values(this.#plantings);
    for (const [release, planting] of this.#stalled) {
      if (plantings.includes(planting)) continue;
      this.#stalled.delete(release);
      release();
    }
  }

  async strike(contract: number, kind: string, step: string, when: 'before' | 'after'): Promise<void> {
    if (this.#planted.length === 0) return;
    const isHit = (one: PlantedFault): boolean =>
      one.times > 0 && one.when === when && (one.contract ?? contract) === contract && matches(one, kind, step);
    if (!this.#planted.some(isHit)) return;
    const { hit, planting } = await this.#take(isHit);
    if (!hit) return;
    if (hit.mode === 'crash') {
      this.#log.error('the lab ends this process', { kind, step, when });
      process.kill(process.pid, 'SIGKILL');
    }
    if (hit.mode === 'stall' && planting === this.#plantings[scopeOf(hit)])
      await new Promise<void>((resolve) => this.#stalled.set(resolve, planting));
    if (hit.mode === 'fail') throw new Fault('unavailable', hit.message);
  }

  // Counted in the state, so that all nodes together strike the requested number of operations.
  async #take(isHit: (one: PlantedFault) => boolean): Promise<{ hit?: PlantedFault | undefined; planting: string }> {
    let hit: PlantedFault | undefined;
    let planting = '';
    await this.#keep((row) => {
      this.#follow(row);
      hit = this.#planted.find(isHit);
      planting = (hit && this.#plantings[scopeOf(hit)]) ?? '';
      if (hit) hit.times -= 1;
      return hit && { ...row, body: JSON.stringify(this.list()) };
    });
    return { hit, planting };
  }

  // One after another, so that memory never returns to an older state than the last read.
  async #keep(change: (row: Row) => Row | undefined): Promise<void> {
    await this.#store.change(async () => {
      const row = await this.#store.get(key.contract, key.place, key.id);
      const next = change(row ?? rowOf({ ...key, kind: 'lab', body: '[]' }));
      const writes: Write[] = next ? [{ op: row ? 'update' : 'insert', table: 'resource', row: next }] : [];
      return { writes, value: undefined };
    }, 'lab faults');
  }
}

// The id of the last call that planted the faults of each scope: a stalled operation continues when it changes.
type Plantings = Readonly<Record<string, string>>;

const everyContract = 'all';
const scopeOf = ({ contract }: PlantedFault): string => (contract === undefined ? everyContract : String(contract));

// Before faults had a scope, one id was kept for all of them.
function plantingsOf(hidden: string): Plantings {
  const kept = hidden === '' ? {} : (JSON.parse(hidden) as string | Plantings);
  return typeof kept === 'string' ? { [everyContract]: kept } : kept;
}

const matches = (fault: PlantedFault, kind: string, step: string): boolean =>
  (fault.kind === '*' || fault.kind === kind) &&
  (fault.step === '*' ||
    fault.step === step ||
    (fault.step.endsWith('.*') && step.startsWith(fault.step.slice(0, -1))));

// The kinds that a fault can name, and for each the points of its operations.
export function pointsOf(model: Model): Map<string, string[]> {
  const points = new Map<string, string[]>();
  for (const resource of model.all()) {
    const acts = Object.entries(resource.lifecycle.acts).map(([act, { steps }]) => [act, steps] as const);
    const ways = (['create', 'change', 'remove'] as const).map((way) => [way, resource.lifecycle[way]] as const);
    const own = [...ways, ...acts].flatMap(([word, steps]) => [
      ...steps.flatMap(({ name }) => [`${word}.${name}`, `${word}.${name}.undo`]),
      ...(steps.length || word === 'remove' ? [`${word}.commit`, `${word}.abort`] : []),
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
