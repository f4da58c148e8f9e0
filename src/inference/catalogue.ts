// The models that the region offers. The engine that answers for a model is found among the sources: an upstream, a
// GGUF file of the user, or the tiny built-in model.
import { Fault } from '../base/fault.ts';
import type { EmbeddingEngine, EngineSource, ImageEngine, TextEngine } from './engines/engine.ts';

export interface Model {
  id: string; // publisher/model, matched exactly
  kind: 'chat' | 'embedding' | 'image' | 'rerank';
  description: string;
  contextTokens: number; // the platform's limit; the engine may hold less
  dimensions?: number; // of an embedding
  createdS: number;
}

export const embeddingModel = 'BAAI/bge-m3'; // of collections, and of rerankers, which have no vectors

export const catalogue: readonly Model[] = [
  {
    id: 'mistralai/Mistral-Small-24B-Instruct',
    kind: 'chat',
    description: 'Chat, tools and structured output: 24 billion parameters.',
    contextTokens: 128_000,
    createdS: 1_738_195_200,
  },
  {
    id: 'openai/gpt-oss-120b',
    kind: 'chat',
    description: 'Chat with reasoning and tools: 120 billion parameters.',
    contextTokens: 128_000,
    createdS: 1_754_352_000,
  },
  {
    id: 'meta-llama/Llama-3.3-70B-Instruct',
    kind: 'chat',
    description: 'Chat, tools and structured output: 70 billion parameters.',
    contextTokens: 128_000,
    createdS: 1_733_443_200,
  },
  {
    id: embeddingModel,
    kind: 'embedding',
    description: 'Multilingual embeddings of 1024 numbers.',
    contextTokens: 8192,
    dimensions: 1024,
    createdS: 1_706_745_600,
  },
  {
    id: 'black-forest-labs/FLUX.1-schnell',
    kind: 'image',
    description: 'Images from text.',
    contextTokens: 4096,
    createdS: 1_722_470_400,
  },
  {
    id: 'Qwen/Qwen3-VL-Reranker-8B',
    kind: 'rerank',
    description: 'Ranks documents by their relevance to a query.',
    contextTokens: 32_000,
    createdS: 1_767_225_600,
  },
];

// All models and the engines that serve them.
export class Models {
  readonly #sources: readonly EngineSource[]; // the first one that has an engine serves

  constructor(sources: readonly EngineSource[]) {
    this.#sources = sources;
  }

  all(): Model[] {
    const own = this.#sources.flatMap((source) => source.ownModels?.() ?? []);
    const added = own.filter(({ id }) => !catalogue.some((one) => one.id === id));
    return [
      ...catalogue,
      ...added.map((one) => ({ description: 'A model that was added to this region.', createdS: 0, ...one })),
    ];
  }

  find(id: string): Model | undefined {
    return catalogue.find((one) => one.id === id) ?? this.all().find((one) => one.id === id);
  }

  text({ id }: Model): TextEngine {
    return this.#first(id, (source) => source.text?.(id));
  }

  // A reranker compares embeddings.
  embedding({ id, kind }: Model): EmbeddingEngine {
    const served = kind === 'rerank' ? embeddingModel : id;
    return this.#first(id, (source) => source.embedding?.(served));
  }

  image({ id }: Model): ImageEngine {
    return this.#first(id, (source) => source.image?.(id));
  }

  async servedBy(model: Model): Promise<string> {
    for (const source of this.#sources) await source.refresh?.();
    if (model.kind === 'chat') return this.text(model).servedBy;
    if (model.kind === 'image') return this.image(model).servedBy;
    const { servedBy: engine, dimensions } = this.embedding(model);
    const servedBy = `${engine}${fittedBy(dimensions, model.dimensions)}`;
    return model.kind === 'rerank' ? `${servedBy}, by the cosine of embeddings` : servedBy;
  }

  #first<T>(id: string, ask: (source: EngineSource) => T | undefined): T {
    for (const source of this.#sources) {
      const found = ask(source);
      if (found) return found;
    }
    throw new Fault('unavailable', `No engine serves the model ${id} at the moment. Try again later.`);
  }
}

// How the vectors of an engine get the length that the catalogue promises.
function fittedBy(own: number | undefined, promised = own): string {
  if (own === undefined || promised === undefined || own === promised) return '';
  return own < promised ? `, its ${own} numbers padded with zeros` : `, the first ${promised} of its ${own} numbers`;
}
