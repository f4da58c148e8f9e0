// Helpers that all calls of the API use.
import { Fault } from '../../base/fault.ts';
import type { Model } from '../catalogue.ts';
import type { Inference } from '../inference.ts';
import type { InferenceLimits } from '../limits.ts';
import { ParameterFault } from './faults.ts';

export interface OpenAiTools {
  inference: Inference;
  limits: InferenceLimits;
  now: () => number;
}

export const longestModel = 256; // characters of an id

export const unixSeconds = ({ now }: OpenAiTools): number => Math.floor(now() / 1000);

export function findModel({ inference }: OpenAiTools, id: string): Model {
  const model = inference.models.find(id);
  if (model) return model;
  const name = id.slice(0, 200);
  throw new Fault('missing', `The model '${name}' does not exist. GET /v1/models lists those that do.`, {
    code: 'model_not_found',
  });
}

export function modelFor(tools: OpenAiTools, id: string, kinds: readonly Model['kind'][]): Model {
  const model = findModel(tools, id);
  if (kinds.includes(model.kind)) return model;
  throw new ParameterFault(
    'model',
    `the model ${model.id} is a model for ${model.kind}; this call needs ${kinds.join(', ')}`,
  );
}

export const chatModel = (tools: OpenAiTools, id: string): Model => modelFor(tools, id, ['chat']);

// Reports the model that really answered.
export const servedHeaders = async ({ inference }: OpenAiTools, model: Model): Promise<string[]> => [
  'X-Served-By',
  (await inference.models.servedBy(model)).replace(/[^\x20-\x7e]/g, '?'),
];

export interface Usage {
  promptTokens: number;
  completionTokens: number;
}

// The prompt of several choices is one prompt.
export function usageOf(ends: readonly Usage[], prompts = 1): object {
  const perPrompt = ends.length / prompts;
  const prompt = ends.reduce((sum, { promptTokens }, at) => sum + (at % perPrompt === 0 ? promptTokens : 0), 0);
  const completion = ends.reduce((sum, { completionTokens }) => sum + completionTokens, 0);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
