// The GGUF files of a region as engines. A model is loaded with its first call. It is unloaded when it was idle for a
// while or when memory is short.
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import type { Log } from '../../../base/log.ts';
import { ModelRegistry, ownId, type Weights } from '../../models/registry.ts';
import { type EmbeddingEngine, EngineError, type EngineSource, type TextEngine, type TextOrder } from '../engine.ts';
import { bytesNeeded, type Capacity, capacityOf } from './capacity.ts';
import { ModelProcess } from './model-process.ts';
import { embeddingMargin } from './protocol.ts';

export interface LlamaOptions {
  dataFolder: string;
  log: Log;
  idleMs?: number; // after this idle time a model is unloaded
  forgetMs?: number; // after this time a prompt that is not continued is forgotten
  availableBytes?: () => number;
}

const checkMs = 15_000;
const shortShare = 0.08; // of the machine's memory

interface Served {
  weights: Weights;
  capacity: Capacity;
  process: ModelProcess;
  text: TextEngine;
  embedding: EmbeddingEngine;
}

export interface LlamaSource extends EngineSource {
  processes(): { name: string; pid: number }[]; // of the models that are loaded
}

export function openLlama(options: LlamaOptions): LlamaSource {
  const { log, idleMs = 900_000, forgetMs = 180_000, availableBytes = () => process.availableMemory() } = options;
  const registry = new ModelRegistry(options.dataFolder);
  const served = new Map<string, Served>(); // by the registry's description of the model
  const isShort = (): boolean => availableBytes() < totalmem() * shortShare;
  const unload = async ({ process: model, weights }: Served, why: string): Promise<void> => {
    log.info('unloaded a model', { model: weights.name, why });
    await model.stop();
  };
  const longestIdle = (but?: Served): Served | undefined =>
    [...served.values()]
      .filter((one) => one !== but && one.process.isLoaded && one.process.idleSince !== undefined)
      .sort((one, other) => (one.process.idleSince ?? 0) - (other.process.idleSince ?? 0))[0];

  // Runs before a model is loaded: idle models of others are unloaded to free memory.
  const makeRoom = async (one: Served): Promise<void> => {
    const { name, file } = one.weights;
    if (!existsSync(file)) {
      log.error('the file of a model is missing', { model: name, file });
      throw new EngineError('crashed', `The model ${name} can't be loaded: its file is missing.`);
    }
    const needed = bytesNeeded(one.weights, one.capacity);
    while (availableBytes() < needed) {
      const other = longestIdle(one);
      if (!other) break;
      await unload(other, 'memory is short');
    }
    if (availableBytes() >= needed) return;
    const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
    const has = `${gigabytes(needed)} of memory, and ${gigabytes(availableBytes())} are free`;
    throw new EngineError('overloaded', `The model ${one.weights.name} can't be loaded now: it needs ${has}.`);
  };
  const timer = setInterval(() => {
    const idle = longestIdle();
    const since = performance.now() - (idle?.process.idleSince ?? 0);
    if (idle && since > idleMs) void unload(idle, 'it was not used for a while');
    else if (idle && isShort()) void unload(idle, 'memory is short');
  }, checkMs).unref();

  const enginesOf = (weights: Weights): Served => {
    const key = JSON.stringify(weights);
    const known = served.get(key);
    if (known) return known;
    const capacity = capacityOf(weights, availableBytes());
    const load = {
      kind: 'load' as const,
      library: weights.library,
      file: weights.file,
      use: weights.kind,
      threads: Math.max(1, availableParallelism() - 1), // one is reserved for the region
      ...capacity,
      forgetMs,
    };
    const model = new ModelProcess(weights.name, load, log, () => makeRoom(one));
    const one = { weights, capacity, process: model, ...engines(weights, capacity, model) };
    served.set(key, one);
    return one;
  };
  return {
    text: (id) => {
      const weights = registry.find(id, 'chat');
      return weights && enginesOf(weights).text;
    },
    embedding: (id) => {
      const weights = registry.find(id, 'embedding');
      return weights && enginesOf(weights).embedding;
    },
    ownModels: () =>
      registry.all().flatMap(({ name, serves, kind, contextTokens, dimensions }) =>
        [ownId(name), ...serves].map((id) => ({
          id,
          kind,
          contextTokens,
          ...(kind === 'embedding' && { dimensions }),
        })),
      ),
    processes: () =>
      [...served.values()].flatMap(({ weights, process: { pid } }) =>
        pid === undefined ? [] : [{ name: weights.name, pid }],
      ),
    async close() {
      clearInterval(timer);
      await Promise.all([...served.values()].map(({ process: model }) => model.stop()));
    },
  };
}

function engines(weights: Weights, capacity: Capacity, model: ModelProcess): Pick<Served, 'text' | 'embedding'> {
  const servedBy = `${weights.name} on this machine`;
  const { contextTokens, sequences: parallel } = capacity;
  return {
    text: {
      servedBy,
      contextTokens,
      parallel,
      async countTokens(input: TextOrder['input'], signal: AbortSignal) {
        for await (const answer of model.call({ kind: 'count', input }, signal))
          if ('tokens' in answer) return answer.tokens;
        return undefined;
      },
      async *generate(order, signal) {
        for await (const answer of model.call({ kind: 'generate', order }, signal))
          if ('part' in answer) yield answer.part;
      },
    },
    embedding: {
      servedBy,
      dimensions: weights.dimensions,
      contextTokens: contextTokens - embeddingMargin,
      parallel: 1,
      async embed(texts, signal) {
        for await (const answer of model.call({ kind: 'embed', texts }, signal))
          if ('vectors' in answer) return { ...answer, madeBy: `${weights.name} ${weights.fingerprint}` };
        throw new EngineError('crashed', `The model ${weights.name} did not answer.`);
      },
    },
  };
}
