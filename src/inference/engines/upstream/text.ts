// Text from an upstream. It is always requested as a stream, so that the upstream stops when a client leaves.
import type { ChatTurn, TextOrder, TextPart, TokenLogprob, Tool, ToolCall } from '../engine.ts';
import { countTokens } from '../tiny/tokenizer.ts';
import type { Upstream } from './connection.ts';

interface Chunk {
  choices?: {
    text?: string;
    delta?: { content?: string | null; reasoning_content?: string | null; tool_calls?: CallDelta[] };
    logprobs?: {
      content?: LogprobOfChat[] | null;
      tokens?: string[];
      token_logprobs?: number[];
      top_logprobs?: Tops[];
    };
    finish_reason?: string | null;
  }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
}

interface CallDelta {
  index?: number;
  id?: string;
  function?: { name?: string; arguments?: string };
}

interface LogprobOfChat {
  token: string;
  logprob: number;
  top_logprobs?: { token: string; logprob: number }[];
}

type Tops = Record<string, number> | null;

export async function* generateText(
  upstream: Upstream,
  model: string,
  order: TextOrder,
  signal: AbortSignal,
): AsyncGenerator<TextPart> {
  const path = 'prompt' in order.input ? '/completions' : '/chat/completions';
  const calls = new Map<number, ToolCall>(); // by the number that the upstream gives them
  let usage: Chunk['usage'];
  let reason: 'stop' | 'length' = 'stop';
  let pieces = 0;
  for await (const chunk of upstream.stream<Chunk>(path, bodyOf(model, order), signal)) {
    usage = chunk.usage ?? usage;
    const choice = chunk.choices?.[0];
    if (!choice) continue;
    const { delta = {}, finish_reason } = choice;
    if (delta.reasoning_content) yield { kind: 'reasoning', text: delta.reasoning_content };
    const text = delta.content ?? choice.text ?? '';
    const logprobs = order.topLogprobs === undefined ? undefined : logprobsIn(choice.logprobs);
    if (text !== '') {
      pieces += 1;
      yield { kind: 'text', text, ...(logprobs && { logprobs }) };
    }
    for (const call of delta.tool_calls ?? []) gather(calls, call);
    if (finish_reason === 'length') reason = 'length';
  }
  for (const call of calls.values()) yield { kind: 'call', call };
  // For an upstream that does not report the usage, the prompt is counted as the tiny model would, and each piece of
  // the answer counts as one token, as most servers send them.
  const promptTokens = usage?.prompt_tokens ?? countTokens(textIn(order.input));
  const completionTokens =
    usage?.completion_tokens ?? pieces + countTokens([...calls.values()].map(textOfCall).join(''));
  yield { kind: 'end', reason, promptTokens, completionTokens };
}

const textIn = (input: TextOrder['input']): string =>
  'prompt' in input ? input.prompt : input.turns.map(({ role, content }) => `${role}: ${content}`).join('\n');

const textOfCall = ({ name, arguments: given }: ToolCall): string => name + given;

// A call arrives in pieces: its id and name first, then its arguments.
function gather(calls: Map<number, ToolCall>, { index = 0, id, function: called = {} }: CallDelta): void {
  const known = calls.get(index) ?? { id: id ?? '', name: called.name ?? '', arguments: '' };
  calls.set(index, { ...known, arguments: known.arguments + (called.arguments ?? '') });
}

type Logprobs = NonNullable<Chunk['choices']>[number]['logprobs'];

function logprobsIn(logprobs: Logprobs): TokenLogprob[] {
  if (logprobs?.content)
    return logprobs.content.map(({ token, logprob, top_logprobs = [] }) => ({
      token,
      logprob,
      top: top_logprobs.map((one) => ({ token: one.token, logprob: one.logprob })),
    }));
  return (logprobs?.tokens ?? []).map((token, at) => ({
    token,
    logprob: logprobs?.token_logprobs?.[at] ?? 0,
    top: Object.entries(logprobs?.top_logprobs?.[at] ?? {}).map(([one, logprob]) => ({ token: one, logprob })),
  }));
}

// Only what the client has requested: some servers refuse unknown fields.
function bodyOf(model: string, order: TextOrder): object {
  const isChat = 'turns' in order.input;
  const { maxTokens, seed, stop, presencePenalty, frequencyPenalty, logitBias, topLogprobs, reasoningEffort } = order;
  return {
    model,
    ...('prompt' in order.input
      ? { prompt: order.input.prompt }
      : { messages: order.input.turns.map(messageOf), ...formOf(order, order.input.tools) }),
    stream: true,
    stream_options: { include_usage: true },
    ...(order.temperature !== undefined && { temperature: order.temperature }),
    ...(order.topP < 1 && { top_p: order.topP }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(seed !== undefined && { seed }),
    ...(stop.length > 0 && { stop }),
    ...(presencePenalty !== 0 && { presence_penalty: presencePenalty }),
    ...(frequencyPenalty !== 0 && { frequency_penalty: frequencyPenalty }),
    ...(Object.keys(logitBias).length > 0 && { logit_bias: logitBias }),
    ...(topLogprobs !== undefined &&
      (isChat ? { logprobs: true, top_logprobs: topLogprobs } : { logprobs: topLogprobs })),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
  };
}

function formOf({ form }: TextOrder, tools: readonly Tool[]): object {
  const offered = tools.length > 0 ? { tools: tools.map((one) => ({ type: 'function', function: one })) } : {};
  if (!form) return offered;
  if (form.kind === 'object') return { ...offered, response_format: { type: 'json_object' } };
  if (form.kind === 'schema') {
    const json_schema = { name: 'answer', strict: true, schema: form.schema };
    return { ...offered, response_format: { type: 'json_schema', json_schema } };
  }
  const [only] = form.tools.length === 1 ? form.tools : [];
  return { ...offered, tool_choice: only ? { type: 'function', function: { name: only.name } } : 'required' };
}

function messageOf({ role, content, images, name, toolCalls, toolCallId }: ChatTurn): object {
  const parts = images?.map((url) => ({ type: 'image_url', image_url: { url } }));
  const calls = toolCalls?.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  return {
    role,
    content: parts ? [{ type: 'text', text: content }, ...parts] : content,
    ...(name !== undefined && { name }),
    ...(calls && { tool_calls: calls }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  };
}
