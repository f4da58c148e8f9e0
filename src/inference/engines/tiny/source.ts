// The tiny built-in model serves every model that no other engine serves.
import type { EngineSource } from '../engine.ts';
import { once } from '../engine-cache.ts';
import { tinyEmbedding } from './embedding.ts';
import { tinyImage } from './image.ts';
import { tinyText } from './text.ts';

export function tinySource(): EngineSource {
  return { text: once(tinyText), embedding: once(tinyEmbedding), image: once(tinyImage) };
}
