// The tiny model as an engine of text. It says what it is, repeats the beginning of the input, and continues at random.
// With a form it creates an instance of it. It calls a tool if the form demands it or the user names the tool.
import {
  type ChatTurn,
  refuseImages,
  type TextEngine,
  type TextOrder,
  type TextPart,
  type TokenLogprob,
  type Tool,
} from '../engine.ts';
import { schemaInstance } from '../schema-work.ts';
import { StopSequences } from '../stop-sequences.ts';
import { drawToken, endToken } from './language-model.ts';
import { hashOf, type Random, randomOf } from './random.ts';
import { countTokens, tokensOf } from './tokenizer.ts';

export const tinyName = 'the tiny built-in model';
const contextTokens = 128_000;
const turnTokens = 4; // of its role and its end mark
const maxRambling = 80;
const echoed = 12; // words

export const tinyText = (model: string): TextEngine => ({
  servedBy: `${tinyName}, not ${model}`,
  contextTokens,
  parallel: 16,
  countTokens: async (input) => tokensIn(input),
  generate: (order, signal) => generate(model, order, signal),
});

// Several choices share one input, which may have megabytes.
const counted = new WeakMap<TextOrder['input'], number>();

function tokensIn(input: TextOrder['input']): number {
  const known = counted.get(input) ?? countIn(input);
  counted.set(input, known);
  return known;
}

// For a long input, a lower bound that exceeds the limit.
function countIn(input: TextOrder['input']): number {
  if ('prompt' in input) return countTokens(input.prompt, contextTokens + 1);
  const ofTurn = ({ content, toolCalls = [] }: ChatTurn): number =>
    turnTokens +
    countTokens(content, contextTokens + 1) +
    (toolCalls.length > 0 ? countTokens(JSON.stringify(toolCalls)) : 0);
  const turns = input.turns.reduce((sum, turn) => sum + ofTurn(turn), 0);
  return turns + (input.tools.length > 0 ? countTokens(JSON.stringify(input.tools)) : 0);
}

async function* generate(model: string, order: TextOrder, signal: AbortSignal): AsyncGenerator<TextPart> {
  refuseImages(order.input);
  const promptTokens = tokensIn(order.input);
  const random = randomOf(order.seed ?? hashOf(textIn(order.input), order.choice));
  const called = calledTool(order);
  if (called) {
    const call = {
      id: `call_${idOf(random)}`,
      name: called.name,
      arguments: await argumentsFor(called, order, random),
    };
    const completionTokens = countTokens(JSON.stringify(call));
    yield { kind: 'call', call };
    yield { kind: 'end', reason: 'stop', promptTokens, completionTokens };
    return;
  }
  const { script, isWhole } = await scriptFor(model, order, random);
  const stops = new StopSequences(order.stop);
  const most = Math.min(order.maxTokens ?? Number.POSITIVE_INFINITY, contextTokens - promptTokens);
  const longest = isWhole ? script.length : script.length + maxRambling;
  const said = new Map<string, number>();
  const waiting: TokenLogprob[] = [];
  const partOf = (text: string): TextPart => {
    const logprobs = waiting.splice(0);
    return { kind: 'text', text, ...(order.topLogprobs !== undefined && { logprobs }) };
  };
  let last = endToken;
  let completionTokens = 0;
  let reason: 'stop' | 'length' = 'stop';
  for (;;) {
    // Other calls get their turns between the tokens.
    await new Promise(setImmediate);
    signal.throwIfAborted();
    const isScripted = completionTokens < script.length;
    if (!isScripted && (isWhole || completionTokens >= longest)) break;
    const forced = isScripted ? script[completionTokens] : undefined;
    // The end of a text that is not scripted is random.
    const { token, logprobs } = drawToken(last, forced, said, isWhole ? { ...order, ...unbent } : order, random);
    if (token === endToken) break;
    if (completionTokens >= most) {
      reason = 'length';
      break;
    }
    completionTokens += 1;
    said.set(token, (said.get(token) ?? 0) + 1);
    last = completionTokens === script.length ? endToken : token; // then another sentence begins
    if (logprobs) waiting.push(logprobs);
    const { text, isStopped } = stops.take(token);
    if (text !== '') yield partOf(text);
    if (isStopped) return yield { kind: 'end', reason: 'stop', promptTokens, completionTokens };
  }
  const rest = stops.rest();
  if (rest !== '') yield partOf(rest);
  yield { kind: 'end', reason, promptTokens, completionTokens };
}

// An instance of a form is written unchanged.
const unbent = { temperature: 0, presencePenalty: 0, frequencyPenalty: 0, logitBias: {} };

// The scripted text, and whether the answer ends with it.
async function scriptFor(
  model: string,
  order: TextOrder,
  random: Random,
): Promise<{ script: string[]; isWhole: boolean }> {
  const { form, input } = order;
  if (!form) return { script: tokensOf(openingOf(model, input)), isWhole: false };
  return { script: tokensOf(JSON.stringify(await instanceFor(form, order, random))), isWhole: true };
}

async function instanceFor(form: NonNullable<TextOrder['form']>, order: TextOrder, random: Random): Promise<unknown> {
  if (form.kind === 'schema') return schemaInstance(form.schema, seedOf(random), order.contract);
  if (form.kind === 'object') return { model: tinyName, echo: beginningOf(lastPrompt(order.input)) };
  const tool = namedTool(form.tools, lastPrompt(order.input)) ?? (form.tools[0] as Tool);
  return { name: tool.name, arguments: JSON.parse(await argumentsFor(tool, order, random)) as unknown };
}

const argumentsFor = async ({ parameters }: Tool, { contract }: TextOrder, random: Random): Promise<string> =>
  JSON.stringify(await schemaInstance({ type: 'object', ...parameters }, seedOf(random), contract));

const seedOf = (random: Random): number => Math.floor(random() * 2 ** 32);

// Without a form, a tool is called if the user names it: by its whole name, or by all of its words.
function calledTool({ form, input }: TextOrder): Tool | undefined {
  if (form || 'prompt' in input || input.turns.at(-1)?.role !== 'user') return undefined;
  return namedTool(input.tools, lastPrompt(input));
}

function namedTool(tools: readonly Tool[], prompt: string): Tool | undefined {
  const text = prompt.toLowerCase();
  return tools.find(({ name }) => {
    const words = name
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z0-9]+/);
    return text.includes(name.toLowerCase()) || words.every((word) => text.includes(word));
  });
}

function openingOf(model: string, input: TextOrder['input']): string {
  const what = `This is ${tinyName} of Cumulet, standing in for ${model}.`;
  const beginning = beginningOf(lastPrompt(input));
  if (beginning === '') return what;
  const isFromTool = 'turns' in input && input.turns.at(-1)?.role === 'tool';
  return `${what} ${isFromTool ? 'The tool answered' : 'You said'}: "${beginning}".`;
}

function lastPrompt(input: TextOrder['input']): string {
  if ('prompt' in input) return input.prompt;
  return input.turns.findLast(({ role }) => role === 'user' || role === 'tool')?.content ?? '';
}

function beginningOf(text: string): string {
  const words = text.slice(0, 1000).trim().split(/\s+/);
  return words.slice(0, echoed).join(' ') + (words.length > echoed ? ' …' : '');
}

const textIn = (input: TextOrder['input']): string =>
  'prompt' in input ? input.prompt : input.turns.map(({ role, content }) => `${role}: ${content}`).join('\n');

const idOf = (random: Random): string =>
  Array.from({ length: 24 }, () => Math.floor(random() * 36).toString(36)).join('');
