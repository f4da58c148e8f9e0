// The similarity of texts: the cosine of the angle between their embeddings.
import { call } from '../../api.ts';
import { apiPath } from '../models.ts';

export interface Embedded {
  texts: readonly string[];
  similarities: number[][]; // of each pair of texts
  dimensions: number;
  tokens: number;
  tookMs: number;
}

interface Embeddings {
  data: { embedding: number[] }[];
  usage: { prompt_tokens: number };
}

export async function embed(model: string, texts: readonly string[], signal: AbortSignal): Promise<Embedded> {
  const begunMs = performance.now();
  const { data, usage } = await call<Embeddings>('POST', `${apiPath}/embeddings`, {
    body: { model, input: texts },
    signal,
  });
  const vectors = data.map(({ embedding }) => embedding);
  return {
    texts,
    similarities: vectors.map((one) => vectors.map((other) => cosine(one, other))),
    dimensions: vectors[0]?.length ?? 0,
    tokens: usage.prompt_tokens,
    tookMs: performance.now() - begunMs,
  };
}

export function cosine(a: readonly number[], b: readonly number[]): number {
  let [product, lengthA, lengthB] = [0, 0, 0];
  for (const [at, one] of a.entries()) {
    const other = b[at] ?? 0;
    product += one * other;
    lengthA += one * one;
    lengthB += other * other;
  }
  return lengthA === 0 || lengthB === 0 ? 0 : product / Math.sqrt(lengthA * lengthB);
}
