// Cuts a text into overlapping chunks of tokens, so that a sentence at a border is complete in one of them.
import { tokensOf } from '../engines/tiny/tokenizer.ts';
import type { Chunking } from './collection.ts';

export interface Chunk {
  from: number; // in characters of the text
  to: number;
  tokens: number;
}

// No chunk has more tokens than the model accepts (`most`). Without chunking the text is one chunk, and what does not
// fit is dropped.
export function chunksOf(text: string, { enabled, strategy: { config } }: Chunking, most: number): Chunk[] {
  const tokens = tokensOf(text);
  const size = Math.min(enabled ? config.chunk_size : tokens.length, most);
  const overlap = Math.floor((config.chunk_overlap * size) / Math.max(size, config.chunk_size));
  const starts: number[] = [0];
  for (const token of tokens) starts.push((starts.at(-1) as number) + token.length);
  const chunks: Chunk[] = [];
  for (let first = 0; first < tokens.length; first += size - overlap) {
    const end = Math.min(first + size, tokens.length);
    chunks.push({ from: starts[first] as number, to: starts[end] as number, tokens: end - first });
    if (end === tokens.length || !enabled) break;
  }
  return chunks;
}

// Both halves of a chunk; none if it can't be halved.
export function halvesOf(text: string, { from, to }: Chunk): Chunk[] {
  const tokens = tokensOf(text.slice(from, to));
  const first = Math.floor(tokens.length / 2);
  if (first === 0) return [];
  const middle = from + tokens.slice(0, first).join('').length;
  return [
    { from, to: middle, tokens: first },
    { from: middle, to, tokens: tokens.length - first },
  ];
}
