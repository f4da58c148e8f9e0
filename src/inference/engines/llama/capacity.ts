// How much memory a model may use on this machine: the length of its context, and how many texts it works on at once.
import type { Weights } from '../../models/registry.ts';

export interface Capacity {
  contextTokens: number;
  sequences: number;
}

const maxSequences = 8;
const maxBytes = 1_600_000_000;
const minTokens = 1024;
const step = 256; // llama.cpp rounds to it

// At least two texts fit at once; a model with small needs gets more.
export function capacityOf(
  { contextTokens: trained, cacheBytesPerToken }: Pick<Weights, 'contextTokens' | 'cacheBytesPerToken'>,
  availableBytes: number,
): Capacity {
  const budget = Math.min(maxBytes, availableBytes / 5);
  const perToken = Math.max(1, cacheBytesPerToken);
  const affordable = Math.floor(budget / 2 / perToken / step) * step;
  const contextTokens = Math.min(trained, Math.max(minTokens, affordable));
  const sequences = Math.floor(budget / (contextTokens * perToken));
  return { contextTokens, sequences: Math.max(1, Math.min(maxSequences, sequences)) };
}

// The maximum memory of a process: the file is mapped, and its matrices are rearranged for the processor.
export const bytesNeeded = (weights: Weights, { contextTokens, sequences }: Capacity): number =>
  2 * weights.sizeBytes + contextTokens * sequences * weights.cacheBytesPerToken + 200_000_000;
