// Texts as vectors of length 1.
import { tooLongText } from '../../engine.ts';
import { embeddingMargin } from '../protocol.ts';
import type { EmbeddingContext, Model } from './library.ts';

export async function embed(
  { model, context, contextTokens }: { model: Model; context: EmbeddingContext; contextTokens: number },
  texts: string[],
  signal: AbortSignal,
): Promise<{ vectors: Float32Array[]; tokens: number }> {
  const vectors: Float32Array[] = [];
  let tokens = 0;
  const most = contextTokens - embeddingMargin;
  const tokenized = texts.map((text) => model.tokenize(text, false));
  for (const [index, { length }] of tokenized.entries()) if (length > most) throw tooLongText(index, length, most);
  for (const all of tokenized) {
    if (signal.aborted) break;
    tokens += all.length;
    const { vector } = await context.getEmbeddingFor(all.length === 0 ? model.tokenize('.', false) : all);
    vectors.push(normalised(vector));
  }
  return { vectors, tokens };
}

function normalised(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return Float32Array.from(vector, (value) => value / length);
}
