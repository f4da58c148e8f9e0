// For tests: timers that run when the test triggers them.
import type { Timers } from './timers.ts';

export interface TestTimers extends Timers {
  advance(ms: number): void;
}

export function testTimers(): TestTimers {
  let now = 0;
  let planned: { atMs: number; run: () => void }[] = [];
  return {
    after(ms, run) {
      const plan = { atMs: now + ms, run };
      planned.push(plan);
      return () => {
        planned = planned.filter((one) => one !== plan);
      };
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const next = planned.filter(({ atMs }) => atMs <= end).toSorted((a, b) => a.atMs - b.atMs)[0];
        if (!next) break;
        now = next.atMs;
        planned = planned.filter((one) => one !== next);
        next.run();
      }
      now = end;
    },
  };
}
