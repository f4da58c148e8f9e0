// A bigram model of a dozen sentences: which token follows which. It is as small as a language model can be, but a real
// one: temperature, nucleus sampling, penalties and biases work as they do in large models.
import type { TextOrder, TokenLogprob } from '../engine.ts';
import type { Random } from './random.ts';
import { tokenId, tokensOf } from './tokenizer.ts';

export const endToken = '';

const corpus = [
  'I am made of a few sentences and of nothing else.',
  'I count tokens, obey stop sequences and follow schemas, so that programs can be tested with me.',
  'I know nothing about the world, and what I say about it means nothing.',
  'A real model answers here as soon as one is added to this region.',
  'A real model can be pulled, added as a file, or asked for at another server.',
  'Programs that work with me work with a real model, and only the answers get better.',
  'My answers are the same for the same words and the same seed.',
  'My words are drawn by chance from the words of these sentences.',
  'The same request gives the same answer, which is good for tests and bad for talks.',
  'The temperature and the seed change what I say after this.',
];

const forcedLogit = 30; // of the token that has to follow
const backoff = 0.02; // the share of tokens that never followed the last token

const following = new Map<string, Map<string, number>>();
const counts = new Map<string, number>();
let total = 0;

for (const sentence of corpus) {
  let last = endToken;
  for (const token of [...tokensOf(` ${sentence}`), endToken]) {
    const after = following.get(last) ?? new Map<string, number>();
    after.set(token, (after.get(token) ?? 0) + 1);
    following.set(last, after);
    counts.set(token, (counts.get(token) ?? 0) + 1);
    total += 1;
    last = token;
  }
}

export interface Drawn {
  token: string;
  logprobs: TokenLogprob | undefined;
}

export type Draw = Pick<
  TextOrder,
  'temperature' | 'topP' | 'presencePenalty' | 'frequencyPenalty' | 'logitBias' | 'topLogprobs'
>;

// The token after `last`. `forced`: the token that follows unless the order's biases exclude it.
export function drawToken(
  last: string,
  forced: string | undefined,
  said: ReadonlyMap<string, number>,
  order: Draw,
  random: Random,
): Drawn {
  const logits = logitsAfter(last, forced);
  for (const [token, logit] of logits) {
    const count = said.get(token) ?? 0;
    const penalty = order.frequencyPenalty * count + (count > 0 ? order.presencePenalty : 0);
    const bias = token === endToken ? 0 : (order.logitBias[tokenId(token)] ?? 0);
    logits.set(token, logit - penalty + bias);
  }
  const ranked = [...logits].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const token = order.temperature === 0 ? (ranked[0] as [string, number])[0] : sample(ranked, order, random);
  return {
    token,
    logprobs: order.topLogprobs === undefined ? undefined : tokenLogprob(token, ranked, order.topLogprobs),
  };
}

function logitsAfter(last: string, forced: string | undefined): Map<string, number> {
  const after = following.get(last) ?? new Map<string, number>();
  const sum = [...after.values()].reduce((a, b) => a + b, 0) || 1;
  const logits = new Map<string, number>();
  for (const [token, count] of counts) {
    const share = (1 - backoff) * ((after.get(token) ?? 0) / sum) + backoff * (count / total);
    logits.set(token, Math.log(share));
  }
  if (forced !== undefined) logits.set(forced, forcedLogit);
  return logits;
}

function sample(ranked: readonly [string, number][], { temperature = 1, topP }: Draw, random: Random): string {
  const chances = chancesOf(ranked.map(([, logit]) => logit / temperature));
  let kept = 0;
  let size = 0;
  while (size < chances.length && (size === 0 || kept < topP)) kept += chances[size++] as number;
  let left = random() * kept;
  for (let at = 0; at < size; at++) {
    left -= chances[at] as number;
    if (left <= 0) return (ranked[at] as [string, number])[0];
  }
  return (ranked[size - 1] as [string, number])[0];
}

function chancesOf(logits: readonly number[]): number[] {
  const highest = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - highest));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

function tokenLogprob(token: string, ranked: readonly [string, number][], most: number): TokenLogprob {
  const chances = chancesOf(ranked.map(([, logit]) => logit));
  const logprobOf = (at: number): number => Math.max(-9999, Math.log(chances[at] as number));
  const top = ranked.slice(0, most).map(([one], at) => ({ token: one, logprob: logprobOf(at) }));
  return { token, logprob: logprobOf(ranked.findIndex(([one]) => one === token)), top };
}
