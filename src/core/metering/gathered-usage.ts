// Consumption that is gathered in memory and written together, every minute: a crash loses a minute of it at most, and
// a state that can't be written to loses nothing.

import { isUnknown } from '../state/unknown-outcome.ts';
import type { Store } from '../store.ts';
import { type Consumption, consumptionEntry } from './meter.ts';

type Gathered = Consumption & { contract: number };

export class GatheredUsage {
  readonly #store: Pick<Store, 'must'>;
  readonly #now: () => number;
  #gathered = new Map<string, Gathered>();

  constructor(store: Pick<Store, 'must'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  add(contract: number, { path, kind, amounts }: Consumption): void {
    const key = `${contract} ${path}`;
    const known = this.#gathered.get(key) ?? { contract, path, kind, amounts: {} };
    this.#gathered.set(key, known);
    for (const [name, amount] of Object.entries(amounts)) known.amounts[name] = (known.amounts[name] ?? 0) + amount;
  }

  async flush(): Promise<void> {
    const gathered = [...this.#gathered.values()];
    this.#gathered = new Map();
    if (gathered.length === 0) return;
    const now = this.#now();
    try {
      await this.#store.must(
        gathered.map(({ contract, ...consumption }) => consumptionEntry(contract, consumption, now)),
      );
    } catch (error) {
      // A write with an unknown outcome is not repeated, so that no contract pays more than it used.
      if (!isUnknown(error)) for (const { contract, ...consumption } of gathered) this.add(contract, consumption);
      throw error;
    }
  }
}
