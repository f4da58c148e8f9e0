// POST /images/generations
import type { Exchange, Reply } from '../../surface/http/exchange.ts';
import { json } from '../../surface/http/exchange.ts';
import { Fields } from './fields.ts';
import { longestModel, modelFor, type OpenAiTools, servedHeaders, unixSeconds } from './tools.ts';

export const imageSizes = ['1024x1024', '1024x1792', '1792x1024', '512x512', '256x256'] as const;
const maxImages = 10;
export const longestPrompt = 32_000; // characters

export async function makeImages(tools: OpenAiTools, x: Exchange): Promise<Reply> {
  const fields = new Fields(x.body);
  const model = modelFor(tools, fields.text('model', longestModel), ['image']);
  const prompt = fields.text('prompt', longestPrompt);
  if (prompt === '') throw fields.refuse('prompt', 'a text is needed');
  const count = fields.whole('n', 1, maxImages) ?? 1;
  const [width, height] = (fields.oneOf('size', imageSizes) ?? imageSizes[0]).split('x').map(Number);
  fields.oneOf('response_format', ['b64_json']);
  tools.limits.takeImages(x, count);
  const first = fields.whole('seed', 0, Number.MAX_SAFE_INTEGER - maxImages) ?? 0;
  const data: { b64_json: string }[] = [];
  for (let seed = first; seed < first + count; seed++) {
    const order = { prompt, width: width as number, height: height as number, seed };
    const png = await tools.inference.image(x.who.contract, model, order, x.signal);
    data.push({ b64_json: Buffer.from(png).toString('base64') });
  }
  const served_by = await tools.inference.models.servedBy(model);
  return json(200, { created: unixSeconds(tools), data, served_by }, await servedHeaders(tools, model));
}
