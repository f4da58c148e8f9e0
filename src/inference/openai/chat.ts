// POST /chat/completions
import { uuid } from '../../base/ids.ts';
import type { Exchange, Reply } from '../../surface/http/exchange.ts';
import { json } from '../../surface/http/exchange.ts';
import type { TextForm, TextOrder, TextPart, TokenLogprob, ToolCall } from '../engines/engine.ts';
import { BadSchema } from '../engines/schema-validator.ts';
import { checkSchema } from '../engines/schema-work.ts';
import { SchemaFault } from '../inference.ts';
import { type ChatRequest, chatRequestOf, type SentSchema } from './chat-request.ts';
import { chunkStream } from './chunk-stream.ts';
import { parameterFault } from './faults.ts';
import { allWhole, merged } from './merged.ts';
import { choiceOrder } from './sampling.ts';
import { chatModel, type OpenAiTools, servedHeaders, type Usage, unixSeconds, usageOf } from './tools.ts';

export async function completeChat(tools: OpenAiTools, x: Exchange): Promise<Reply> {
  const request = chatRequestOf(x.body);
  const model = chatModel(tools, request.model);
  const { contract } = x.who;
  for (const sent of request.schemas) await demandSchema(sent, contract);
  const giveUp = new AbortController();
  const leaves = request.isStream ? tools.inference.whileServing(x.signal) : x.signal;
  const signal = AbortSignal.any([leaves, giveUp.signal]);
  const choices = Array.from({ length: request.count }, (_, index) => {
    const order: TextOrder = { contract, ...choiceOrder(request.order, index) };
    return withCalls(order.form, withParameter(order.form, tools.inference.text(model, order, signal)));
  });
  const head = { id: `chatcmpl-${uuid().replaceAll('-', '')}`, created: unixSeconds(tools), model: model.id };
  const headers = await servedHeaders(tools, model);
  if (!request.isStream) return json(200, { ...head, ...(await wholeChat(request, choices, giveUp)) }, headers);
  return chunkStream(x, streamedChat(request, head, choices, giveUp), headers);
}

async function demandSchema({ at, schema }: SentSchema, contract: number): Promise<void> {
  try {
    await checkSchema(schema, contract);
  } catch (error) {
    throw error instanceof BadSchema ? parameterFault(at, new SchemaFault(error.message)) : error;
  }
}

// A schema that the engine can't enforce is an invalid parameter.
async function* withParameter(form: TextForm | undefined, parts: AsyncIterable<TextPart>): AsyncGenerator<TextPart> {
  try {
    yield* parts;
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    throw parameterFault(form?.kind === 'schema' ? 'response_format.json_schema.schema' : 'tools', error);
  }
}

// A part as clients of a chat see it: with the form `tools`, the text is a call.
async function* withCalls(form: TextForm | undefined, parts: AsyncIterable<TextPart>): AsyncGenerator<TextPart> {
  if (form?.kind !== 'tools') return yield* parts;
  let text = '';
  for await (const part of parts) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind !== 'end') yield part;
    else {
      const call = text === '' ? undefined : callIn(text);
      if (call) yield { kind: 'call', call };
      yield part;
    }
  }
}

// Undefined if the text was truncated.
function callIn(text: string): ToolCall | undefined {
  try {
    const { name, arguments: given = {} } = JSON.parse(text) as { name: string; arguments?: unknown };
    return { id: `call_${uuid().replaceAll('-', '')}`, name, arguments: JSON.stringify(given) };
  } catch {
    return undefined;
  }
}

async function wholeChat(
  { order }: ChatRequest,
  choices: AsyncIterable<TextPart>[],
  giveUp: AbortController,
): Promise<object> {
  const ends: Usage[] = [];
  const all = await allWhole(
    choices.map(async (parts, index) => {
      const calls: ToolCall[] = [];
      const logprobs: TokenLogprob[] = [];
      let content = '';
      let reasoning = '';
      let reason = 'stop';
      for await (const part of parts) {
        if (part.kind === 'call') calls.push(part.call);
        else if (part.kind === 'reasoning') reasoning += part.text;
        else if (part.kind === 'text') {
          content += part.text;
          logprobs.push(...(part.logprobs ?? []));
        } else {
          reason = part.reason;
          ends[index] = part;
        }
      }
      const hasNone = content === '' && (calls.length > 0 || order.form?.kind === 'tools');
      return {
        index,
        message: {
          role: 'assistant',
          content: hasNone ? null : content,
          refusal: null,
          ...(reasoning !== '' && { reasoning_content: reasoning }),
          ...(calls.length > 0 && { tool_calls: calls.map(shownCall) }),
        },
        logprobs: order.topLogprobs === undefined ? null : { content: logprobs.map(shownLogprob), refusal: null },
        finish_reason: calls.length > 0 ? 'tool_calls' : reason,
      };
    }),
    giveUp,
  );
  return { object: 'chat.completion', choices: all, usage: usageOf(ends) };
}

async function* streamedChat(
  { order, includeUsage }: ChatRequest,
  head: object,
  choices: AsyncIterable<TextPart>[],
  giveUp: AbortController,
): AsyncGenerator<object> {
  const ends: Usage[] = [];
  const calls = choices.map(() => 0);
  const begun = new Set<number>();
  const chunk = (
    index: number,
    delta: object,
    finish_reason: string | null,
    logprobs: object | null = null,
  ): object => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, logprobs, finish_reason }],
    ...(includeUsage && { usage: null }),
  });
  for await (const [index, part] of merged(choices, giveUp)) {
    if (!begun.has(index)) yield chunk(index, { role: 'assistant', content: '' }, null);
    begun.add(index);
    if (part.kind === 'text') {
      const logprobs = order.topLogprobs === undefined ? null : { content: (part.logprobs ?? []).map(shownLogprob) };
      yield chunk(index, { content: part.text }, null, logprobs);
    } else if (part.kind === 'reasoning') yield chunk(index, { reasoning_content: part.text }, null);
    else if (part.kind === 'call') {
      const at = calls[index] as number;
      calls[index] = at + 1;
      yield chunk(index, { tool_calls: [{ index: at, ...shownCall(part.call) }] }, null);
    } else {
      ends[index] = part;
      yield chunk(index, {}, calls[index] ? 'tool_calls' : part.reason);
    }
  }
  if (includeUsage) yield { ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(ends) };
}

const shownCall = ({ id, name, arguments: given }: ToolCall): object => ({
  id,
  type: 'function',
  function: { name, arguments: given },
});

const shownLogprob = ({ token, logprob, top }: TokenLogprob): object => ({
  token,
  logprob,
  bytes: [...Buffer.from(token)],
  top_logprobs: top.map((one) => ({ ...one, bytes: [...Buffer.from(one.token)] })),
});
