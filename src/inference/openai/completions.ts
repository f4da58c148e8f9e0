// POST /completions: text that continues a prompt.
import { uuid } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { Exchange, Reply } from '../../surface/http/exchange.ts';
import { json } from '../../surface/http/exchange.ts';
import type { TextOrder, TextPart, TokenLogprob } from '../engines/engine.ts';
import { chunkStream } from './chunk-stream.ts';
import { Fields } from './fields.ts';
import { allWhole, merged } from './merged.ts';
import { choiceOrder, samplingOf } from './sampling.ts';
import { textsIn } from './texts.ts';
import { chatModel, longestModel, type OpenAiTools, servedHeaders, type Usage, unixSeconds, usageOf } from './tools.ts';

const maxPrompts = 64; // times n: the queue accepts no more per contract
const maxTopLogprobs = 5;

export async function completeText(tools: OpenAiTools, x: Exchange): Promise<Reply> {
  const fields = new Fields(x.body);
  const model = chatModel(tools, fields.text('model', longestModel));
  const prompts = textsIn(fields, 'prompt', maxPrompts);
  const echoes = fields.flag('echo');
  const topLogprobs = fields.whole('logprobs', 0, maxTopLogprobs);
  const { order, count, isStream, includeUsage } = samplingOf(fields);
  demandDoable(fields, count, prompts.length);
  const giveUp = new AbortController();
  const leaves = isStream ? tools.inference.whileServing(x.signal) : x.signal;
  const signal = AbortSignal.any([leaves, giveUp.signal]);
  const choices = prompts.flatMap((prompt) => {
    const input = { prompt };
    return Array.from({ length: count }, (_, index): AsyncIterable<TextPart> => {
      const full: TextOrder = {
        contract: x.who.contract,
        input,
        ...choiceOrder(order, index),
        ...(topLogprobs !== undefined && { topLogprobs }),
      };
      const parts = tools.inference.text(model, full, signal);
      return echoes ? echoed(prompt, parts) : parts;
    });
  });
  const head = { id: `cmpl-${uuid().replaceAll('-', '')}`, object: 'text_completion', model: model.id };
  const dated = { ...head, created: unixSeconds(tools) };
  const headers = await servedHeaders(tools, model);
  if (isStream)
    return chunkStream(x, streamed(dated, choices, giveUp, { prompts: prompts.length, includeUsage }), headers);
  const ends: Usage[] = [];
  const hasLogprobs = topLogprobs !== undefined;
  const works = choices.map((parts, index) => whole(parts, index, ends, hasLogprobs));
  const all = await allWhole(works, giveUp);
  return json(200, { ...dated, choices: all, usage: usageOf(ends, prompts.length) }, headers);
}

// Options that would otherwise be ignored and change the answer, or that exceed the queue.
function demandDoable(fields: Fields, count: number, prompts: number): void {
  if (count * prompts > maxPrompts) throw fields.refuse('n', `prompts times n may be at most ${maxPrompts}`);
  if ((fields.maybeText('suffix') ?? '') !== '') throw fields.refuse('suffix', 'suffixes are not supported');
  const best = fields.whole('best_of', 1, maxPrompts) ?? count;
  if (best !== count) throw fields.refuse('best_of', 'must be absent or equal to n');
}

async function* echoed(prompt: string, parts: AsyncIterable<TextPart>): AsyncGenerator<TextPart> {
  let isBegun = false;
  for await (const part of parts) {
    if (!isBegun) yield { kind: 'text', text: prompt };
    isBegun = true;
    yield part;
  }
}

async function whole(
  parts: AsyncIterable<TextPart>,
  index: number,
  ends: Usage[],
  hasLogprobs: boolean,
): Promise<object> {
  let text = '';
  let reason = 'stop';
  let start = 0;
  const logprobs: TokenLogprob[] = [];
  for await (const part of parts) {
    if (part.kind === 'text') {
      if (!part.logprobs && logprobs.length === 0) start += lengthOf(part.text);
      text += part.text;
      logprobs.push(...(part.logprobs ?? []));
    } else if (part.kind === 'end') {
      reason = part.reason;
      ends[index] = part;
    }
  }
  return { index, text, logprobs: hasLogprobs ? shownLogprobs(logprobs, start) : null, finish_reason: reason };
}

async function* streamed(
  head: object,
  choices: AsyncIterable<TextPart>[],
  giveUp: AbortController,
  { prompts, includeUsage }: { prompts: number; includeUsage: boolean },
): AsyncGenerator<object> {
  const ends: Usage[] = [];
  const offsets = choices.map(() => 0); // characters
  const noUsage = includeUsage ? { usage: null } : {};
  for await (const [index, part] of merged(choices, giveUp)) {
    if (part.kind === 'end') ends[index] = part;
    const choice =
      part.kind === 'end' ? { text: '', finish_reason: part.reason } : { text: textOf(part), finish_reason: null };
    const start = offsets[index] as number;
    const logprobs = part.kind === 'text' && part.logprobs ? shownLogprobs(part.logprobs, start) : null;
    const tokens = part.kind === 'text' ? part.logprobs?.map(({ token }) => token) : undefined;
    offsets[index] = start + lengthOf(tokens?.join('') ?? choice.text);
    yield { ...head, choices: [{ index, ...choice, logprobs }], ...noUsage };
  }
  if (includeUsage) yield { ...head, choices: [], usage: usageOf(ends, prompts) };
}

const textOf = (part: TextPart): string => (part.kind === 'text' ? part.text : '');

// Clients count code points.
const lengthOf = (text: string): number => [...text].length;

// Only for generated text: a prompt that is repeated (`echo`) has no log probabilities, and precedes the text.
function shownLogprobs(all: readonly TokenLogprob[], start: number): Json {
  let offset = start;
  const text_offset = all.map(({ token }) => {
    offset += lengthOf(token);
    return offset - lengthOf(token);
  });
  return {
    tokens: all.map(({ token }) => token),
    token_logprobs: all.map(({ logprob }) => logprob),
    top_logprobs: all.map(({ top }) => Object.fromEntries(top.map(({ token, logprob }) => [token, logprob]))),
    text_offset,
  };
}
