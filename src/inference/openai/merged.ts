// Several streams as one, in the order in which their parts come. When one fails, all of them end.

export async function* merged<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<[index: number, part: T]> {
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
    for (const one of pending.values()) one.catch(() => undefined); // the first failure is the one that is told
    for (const iterator of iterators) iterator.return?.().catch(() => undefined);
  }
}
