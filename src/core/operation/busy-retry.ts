// A call that needs a busy resource waits for the end of a pending operation and is tried again, within one budget of
// time for the whole call. Otherwise clients that run several calls side by side would have to know of each other.
import type { Store } from '../store.ts';
import { isBusy } from './busy.ts';

// The budget of one call, over all that it does.
export interface BusyWait {
  until?: number; // by performance.now(), from the first refusal on
  isAbandoned(): boolean; // the client no longer waits for the answer
}

export async function retryWhileBusy<T>(
  store: Store,
  contract: number,
  wait: BusyWait,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const seen = store.completionsOf(contract); // before the work begins, so that no end is missed
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      wait.until ??= performance.now() + store.busyWaitMs;
      const leftMs = wait.until - performance.now();
      if (leftMs <= 0 || wait.isAbandoned()) throw error;
      await store.untilCompletion(contract, seen, leftMs);
    }
  }
}
