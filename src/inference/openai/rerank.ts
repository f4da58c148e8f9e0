// POST /rerank: ranks documents by the distance of their embeddings to the query.
import { isObject, type Json } from '../../base/json.ts';
import type { Exchange, Reply } from '../../surface/http/exchange.ts';
import { json } from '../../surface/http/exchange.ts';
import { cosine } from '../vectors.ts';
import { Fields } from './fields.ts';
import { longestModel, modelFor, type OpenAiTools, servedHeaders } from './tools.ts';

const maxDocuments = 1000;

export async function rerank(tools: OpenAiTools, x: Exchange): Promise<Reply> {
  const fields = new Fields(x.body);
  const model = modelFor(tools, fields.text('model', longestModel), ['rerank', 'embedding']);
  const query = fields.text('query');
  const documents = fields.list('documents', maxDocuments)?.map((one) => textOf(fields, one));
  if (!documents?.length) throw fields.refuse('documents', 'at least one is needed');
  const most = fields.whole('top_n', 1, Number.MAX_SAFE_INTEGER) ?? documents.length;
  const returns = fields.has('return_documents') ? fields.flag('return_documents') : true;
  const texts = [query, ...documents];
  const { vectors, tokens } = await tools.inference.embed(x.who.contract, model, texts, x.signal);
  const [queryVector, ...others] = vectors as [Float32Array, ...Float32Array[]];
  const results = others
    .map((vector, index) => ({
      index,
      ...(returns && { document: { text: documents[index] } }),
      relevance_score: cosine(queryVector, vector),
    }))
    .sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index)
    .slice(0, most);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return json(200, { id: `rerank-${x.id}`, model: model.id, results, usage }, await servedHeaders(tools, model));
}

function textOf(fields: Fields, document: Json): string {
  const text = isObject(document) ? document.text : document;
  if (typeof text !== 'string') throw fields.refuse('documents', "texts are expected; images can't be ranked");
  return fields.checked('documents', text);
}
