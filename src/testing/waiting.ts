// The one way in which tests wait for something that no event announces: they look, pause and look again. A loop
// without a pause takes the core that the tested process needs.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';

export interface Wait {
  limitMs?: number; // a limit above 10 s is one of the table in limits.ts
  everyMs?: number;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type There<T> = Exclude<T, false | null | undefined>;

// Returns the first value that `isMet` accepts; without it, the first that is neither false, null nor undefined.
export function until<T>(what: string, look: () => T | Promise<T>, isMet?: undefined, wait?: Wait): Promise<There<T>>;
export function until<T>(
  what: string,
  look: () => T | Promise<T>,
  isMet: (seen: T) => boolean,
  wait?: Wait,
): Promise<T>;
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  isMet: (seen: T) => boolean = isThere,
  { limitMs = 10_000, everyMs = 25 }: Wait = {},
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const seen = await look();
    if (isMet(seen)) {
      performance.measure('waiting', { start: startedAt });
      return seen;
    }
    if (performance.now() - startedAt > limitMs) assert.fail(lateMessage(what, limitMs, seen));
    await pause(everyMs);
  }
}

const isThere = (seen: unknown): boolean => seen !== false && seen !== null && seen !== undefined;

const lateMessage = (what: string, limitMs: number, seen: unknown): string =>
  `${what}: not so within ${limitMs / 1000} s. Last seen: ${inspect(seen, { depth: 4, breakLength: 120 }).slice(0, 2000)}`;
