// Reads the parts of an answer ahead of the client, so that an engine is free when it has finished, not when a slow
// client has read the answer. The buffer is bounded. A client that reads nothing for a while is disconnected.
import { Fault } from '../base/fault.ts';

const maxKept = 1000;
const longestStallMs = 30_000;

export async function* readAhead<T>(
  source: AsyncIterable<T>,
  ended: () => void, // the source
  stallMs = longestStallMs,
  most = maxKept,
): AsyncGenerator<T> {
  const kept: T[] = [];
  let outcome: { failure?: unknown } | undefined;
  let isLeft = false;
  let available = Promise.withResolvers<void>(); // signals the reader: there is a part, or the end
  let taken = Promise.withResolvers<void>(); // signals the pump: there is room, or the reader has left
  const pump = async (): Promise<void> => {
    try {
      for await (const part of source) {
        kept.push(part);
        available.resolve();
        while (kept.length >= most && !isLeft) await unlessStalled(taken.promise, stallMs);
        if (isLeft) break;
      }
      outcome = {};
    } catch (failure) {
      outcome = { failure };
    } finally {
      ended();
      available.resolve();
    }
  };
  void pump();
  try {
    for (;;) {
      for (let part = kept.shift(); part !== undefined; part = kept.shift()) {
        taken.resolve();
        taken = Promise.withResolvers();
        yield part;
      }
      if (outcome && 'failure' in outcome) throw outcome.failure;
      if (outcome) return;
      await available.promise;
      available = Promise.withResolvers();
    }
  } finally {
    isLeft = true;
    taken.resolve();
  }
}

async function unlessStalled(room: Promise<void>, ms: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Fault('timeout', 'The answer was read too slowly.')), ms);
  try {
    await Promise.race([room, late]);
  } finally {
    clearTimeout(timer);
  }
}
