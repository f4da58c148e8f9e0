// The settings of inference.
import { environment } from '../config/environment.ts';
import { assign, type Section } from '../config/section.ts';
import { engineAddress, numberOf, secretIn, wrong } from '../config/setting-values.ts';
import { inferenceEngines } from './engines/open.ts';

export interface InferenceSettings {
  engine: string; // embedded, or openai+http(s)://HOST/v1
  key: string; // of the upstream; empty: none
  names: Record<string, string>; // the upstream's names of models by ours; `*` is for all others
  perSecond: number; // requests of a contract
}

export const inferenceSettings: Section<InferenceSettings> = {
  defaults: { engine: 'embedded', key: '', names: {}, perSecond: 5 },
  options: {
    inference: {
      takes: 'URL',
      help:
        'the engine of the models: embedded (added files, or else the tiny built-in model), or ' +
        'openai+http(s)://HOST/v1 for an OpenAI-compatible server such as vLLM. Set its key in CUMULET_INFERENCE_KEY, ' +
        'because a key in the address (KEY@HOST) is visible in the list of processes',
      set: (values, text) => assign(values, { engine: engineAddress('inference', text, inferenceEngines) }),
    },
    'inference-key': {
      takes: 'FILE',
      help: 'a file with that key, instead of CUMULET_INFERENCE_KEY',
      set: (values, text) => assign(values, { key: secretIn('inference-key', text) }),
    },
    'inference-models': {
      takes: 'ID=NAME,…',
      help:
        'the models of that server and their names there; * stands for all others. By default, all models under ' +
        'the same names',
      set: (values, text) => {
        const pairs = text.split(',').map((pair) => pair.split('=').map((part) => part.trim()));
        if (!pairs.every((pair) => pair.length === 2 && pair.every(Boolean)))
          throw wrong('inference-models', 'ID=NAME, separated by commas', text);
        values.names = Object.fromEntries(pairs) as Record<string, string>;
      },
    },
    'inference-rate': {
      takes: 'N',
      help: 'requests per second and contract to models (5); twice as many at once',
      set: (values, text) =>
        assign(values, { perSecond: numberOf('inference-rate', text, 1, 1_000_000, 'requests a second') }),
    },
  },
  complete(values) {
    values.key ||= environment.inferenceKey() ?? '';
  },
};
