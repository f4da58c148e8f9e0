// Cuts a text into chunks of so many tokens that overlap, so that a sentence at a border is whole in one of them.
import { tokensOf } from '../engines/tiny/tokenizer.ts';
import type { Chunking } from './collection.ts';

export interface Chunk {
  from: number; // in characters of the text
  to: number;
  tokens: number;
}

export function chunksOf(text: string, { enabled, strategy: { config } }: Chunking): Chunk[] {
  const tokens = tokensOf(text);
  if (!enabled || tokens.length <= config.chunk_size) return [{ from: 0, to: text.length, tokens: tokens.length }];
  const starts: number[] = [0];
  for (const token of tokens) starts.push((starts.at(-1) as number) + token.length);
  const chunks: Chunk[] = [];
  for (let first = 0; ; first += config.chunk_size - config.chunk_overlap) {
    const end = Math.min(first + config.chunk_size, tokens.length);
    chunks.push({ from: starts[first] as number, to: starts[end] as number, tokens: end - first });
    if (end === tokens.length) return chunks;
  }
}
