// What the tiny model may spend on one instance of a schema. It works on the region's own thread, and a short schema
// can ask for more than anybody can wait for: references that double, circles, long texts.
import { EngineError } from '../engine.ts';

const most = 1_000_000;

export class Work {
  #left = most;

  take(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0) throw new EngineError('schema', 'This schema is too large for the tiny built-in model.');
  }
}
