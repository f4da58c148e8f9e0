// Which writes of a partition are synced to disk before they are acknowledged: all of them, or those that the settings
// of the topic select. The broker's timer syncs the others.
import type { Clock } from '../../../base/clock.ts';
import type { LogConfig } from './log-config.ts';

const timerMs = 1_000; // topics with a shorter interval are synced with each write

export class SyncPolicy {
  readonly #isAlways: boolean;
  readonly #clock: Clock;
  #offset: number; // everything below is synced
  #atMs: number;

  constructor({ flush, clock }: { flush: 'always' | 'interval'; clock: Clock }, offset: number) {
    this.#isAlways = flush === 'always';
    this.#clock = clock;
    this.#offset = offset;
    this.#atMs = clock.real();
  }

  isDue({ flushMessages, flushMs }: LogConfig, endOffset: number): boolean {
    if (this.#isAlways || flushMs < timerMs || endOffset - this.#offset >= flushMessages) return true;
    return this.#clock.real() - this.#atMs >= flushMs;
  }

  note(offset: number): void {
    this.#offset = offset;
    this.#atMs = this.#clock.real();
  }
}
