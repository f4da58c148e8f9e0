// POST /embeddings
import type { Exchange, Reply } from '../../surface/http/exchange.ts';
import { json } from '../../surface/http/exchange.ts';
import { shortened } from '../vectors.ts';
import { Fields } from './fields.ts';
import { textsIn } from './texts.ts';
import { longestModel, modelFor, type OpenAiTools, servedHeaders } from './tools.ts';

const mostTexts = 2048;

export async function embed(tools: OpenAiTools, x: Exchange): Promise<Reply> {
  const fields = new Fields(x.body);
  const model = modelFor(tools, fields.text('model', longestModel), ['embedding']);
  const texts = textsIn(fields, 'input', mostTexts);
  if (texts.includes('')) throw fields.refuse('input', 'an empty text has no embedding');
  const format = fields.oneOf('encoding_format', ['float', 'base64']) ?? 'float';
  const size = fields.whole('dimensions', 1, model.dimensions ?? 4096);
  const { vectors, tokens } = await tools.inference.embed(x.who.contract, model, texts, x.signal);
  const data = vectors.map((vector, index) => {
    const embedding = shortened(vector, size);
    return { object: 'embedding', index, embedding: format === 'base64' ? base64Of(embedding) : [...embedding] };
  });
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return json(200, { object: 'list', model: model.id, data, usage }, await servedHeaders(tools, model));
}

// Little-endian, on every machine.
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, one] of vector.entries()) bytes.writeFloatLE(one, at * 4);
  return bytes.toString('base64');
}
