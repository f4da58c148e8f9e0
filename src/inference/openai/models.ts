// GET /models and /models/{model}
import { type Exchange, json, type Reply } from '../../surface/http/exchange.ts';
import type { Model } from '../catalogue.ts';
import { findModel, type OpenAiTools } from './tools.ts';

export const listModels = (tools: OpenAiTools): Reply =>
  json(200, { object: 'list', data: tools.inference.models.all().map((model) => shownModel(tools, model)) });

// The slash in an id comes as it is or encoded.
export const readModel = (tools: OpenAiTools, x: Exchange): Reply =>
  json(200, shownModel(tools, findModel(tools, x.params.join('/'))));

const shownModel = ({ inference }: OpenAiTools, model: Model): object => ({
  id: model.id,
  object: 'model',
  created: model.createdS,
  owned_by: model.id.split('/')[0],
  kind: model.kind,
  context_length: model.contextTokens,
  served_by: inference.models.servedBy(model),
});
