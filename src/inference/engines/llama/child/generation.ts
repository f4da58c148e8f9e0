// One order from its prompt to its last token.
import { randomHex } from '../../../../base/ids.ts';
import {
  EngineError,
  overContext,
  refuseImages,
  type TextOrder,
  type TextPart,
  type TokenLogprob,
} from '../../engine.ts';
import { StopSequences } from '../../stop-sequences.ts';
import { grammarOf } from '../grammar/grammar.ts';
import type { GrammarState, Library, Llama, Model, Sampling, Sequence, Token } from './library.ts';
import { Detokenizer, Speech } from './output.ts';
import type { Prompts } from './prompt.ts';
import type { Sequences } from './sequences.ts';

export interface Loaded {
  library: Library;
  llama: Llama;
  model: Model;
  prompts: Prompts;
  sequences: Sequences;
  contextTokens: number;
  isSmall: boolean; // it falls into loops, so answers without a limit get one
  batchTokens: number;
}

// The sampling defaults of llama.cpp's own programs, if the client sets none.
const topK = 40;
const minP = 0.05;
const penaltyTokens = 256;

export async function generate(
  loaded: Loaded,
  order: TextOrder,
  signal: AbortSignal,
  tell: (part: TextPart) => void,
): Promise<void> {
  const prompt = promptOf(loaded, order);
  const sampling = await samplingOf(loaded, order);
  await loaded.sequences.use(order.contract, prompt, async (sequence, known) => {
    if (signal.aborted) return;
    const rest = await prefill(sequence, prompt.slice(known), loaded.batchTokens, signal);
    if (signal.aborted) return;
    const said = { ...sampling, ...penaltiesOf(order, sequence, prompt.length) };
    await decode(loaded, order, { sequence, prompt, rest, sampling: said }, signal, tell);
  });
}

function promptOf(
  { prompts, model, contextTokens }: Loaded,
  order: Pick<TextOrder, 'input' | 'reasoningEffort'>,
): Token[] {
  refuseImages(order.input);
  const prompt = prompts.tokens(order.input, order.reasoningEffort);
  if (prompt.length === 0) prompt.push(...model.tokenize('\n'));
  const most = contextTokens - 2;
  if (prompt.length > most)
    throw new EngineError(
      'too-long',
      `${overContext(most, prompt.length)} This is the limit of the model that serves this id on this machine.`,
    );
  return prompt;
}

// All but the last batch, in pieces, so that an abort does not wait for a long prompt.
async function prefill(
  sequence: Sequence,
  tokens: Token[],
  batchTokens: number,
  signal: AbortSignal,
): Promise<Token[]> {
  let at = 0;
  while (tokens.length - at > batchTokens && !signal.aborted) {
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(at, at + batchTokens));
    at += batchTokens;
  }
  return tokens.slice(at);
}

interface Run {
  sequence: Sequence;
  prompt: Token[];
  rest: Token[];
  sampling: Sampling;
}

async function decode(
  { model, contextTokens }: Loaded,
  order: TextOrder,
  { sequence, prompt, rest, sampling }: Run,
  signal: AbortSignal,
  tell: (part: TextPart) => void,
): Promise<void> {
  const text = new Detokenizer(model, prompt);
  const stops = new StopSequences(order.stop);
  const isFree = order.form === undefined && 'turns' in order.input;
  const speech = isFree ? new Speech('turns' in order.input ? order.input.tools : [], callId) : undefined;
  const say = (words: string, logprobs?: TokenLogprob[]): void => {
    if (speech) for (const part of speech.add(words, logprobs)) tell(part);
    else if (words !== '' || logprobs) tell({ kind: 'text', text: words, ...(logprobs && { logprobs }) });
  };
  const most = Math.min(order.maxTokens ?? Number.POSITIVE_INFINITY, contextTokens - 1 - prompt.length);
  let made = 0;
  let isStopped = false;
  let reason: 'stop' | 'length' = most <= 0 ? 'length' : 'stop';
  const wantsLogprobs = order.topLogprobs !== undefined;
  if (most > 0) {
    const tokens = sequence.evaluateWithMetadata(rest, { probabilities: wantsLogprobs }, sampling);
    for await (const { token, probabilities } of tokens) {
      if (signal.aborted) return;
      made++;
      const logprobs = probabilities && [logprobOf(model, token, probabilities, order.topLogprobs ?? 0)];
      const said = stops.take(text.add(token));
      say(said.text, logprobs);
      isStopped = said.isStopped;
      if (isStopped) break;
      if (made >= most) {
        reason = 'length';
        break;
      }
    }
  }
  if (!isStopped) {
    say(stops.take(text.rest()).text);
    say(stops.rest());
  }
  for (const part of speech?.rest() ?? []) tell(part);
  tell({ kind: 'end', reason, promptTokens: prompt.length, completionTokens: made });
}

const callId = (): string => `call_${randomHex(12)}`;

async function samplingOf(loaded: Loaded, order: TextOrder): Promise<Sampling> {
  const { library, model } = loaded;
  const biases = Object.entries(order.logitBias);
  const grammar = order.form && (await grammarState(loaded, order.form));
  const sampling: Sampling = {
    temperature: order.temperature ?? 1,
    topK,
    topP: order.topP,
    minP: order.topLogprobs === undefined ? minP : 0, // otherwise it omits tokens that the client requested
    seed: order.seed ?? Number.parseInt(randomHex(4), 16) >>> 1,
  };
  if (grammar) sampling.grammarEvaluationState = grammar;
  if (grammar && loaded.isSmall) sampling.dryRepeatPenalty = { strength: 0.8, lastTokens: penaltyTokens };
  if (biases.length > 0) {
    sampling.tokenBias = new library.TokenBias(model.tokenizer);
    for (const [token, bias] of biases) sampling.tokenBias.set(Number(token), bias <= -100 ? 'never' : { logit: bias });
  }
  return sampling;
}

function penaltiesOf(order: TextOrder, sequence: Sequence, promptTokens: number): Pick<Sampling, 'repeatPenalty'> {
  const { presencePenalty, frequencyPenalty } = order;
  if (presencePenalty === 0 && frequencyPenalty === 0) return {};
  const punishTokens = (): Token[] => sequence.contextTokens.slice(promptTokens).slice(-penaltyTokens);
  return { repeatPenalty: { punishTokens, penalty: 1, presencePenalty, frequencyPenalty } };
}

async function grammarState(
  { library, llama, model, isSmall }: Loaded,
  form: NonNullable<TextOrder['form']>,
): Promise<GrammarState> {
  const text = grammarOf(form, isSmall);
  const grammar = await llama.createGrammar({ grammar: text }).catch(() => {
    throw new EngineError('schema', 'The schema is too large for the model that serves this id on this machine.');
  });
  return new library.LlamaGrammarEvaluationState({ model, grammar });
}

function logprobOf(model: Model, token: Token, probabilities: Map<Token, number>, top: number): TokenLogprob {
  const named = (one: Token): string => model.detokenize([one], true);
  const logprob = (probability: number): number => Math.max(-9999, Math.log(probability));
  const best = [...probabilities.entries().take(top)];
  return {
    token: named(token),
    logprob: logprob(probabilities.get(token) ?? 0),
    top: best.map(([one, probability]) => ({ token: named(one), logprob: logprob(probability) })),
  };
}
