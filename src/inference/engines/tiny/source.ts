// The tiny built-in model stands in for every model that nothing else serves.
import type { EngineSource } from '../engine.ts';
import { tinyEmbedding } from './embedding.ts';
import { tinyImage } from './image.ts';
import { tinyText } from './text.ts';

export function tinySource(): EngineSource {
  return { text: once(tinyText), embedding: once(tinyEmbedding), image: once(tinyImage) };
}

// The queue before an engine knows it by its identity.
function once<T>(make: (model: string) => T): (model: string) => T {
  const made = new Map<string, T>();
  return (model) => {
    const known = made.get(model) ?? make(model);
    made.set(model, known);
    return known;
  };
}
