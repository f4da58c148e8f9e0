// Merges streams in the order in which their parts arrive. When one fails, all of them end: `giveUp` aborts the waiting
// and working ones.

export async function* merged<T>(
  sources: readonly AsyncIterable<T>[],
  giveUp: AbortController,
): AsyncGenerator<[index: number, part: T]> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const nextOf = async (index: number): Promise<[number, IteratorResult<T>]> => {
    const result = await (iterators[index] as AsyncIterator<T>).next();
    return [index, result];
  };
  const pending = new Map(iterators.map((_, index) => [index, nextOf(index)]));
  try {
    while (pending.size > 0) {
      const [index, { done, value }] = await Promise.race(pending.values());
      pending.delete(index);
      if (done) continue;
      yield [index, value];
      pending.set(index, nextOf(index));
    }
  } finally {
    for (const one of pending.values()) one.catch(() => undefined); // only the first failure is reported
    giveUp.abort();
    for (const iterator of iterators) iterator.return?.().catch(() => undefined);
  }
}

// Runs all of them to their ends, with the same handling of failures.
export async function allWhole<T>(works: readonly Promise<T>[], giveUp: AbortController): Promise<T[]> {
  try {
    return await Promise.all(works);
  } catch (error) {
    giveUp.abort();
    throw error;
  }
}
