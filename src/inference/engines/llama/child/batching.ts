// Chooses the tokens of the next batch. Every sequence that generates has one token in it; long prompts share the rest.
//
// The library starts a batch as soon as the previous batch is sampled. The sequence that was sampled last has not
// queued its next token by then, so it would miss every other batch. Therefore the choice is postponed, by choosing
// nothing, until all active sequences have a token. That takes a few turns of promises; the limit is for sequences that
// end.
import type { BatchItem, Batching } from './library.ts';

const maxTurns = 200;

export function batchingOf(atWork: () => number): Batching {
  let turns = 0;
  return ({ items, size }) => {
    if (items.length < atWork() && turns++ < maxTurns) return [];
    turns = 0;
    return shares(items, size);
  };
}

// The shortest first: each gets what it needs, at most an equal share of the remaining tokens.
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
