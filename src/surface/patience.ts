// A call that needs what something is under way on is refused as BUSY, but not at once: clients that run several calls
// side by side would have to know of each other. It waits for the end of that for a while, and is then decided anew.
import { isBusy } from '../core/busy.ts';
import type { Store } from '../core/store.ts';
import type { Exchange } from './exchange.ts';

export async function patiently<T>(store: Store, x: Exchange, work: () => Promise<T>): Promise<T> {
  const { contract } = x.who;
  for (;;) {
    const seen = store.endsOf(contract);
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      x.waitsUntil ??= performance.now() + store.patienceMs;
      const leftMs = x.waitsUntil - performance.now();
      if (leftMs <= 0 || x.res.destroyed) throw error;
      await store.untilEnd(contract, seen, leftMs);
    }
  }
}
