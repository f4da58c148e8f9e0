// A call that needs what something is under way on is refused as BUSY, but not at once: clients that run several calls
// side by side would have to know of each other. It waits for the end of that for a while, and is then decided anew.
import { isBusy } from '../core/operation/busy.ts';
import type { Store } from '../core/store.ts';
import type { Exchange } from './http/exchange.ts';

export async function patiently<T>(store: Store, x: Exchange, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const seen = store.endsOf(x.who.contract);
    try {
      return await work();
    } catch (error) {
      const waiting = patienceFor(error, store, x, seen);
      if (!waiting) throw error;
      await waiting;
    }
  }
}

// Until it is worth another try; undefined: it never is. `seen`: how many had ended before what failed began.
export function patienceFor(error: unknown, store: Store, x: Exchange, seen: number): Promise<void> | undefined {
  if (!isBusy(error)) return undefined;
  x.waitsUntil ??= performance.now() + store.patienceMs;
  const leftMs = x.waitsUntil - performance.now();
  if (leftMs <= 0 || x.res.destroyed) return undefined;
  return store.untilEnd(x.who.contract, seen, leftMs);
}
