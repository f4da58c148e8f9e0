// The request bodies and answers of the API, for its OpenAPI document. Unknown fields of a request are ignored.
import type { Values } from '../../base/json.ts';
import { always, textSchema, wholeSchema } from '../../surface/docs/openapi.ts';
import { longestText } from './fields.ts';
import { imageSizes, longestPrompt } from './images.ts';
import { longestStop } from './sampling.ts';
import { longestModel } from './tools.ts';

const text: Values = textSchema;
const flag: Values = { type: ['boolean', 'null'] };
const number = (minimum: number, maximum: number): Values => ({ type: ['number', 'null'], minimum, maximum });
const whole = (minimum: number, maximum: number): Values => ({ type: ['integer', 'null'], minimum, maximum });
const words = (...enumerated: string[]): Values => ({ type: ['string', 'null'], enum: [...enumerated, null] });
const list = (items: Values, more: Values = {}): Values => ({ type: 'array', items, ...more });
const model = (example: string): Values => ({ type: 'string', maxLength: longestModel, examples: [example] });
const texts = { type: ['string', 'array'], maxLength: longestText, description: 'A text, or a list of texts' };
const body = (required: Values, optional: Values): Values => ({ ...always(required, optional) });

const chatModel = model('mistralai/Mistral-Small-24B-Instruct');

const sampling: Values = {
  temperature: number(0, 2),
  top_p: number(-1, 1),
  n: whole(1, 16),
  stream: flag,
  stream_options: { type: ['object', 'null'], properties: { include_usage: flag } },
  stop: { type: ['string', 'array', 'null'], maxLength: longestStop, description: 'A text, or up to four' },
  max_tokens: whole(1, 1_000_000),
  max_completion_tokens: whole(1, 1_000_000),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  logit_bias: { type: ['object', 'null'], description: 'By token number, from -100 to 100' },
  seed: { type: ['integer', 'null'] },
};

export const chatBody = body(
  {
    model: chatModel,
    messages: {
      type: 'array',
      minItems: 1,
      description: 'Messages of system, user, assistant and tool; the content is a text, or parts with text and images',
      items: body({ role: { enum: ['system', 'developer', 'user', 'assistant', 'tool'] } }, { content: {} }),
      examples: [[{ role: 'user', content: 'What is a region?' }]],
    },
  },
  {
    ...sampling,
    tools: {
      type: ['array', 'null'],
      items: { type: 'object' },
      maxItems: 128,
      description: 'Functions that the model may call',
    },
    tool_choice: { type: ['string', 'object', 'null'], description: 'none, auto, required, or one function' },
    response_format: {
      type: ['object', 'null'],
      description: 'text, json_object, or json_schema, whose schema the answer always matches',
    },
    logprobs: flag,
    top_logprobs: { ...whole(0, 20), description: 'With logprobs' },
    reasoning_effort: words('none', 'minimal', 'low', 'medium', 'high'),
  },
);

const usage = always({ prompt_tokens: wholeSchema, total_tokens: wholeSchema }, { completion_tokens: wholeSchema });
const head: Values = { id: text, object: text, created: wholeSchema, model: text };
const choices = (of: Values): Values => list(always({ index: wholeSchema, ...of }, { finish_reason: {} }));

export const chatReply = always({
  ...head,
  choices: choices({
    message: always({ role: text, content: { type: ['string', 'null'] } }, { tool_calls: list({}) }),
  }),
  usage,
});

export const completionBody = body(
  { model: chatModel, prompt: { ...texts, examples: ['A region is'] } },
  {
    ...sampling,
    echo: flag,
    logprobs: { ...whole(0, 5), description: 'Log probabilities of the generated text; a repeated prompt has none' },
    suffix: { type: ['string', 'null'], maxLength: 0, description: 'Not supported' },
    best_of: { ...whole(1, 64), description: 'Must equal n' },
  },
);
export const completionReply = always({ ...head, choices: choices({ text }), usage });

// An event of a stream: a chunk, or an error at its end; the last one marks the end.
const eventOf = (chunk: Values): Values => {
  const failed = always({ error: always({ message: text, type: text }) });
  const event = { type: 'string', contentMediaType: 'application/json', contentSchema: { anyOf: [chunk, failed] } };
  return always({ data: { anyOf: [{ const: '[DONE]' }, event] } });
};
const sometimesUsage: Values = { usage: { anyOf: [usage, { type: 'null' }] } };
export const chatEvent = eventOf(always({ ...head, choices: choices({ delta: { type: 'object' } }) }, sometimesUsage));
export const completionEvent = eventOf(always({ ...head, choices: choices({ text }) }, sometimesUsage));

export const embeddingBody = body(
  {
    model: model('BAAI/bge-m3'),
    input: { ...texts, examples: ['What is a region?'] },
  },
  { encoding_format: words('float', 'base64'), dimensions: whole(1, 1024) },
);
export const embeddingReply = always({
  object: { const: 'list' },
  model: text,
  data: list(always({ object: { const: 'embedding' }, index: wholeSchema, embedding: {} })),
  usage,
});

export const imageBody = body(
  {
    model: model('black-forest-labs/FLUX.1-schnell'),
    prompt: { type: 'string', minLength: 1, maxLength: longestPrompt, examples: ['A lake'] },
  },
  { n: whole(1, 10), size: { ...words(...imageSizes), examples: ['256x256'] }, response_format: words('b64_json') },
);
export const imageReply = always({ created: wholeSchema, data: list(always({ b64_json: text })), served_by: text });

export const rerankBody = body(
  {
    model: model('Qwen/Qwen3-VL-Reranker-8B'),
    query: { type: 'string', maxLength: longestText, examples: ['Where are lakes?'] },
    documents: { type: 'array', minItems: 1, maxItems: 1000, examples: [['Lakes are in valleys.', 'Prices rise.']] },
  },
  { top_n: { type: ['integer', 'null'], minimum: 1 }, return_documents: { ...flag, default: true } },
);
export const rerankReply = always({
  id: text,
  model: text,
  results: list(always({ index: wholeSchema, relevance_score: { type: 'number' } }, { document: {} })),
  usage,
});

export const modelReply = always({
  id: text,
  object: { const: 'model' },
  created: wholeSchema,
  owned_by: text,
  kind: text,
  context_length: wholeSchema,
  served_by: { type: 'string', description: 'What really answers for this model in this region' },
});
export const modelsReply = always({ object: { const: 'list' }, data: list(modelReply) });
