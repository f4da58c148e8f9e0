// POST /embeddings
import { TimeSlice } from '../../core/threads/time-slice.ts';
import type { Exchange, Reply } from '../../surface/http/exchange.ts';
import { json } from '../../surface/http/exchange.ts';
import { shortened } from '../vectors.ts';
import { Fields } from './fields.ts';
import { textsIn } from './texts.ts';
import { longestModel, modelFor, type OpenAiTools, servedHeaders } from './tools.ts';

const maxTexts = 2048;
const maxAtOnce = 32; // vectors of an answer that is written at once

export async function embed(tools: OpenAiTools, x: Exchange): Promise<Reply> {
  const fields = new Fields(x.body);
  const model = modelFor(tools, fields.text('model', longestModel), ['embedding']);
  const texts = textsIn(fields, 'input', maxTexts);
  if (texts.includes('')) throw fields.refuse('input', 'an empty text has no embedding');
  const format = fields.oneOf('encoding_format', ['float', 'base64']) ?? 'float';
  const size = fields.whole('dimensions', 1, model.dimensions ?? 4096);
  const { vectors, tokens } = await tools.inference.embed(x.who.contract, model, texts, x.signal);
  const shown = (vector: Float32Array, index: number): object => {
    const embedding = shortened(vector, size);
    return { object: 'embedding', index, embedding: format === 'base64' ? base64Of(embedding) : [...embedding] };
  };
  const answer = { object: 'list', model: model.id, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  const headers = await servedHeaders(tools, model);
  if (vectors.length <= maxAtOnce) return json(200, { ...answer, data: vectors.map(shown) }, headers);
  return { status: 200, headers, stream: manyPieces(answer, vectors, shown) };
}

// Two thousand vectors are forty megabytes of text: other calls get their turns while it is written.
async function* manyPieces(
  answer: object,
  vectors: readonly Float32Array[],
  shown: (vector: Float32Array, index: number) => object,
): AsyncGenerator<string> {
  const slice = new TimeSlice();
  yield `${JSON.stringify(answer).slice(0, -1)},"data":[`;
  for (const [index, vector] of vectors.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(shown(vector, index))}`;
    await slice.pause();
  }
  yield ']}';
}

// Little-endian, on every machine.
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, one] of vector.entries()) bytes.writeFloatLE(one, at * 4);
  return bytes.toString('base64');
}
