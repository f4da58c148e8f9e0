// Texts as vectors of length 1.
import type { EmbeddingContext, Model } from './library.ts';

const margin = 4; // tokens that the library adds at the ends

export async function embed(
  { model, context, contextTokens }: { model: Model; context: EmbeddingContext; contextTokens: number },
  texts: string[],
  signal: AbortSignal,
): Promise<{ vectors: Float32Array[]; tokens: number }> {
  const vectors: Float32Array[] = [];
  let tokens = 0;
  for (const text of texts) {
    if (signal.aborted) break;
    const all = model.tokenize(text, false);
    const kept = all.length === 0 ? model.tokenize('.', false) : all.slice(0, contextTokens - margin);
    tokens += all.length;
    const { vector } = await context.getEmbeddingFor(kept);
    vectors.push(normalised(vector));
  }
  return { vectors, tokens };
}

function normalised(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return Float32Array.from(vector, (value) => value / length);
}
