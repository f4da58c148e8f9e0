// Model inference: a catalogue of models behind the API that clients of OpenAI speak, and the platform's native one.
import type { Context, Product } from '../surface/product.ts';
import { Models } from './catalogue.ts';
import type { EngineSource } from './engines/engine.ts';
import { openLlama } from './engines/llama/source.ts';
import { tinySource } from './engines/tiny/source.ts';
import { upstreamSource } from './engines/upstream/source.ts';
import { Inference } from './inference.ts';
import { InferenceLimits } from './limits.ts';
import { modelsDamage } from './models/registry.ts';
import { Documents } from './native/documents.ts';
import { inferenceResources, nativeService } from './native/service.ts';
import { openAiService } from './openai/service.ts';
import { Schedule, scheduleFigures } from './schedule.ts';
import { InferenceUsage, usageFigures } from './usage.ts';

export interface InferenceSettings {
  engine: string; // embedded, or openai+http(s)://HOST/v1
  key: string; // that the upstream asks for; empty: the one in its address, or none
  names: Readonly<Record<string, string>>; // the upstream's names of models by ours
  perSecond: number; // requests of a contract
}

export function openInference(context: Context, settings: InferenceSettings): Product {
  const { store, model, clock, dataFolder, log } = context;
  // The first source that has an engine for a model serves it.
  const { engine, key, names, perSecond } = settings;
  const upstream = engine === 'embedded' ? [] : [upstreamSource({ url: engine.slice('openai+'.length), key, names })];
  const sources: EngineSource[] = [...upstream, openLlama({ dataFolder, log }), tinySource()];
  const schedule = new Schedule();
  const usage = new InferenceUsage(store, clock.now);
  const inference = new Inference(new Models(sources), schedule, usage);
  const limits = new InferenceLimits(perSecond, clock.real);
  const documents = new Documents(store, inference, clock.now);
  return {
    name: 'inference',
    resources: model.add(inferenceResources, undefined),
    services: () => [
      openAiService({ inference, limits, now: clock.now }),
      nativeService({ machinery: context, inference, documents, limits, now: clock.now }),
    ],
    reconcilers: [{ name: 'inference-usage', everyMs: 60_000, everywhere: true, run: () => usage.flush() }],
    figures: [
      {
        of: 'cumulet_inference',
        table: { ...scheduleFigures, ...usageFigures },
        read: () => ({ ...schedule.figures(), ...usage.figures() }),
      },
    ],
    damage: () => modelsDamage(dataFolder),
    leave: () => inference.leave(),
    async close() {
      await documents.close();
      for (const source of sources) await source.close?.();
      await usage.flush();
    },
  };
}
