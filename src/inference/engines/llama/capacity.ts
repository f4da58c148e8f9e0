// How much a model may remember on this machine: the length of its context, and how many texts it works on at once.
import type { Weights } from '../../models/registry.ts';

export interface Capacity {
  contextTokens: number;
  sequences: number;
}

const mostSequences = 8;
const mostBytes = 1_600_000_000;
const leastTokens = 1024;
const step = 256; // llama.cpp rounds to it

// Two texts at least fit at once; a model that needs little has more of them.
export function capacityOf(
  { contextTokens: trained, cacheBytesPerToken }: Pick<Weights, 'contextTokens' | 'cacheBytesPerToken'>,
  availableBytes: number,
): Capacity {
  const budget = Math.min(mostBytes, availableBytes / 5);
  const perToken = Math.max(1, cacheBytesPerToken);
  const affordable = Math.floor(budget / 2 / perToken / step) * step;
  const contextTokens = Math.min(trained, Math.max(leastTokens, affordable));
  const sequences = Math.floor(budget / (contextTokens * perToken));
  return { contextTokens, sequences: Math.max(1, Math.min(mostSequences, sequences)) };
}

// What a process needs at most: the file is mapped and its matrices are laid out anew for the processor.
export const bytesNeeded = (weights: Weights, { contextTokens, sequences }: Capacity): number =>
  2 * weights.sizeBytes + contextTokens * sequences * weights.cacheBytesPerToken + 200_000_000;
