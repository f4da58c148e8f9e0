// Model inference: a catalogue of models behind an OpenAI-compatible API and the platform's native API.
import { consoleParts, type Ports } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { Models } from './catalogue.ts';
import { ownParts } from './console-parts.ts';
import { openSources } from './engines/open.ts';
import { Inference } from './inference.ts';
import { InferenceLimits } from './limits.ts';
import { modelsDamage } from './models/registry.ts';
import { Documents } from './native/documents.ts';
import { inferenceResources, nativeService } from './native/service.ts';
import { openAiService } from './openai/service.ts';
import { Schedule, scheduleFigures } from './schedule.ts';
import type { InferenceSettings } from './settings.ts';
import { InferenceUsage, usageFigures } from './usage.ts';

export async function openInference(context: Context, ports: Ports, settings: InferenceSettings): Promise<Product> {
  ports.add(consoleParts, ownParts);
  const { store, model, clock, dataFolder, log } = context;
  const { engine: address, key, names, perSecond } = settings;
  const sources = await openSources({ address, key, names, dataFolder, log });
  const schedule = new Schedule();
  const usage = new InferenceUsage(store, clock.now);
  const inference = new Inference(new Models(sources), schedule, usage);
  const limits = new InferenceLimits(perSecond, clock.real);
  const documents = new Documents(store, inference, clock.now);
  return {
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
    leave: (limitMs) => inference.leave(limitMs),
    async close() {
      await documents.close();
      for (const source of sources) await source.close?.();
      await usage.flush();
    },
  };
}
