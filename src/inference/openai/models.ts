// GET /models and /models/{model}
import { type Exchange, json, type Reply } from '../../surface/http/exchange.ts';
import type { Model } from '../catalogue.ts';
import { findModel, type OpenAiTools } from './tools.ts';

export async function listModels(tools: OpenAiTools): Promise<Reply> {
  const data = await Promise.all(tools.inference.models.all().map((model) => shownModel(tools, model)));
  return json(200, { object: 'list', data });
}

// The slash in an id may be encoded or not.
export const readModel = async (tools: OpenAiTools, x: Exchange): Promise<Reply> =>
  json(200, await shownModel(tools, findModel(tools, x.params.join('/'))));

const shownModel = async ({ inference }: OpenAiTools, model: Model): Promise<object> => ({
  id: model.id,
  object: 'model',
  created: model.createdS,
  owned_by: model.id.split('/')[0],
  kind: model.kind,
  context_length: model.contextTokens,
  served_by: await inference.models.servedBy(model),
});
