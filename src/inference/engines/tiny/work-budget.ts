// The work budget of the tiny model for one instance of a schema. It runs on the region's main thread, and a short
// schema can demand endless work: references that double, cycles, long texts.
import { EngineError } from '../engine.ts';

const most = 1_000_000;

export class WorkBudget {
  #left = most;

  take(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0) throw new EngineError('schema', 'This schema is too large for the tiny built-in model.');
  }
}
