// The declaration of model inference.
import type { Declaration } from '../surface/product.ts';
import { type InferenceSettings, inferenceSettings } from './settings.ts';

export const inference: Declaration<InferenceSettings> = {
  name: 'inference',
  labels: { inference: 'Inference', modelhub: 'Model hub' },
  clientEndpoints: [{ name: 'inference', path: '/inference', host: 'inference.de-txl' }],
  settings: inferenceSettings,
  resources: async () => (await import('./native/service.ts')).inferenceResources,
  data: {
    part: { name: 'models.json', what: 'list of models', isFile: true },
    load: async () => (await import('./data.ts')).inferenceData,
  },
  commands: [
    {
      name: 'models list',
      says: 'list the models that run on this machine',
      load: async () => (await import('./models/commands.ts')).list,
    },
    {
      name: 'models pull',
      says: 'download small models that run on any machine',
      load: async () => (await import('./models/commands.ts')).pullModels,
    },
    {
      name: 'models add',
      says: 'register a GGUF file',
      load: async () => (await import('./models/commands.ts')).add,
    },
    {
      name: 'models remove',
      says: 'remove a model from the region',
      load: async () => (await import('./models/commands.ts')).remove,
    },
  ],
  open: async (context, ports, settings) => (await import('./product.ts')).openInference(context, ports, settings),
};
