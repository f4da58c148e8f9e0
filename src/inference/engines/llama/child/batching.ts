// Which tokens go into the next batch. Every sequence that generates has one token in it; long prompts share the rest.
//
// The library starts a batch as soon as the sampling of the one before is done, and the sequence that was sampled last
// has not queued its next token by then: it would miss every other batch. So the choice is put off, by choosing
// nothing, until all sequences at work are there. That takes a few turns of promises; the limit is for those that end.
import type { BatchItem, Batching } from './library.ts';

const mostTurns = 200;

export function batchingOf(atWork: () => number): Batching {
  let turns = 0;
  return ({ items, size }) => {
    if (items.length < atWork() && turns++ < mostTurns) return [];
    turns = 0;
    return shares(items, size);
  };
}

// The shortest first: each gets what it needs, at most an equal share of what is left.
export function shares(items: readonly BatchItem[], size: number): { item: BatchItem; processAmount: number }[] {
  let left = size;
  return items
    .toSorted((one, other) => one.tokens.length - other.tokens.length)
    .map((item, at) => {
      const processAmount = Math.min(item.tokens.length, Math.floor(left / (items.length - at)));
      left -= processAmount;
      return { item, processAmount };
    })
    .filter(({ processAmount }) => processAmount > 0);
}
