// Any OpenAI-compatible server as the engine of models: vLLM, llama-server, another region. Its failures become engine
// errors; nothing that it reports about a prompt is logged.
import type { EmbeddingEngine, EngineSource, ImageEngine, TextEngine } from '../engine.ts';
import { EngineError } from '../engine.ts';
import { once } from '../engine-cache.ts';
import { countTokens } from '../tiny/tokenizer.ts';
import { type Upstream, upstreamAt } from './connection.ts';
import { ServedNames } from './served-names.ts';
import { generateText } from './text.ts';

export interface UpstreamSettings {
  url: string; // http(s)://HOST/v1, or with the key before it: KEY@HOST
  key?: string; // preferred over the key in the address
  names: Readonly<Record<string, string>>; // the upstream's names by ours; `*` is all others; empty: the same
  idleMs?: number; // the longest pause in an answer
}

const parallel = 64;
const textsAtOnce = 64; // of an embedding request: the main thread parses each answer in one go

export function upstreamSource({ url, key, names, idleMs }: UpstreamSettings): EngineSource {
  const upstream = upstreamAt(url, key, idleMs);
  const served = new ServedNames(upstream);
  const hasNames = Object.keys(names).length > 0;
  const nameOf = (model: string): string | undefined =>
    hasNames ? ((Object.hasOwn(names, model) ? names[model] : undefined) ?? names['*']) : model;
  const byName =
    <T>(make: (upstream: Upstream, name: string, served: ServedNames) => T) =>
    (model: string): T | undefined => {
      const name = nameOf(model);
      return name === undefined ? undefined : make(upstream, name, served);
    };
  return {
    text: once(byName(textEngine)),
    embedding: once(byName(embeddingEngine)),
    image: once(byName(imageEngine)),
    refresh: () => served.refresh(),
  };
}

const textEngine = (upstream: Upstream, name: string, served: ServedNames): TextEngine => ({
  get servedBy() {
    return served.of(name);
  },
  contextTokens: Number.POSITIVE_INFINITY,
  parallel,
  countTokens: async () => undefined,
  generate: (order, signal) => generateText(upstream, name, order, signal),
});

interface Embeddings {
  data?: { embedding?: unknown }[];
  usage?: { prompt_tokens?: number };
}

function embeddingEngine(upstream: Upstream, name: string, served: ServedNames): EmbeddingEngine {
  let dimensions: number | undefined;
  return {
    get servedBy() {
      return served.of(name);
    },
    get dimensions() {
      return dimensions;
    },
    contextTokens: Number.POSITIVE_INFINITY,
    parallel,
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      const servers = new Set<string>();
      let tokens = 0;
      for (let from = 0; from < texts.length; from += textsAtOnce) {
        const input = texts.slice(from, from + textsAtOnce);
        const sent = { model: name, input, encoding_format: 'float' };
        const { body, servedBy } = await upstream.ask<Embeddings>('/embeddings', sent, signal);
        const { data = [], usage } = body;
        if (data.length !== input.length) throw notUnderstood(upstream);
        for (const { embedding } of data) {
          const vector = unitVector(embedding);
          if (!vector) throw notUnderstood(upstream);
          vectors.push(vector);
        }
        tokens += usage?.prompt_tokens ?? input.reduce((sum, text) => sum + countTokens(text), 0);
        servers.add(servedBy ?? '');
      }
      dimensions = vectors[0]?.length ?? dimensions;
      // Another region may change the model that serves; for other servers the name is enough.
      const madeBy = `${name} at ${upstream.host} ${dimensions} ${[...servers].join(' ')}`;
      return { vectors, tokens, madeBy };
    },
  };
}

function unitVector(embedding: unknown): Float32Array | undefined {
  if (!Array.isArray(embedding) || embedding.length === 0) return undefined;
  if (!embedding.every((one) => Number.isFinite(one))) return undefined;
  const length = Math.sqrt((embedding as number[]).reduce((sum, one) => sum + one * one, 0)) || 1;
  return Float32Array.from(embedding as number[], (one) => one / length);
}

interface Images {
  data?: { b64_json?: unknown }[];
}

const imageEngine = (upstream: Upstream, name: string, served: ServedNames): ImageEngine => ({
  get servedBy() {
    return served.of(name);
  },
  parallel: 4,
  async make({ prompt, width, height, seed }, signal) {
    const size = `${width}x${height}`;
    const sent = { model: name, prompt, n: 1, size, response_format: 'b64_json', ...(seed > 0 && { seed }) };
    const { body } = await upstream.ask<Images>('/images/generations', sent, signal);
    const image = body.data?.[0]?.b64_json;
    if (typeof image !== 'string') throw notUnderstood(upstream);
    return Buffer.from(image, 'base64');
  },
});

const notUnderstood = ({ host }: Upstream): EngineError =>
  new EngineError('crashed', `The answer of the upstream ${host} does not fit the request.`);
