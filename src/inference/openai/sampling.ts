// The fields that chat completions and text completions share.
import { isObject } from '../../base/json.ts';
import type { TextOrder } from '../engines/engine.ts';
import type { Fields } from './fields.ts';

export interface Sampling {
  count: number; // of choices
  isStream: boolean;
  includeUsage: boolean;
}

type SamplingOrder = Omit<TextOrder, 'contract' | 'input'>;

const maxChoices = 16;
const maxStops = 4;
export const longestStop = 1000; // characters
const mostTokens = 1_000_000;

export function samplingOf(fields: Fields): Sampling & { order: SamplingOrder } {
  const isStream = fields.flag('stream');
  const includeUsage = fields.inside('stream_options')?.flag('include_usage') ?? false;
  const maxTokens = fields.whole('max_completion_tokens', 1, mostTokens) ?? fields.whole('max_tokens', 1, mostTokens);
  const topP = fields.number('top_p', -1, 1) ?? 1;
  const temperature = fields.number('temperature', 0, 2);
  const seed = fields.whole('seed', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return {
    count: fields.whole('n', 1, maxChoices) ?? 1,
    isStream,
    includeUsage: isStream && includeUsage,
    order: {
      ...(maxTokens !== undefined && { maxTokens }),
      ...(temperature !== undefined && { temperature }),
      topP: topP <= 0 ? 1 : topP, // the platform's own default is -1: off
      ...(seed !== undefined && { seed }),
      stop: stopsOf(fields),
      presencePenalty: fields.number('presence_penalty', -2, 2) ?? 0,
      frequencyPenalty: fields.number('frequency_penalty', -2, 2) ?? 0,
      logitBias: biasOf(fields),
    },
  };
}

function stopsOf(fields: Fields): string[] {
  const stop = fields.raw('stop');
  if (typeof stop === 'string') return [fields.checked('stop', stop, longestStop)];
  const stops = fields.list('stop', maxStops) ?? [];
  return stops.map((one) => {
    if (typeof one !== 'string') throw fields.refuse('stop', 'a string or a list of strings is expected');
    return fields.checked('stop', one, longestStop);
  });
}

function biasOf(fields: Fields): Record<string, number> {
  const bias = fields.raw('logit_bias') ?? {};
  if (!isObject(bias)) throw fields.refuse('logit_bias', 'an object is expected');
  return Object.fromEntries(
    Object.entries(bias).map(([token, value]) => {
      if (!/^\d+$/.test(token) || typeof value !== 'number' || Math.abs(value) > 100)
        throw fields.refuse('logit_bias', 'token numbers with values from -100 to 100 are expected');
      return [token, value];
    }),
  );
}

// The order of one of several choices. With a seed, each choice derives its own; without one, each is random.
export function choiceOrder<Order extends { seed?: number; choice?: number }>(order: Order, choice: number): Order {
  if (choice === 0) return order;
  return { ...order, choice, ...(order.seed !== undefined && { seed: order.seed + choice }) };
}
