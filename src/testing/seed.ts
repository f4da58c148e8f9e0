// Random choices that can be repeated. They are the same in each plain run. A full run chooses a seed and prints it;
// CUMULET_SEED=<number> repeats its choices.
import { randomInt } from 'node:crypto';
import type { TestContext } from 'node:test';

export interface Chance {
  below(bound: number): number; // 0 … bound - 1
  one<T>(of: readonly T[]): T;
  often(percent: number): boolean;
}

export const isFull = process.env.CUMULET_FULL === '1'; // set by ./cumulet test --full
const usualSeed = 1;

export function chanceOf(t: TestContext): Chance {
  const seed = Number(process.env.CUMULET_SEED ?? (isFull ? randomInt(2 ** 32) : usualSeed));
  t.diagnostic(`CUMULET_SEED=${seed}`);
  return seeded(seed);
}

// Mulberry32: small, fast, and even enough for choosing.
export function seeded(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (bound) => Math.floor(next() * bound),
    one: (of) => {
      if (of.length === 0) throw new Error('nothing to choose from');
      return of[Math.floor(next() * of.length)] as (typeof of)[number];
    },
    often: (percent) => next() * 100 < percent,
  };
}
