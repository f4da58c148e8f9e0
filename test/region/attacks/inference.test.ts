// Requests to the models and to the agent tools that are small to send and costly to answer: none of them blocks the
// main thread.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { assertYields, type MeteredRegion, startMetered } from '../../harness/turns.ts';
import { chatModel, embeddingModel, inference, usual } from '../../inference/client.ts';

const nested = (depth: number, open: string, inner: string, close: string): string =>
  open.repeat(depth) + inner + close.repeat(depth);
const words = (count: number): string => Array.from({ length: count }, (_, nth) => `w${nth.toString(36)}`).join(' ');
const properties = (count: number, schema: object): object =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [`p${nth}`, schema]));

const self = { $ref: '#' };
const schemas: Record<string, object> = {
  'an endless object': { type: 'object', properties: { a: self, b: self }, required: ['a', 'b'] },
  'an endless list': { type: 'array', items: self, minItems: 2 },
  'endless alternatives': { anyOf: [self, { allOf: [self, self] }] },
  'endless definitions': {
    $ref: '#/$defs/a',
    $defs: {
      a: { type: 'object', properties: { b: { $ref: '#/$defs/b' }, c: { $ref: '#/$defs/b' } }, required: ['b', 'c'] },
      b: { anyOf: [{ type: 'array', items: { $ref: '#/$defs/a' }, minItems: 3 }, { $ref: '#/$defs/a' }] },
    },
  },
  'doubling definitions': {
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length: 30 }, (_, nth) => [
        `d${nth}`,
        nth === 29
          ? { type: 'string' }
          : { type: 'object', properties: properties(2, { $ref: `#/$defs/d${nth + 1}` }), required: ['p0', 'p1'] },
      ]),
    ),
  },
  'many properties': { type: 'object', properties: properties(1900, { type: 'string' }) },
  'many required properties': {
    type: 'object',
    properties: properties(1500, { type: 'integer' }),
    required: Array.from({ length: 1500 }, (_, nth) => `p${nth}`),
  },
  'many alternatives': { anyOf: Array.from({ length: 1500 }, (_, nth) => ({ const: nth })) },
  'many patterns': { type: 'object', patternProperties: properties(900, { pattern: '^(a|aa)+$' }) },
  'a large pattern': { type: 'string', pattern: '[\\pL\\d]{900}' },
  'large patterns': { anyOf: Array.from({ length: 200 }, (_, nth) => ({ pattern: `(?i)[\\pL\\d]{${800 + nth}}` })) },
  'a long text': { type: 'string', minLength: 1_000_000 },
  'a long list': { type: 'array', items: { type: 'string' }, minItems: 1_000_000 },
  'nested objects': JSON.parse(nested(28, '{"type":"object","properties":{"a":', '{}', '}}')) as object,
  'many dependencies': { dependentSchemas: properties(900, { required: ['a'] }), not: { anyOf: [{}, {}] } },
};

const chat = (schema: object): string =>
  JSON.stringify({ ...usual, response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } });
const message = (content: string): string =>
  JSON.stringify({ model: chatModel, messages: [{ role: 'user', content }], max_tokens: 50 });
const embed = (input: unknown, more: object = {}): string => JSON.stringify({ model: embeddingModel, input, ...more });
const tools = Array.from({ length: 128 }, (_, nth) => ({
  type: 'function',
  function: { name: `f${nth}`, parameters: { type: 'object', properties: properties(30, { type: 'string' }) } },
}));

const requests: Record<string, [path: string, body: string]> = {
  '2000 embeddings': ['/embeddings', embed(Array.from({ length: 2000 }, (_, nth) => `text ${nth}`))],
  '2000 embeddings in base64': [
    '/embeddings',
    embed(
      Array.from({ length: 2000 }, (_, nth) => `text ${nth}`),
      { encoding_format: 'base64' },
    ),
  ],
  'a long text to embed': ['/embeddings', embed(words(2500))],
  'a long word to embed': ['/embeddings', embed('a'.repeat(900_000))],
  'many characters to compose': ['/embeddings', embed('\ufdfa'.repeat(20_000))],
  'documents to rerank': [
    '/rerank',
    JSON.stringify({
      model: 'Qwen/Qwen3-VL-Reranker-8B',
      query: words(300),
      documents: Array.from({ length: 1000 }, () => words(100)),
    }),
  ],
  'a long message': ['/chat/completions', message(words(30_000))],
  'many messages': [
    '/chat/completions',
    JSON.stringify({
      model: chatModel,
      messages: Array.from({ length: 9000 }, () => ({ role: 'user', content: 'x' })),
    }),
  ],
  'many message parts': [
    '/chat/completions',
    JSON.stringify({
      model: chatModel,
      messages: [{ role: 'user', content: Array.from({ length: 20_000 }, () => ({ type: 'text', text: 'x' })) }],
    }),
  ],
  'many answers': ['/chat/completions', JSON.stringify({ ...usual, n: 16, max_tokens: 4000 })],
  'many probabilities': [
    '/chat/completions',
    JSON.stringify({ ...usual, n: 16, max_tokens: 2000, logprobs: true, top_logprobs: 20 }),
  ],
  'many prompts': [
    '/completions',
    JSON.stringify({ model: chatModel, prompt: Array.from({ length: 2000 }, () => 'x'), max_tokens: 500 }),
  ],
  'many biases': [
    '/chat/completions',
    JSON.stringify({ ...usual, logit_bias: Object.fromEntries(Array.from({ length: 1900 }, (_, nth) => [nth, 1])) }),
  ],
  'many tools': ['/chat/completions', JSON.stringify({ ...usual, tools, tool_choice: 'required' })],
  'endless tools': [
    '/chat/completions',
    JSON.stringify({
      ...usual,
      tool_choice: 'required',
      tools: Array.from({ length: 128 }, (_, nth) => ({
        type: 'function',
        function: { name: `f${nth}`, parameters: schemas['endless definitions'] },
      })),
    }),
  ],
  'nested lists': ['/chat/completions', '['.repeat(1_000_000)],
  'an image': [
    '/images/generations',
    JSON.stringify({ model: 'black-forest-labs/FLUX.1-schnell', prompt: words(900), size: '1024x1024' }),
  ],
  ...Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [`a schema of ${name}`, ['/chat/completions', chat(schema)]]),
  ),
};

const call = (id: number, name = 'list_datacenters', args: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
const agentCalls: Record<string, string> = {
  'a batch of 5000': JSON.stringify(Array.from({ length: 5000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))),
  'a batch of 5000 notifications': JSON.stringify(
    Array.from({ length: 5000 }, () => ({ jsonrpc: '2.0', method: 'notifications/initialized' })),
  ),
  'a batch of 1000 calls': JSON.stringify(Array.from({ length: 1000 }, (_, id) => call(id))),
  'a batch of 20 lists': JSON.stringify(
    Array.from({ length: 20 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
  ),
  'nested lists': '['.repeat(1_000_000),
  'nested arguments': JSON.stringify(call(1, 'list_datacenters', { a: 0 })).replace(
    '"a":0',
    `"a":${nested(200_000, '[', '', ']')}`,
  ),
  'many arguments': JSON.stringify(call(1, 'list_datacenters', properties(20_000, {}))),
  'a long argument': JSON.stringify(call(1, 'list_datacenters', { name: 'x'.repeat(900_000) })),
  'a long name': JSON.stringify(call(1, 'x'.repeat(900_000))),
  'many fields': JSON.stringify({ ...call(1), ...properties(40_000, {}) }),
};

suite('hostile requests to models and tools', () => {
  let metered: MeteredRegion;
  before(async () => {
    metered = await startMetered({ args: ['--rate-burst', '100000', '--inference-rate', '100000'] });
    await send(
      `${inference}/chat/completions`,
      chat({ type: 'object', properties: { a: { type: 'string', pattern: '^a+$' } } }),
    );
    for (const path of ['/chat/completions', '/embeddings', '/rerank'])
      await send(
        `${inference}${path}`,
        requests[
          path === '/rerank' ? 'documents to rerank' : path === '/embeddings' ? '2000 embeddings' : 'many tools'
        ]?.[1] ?? '',
      );
    for (let nth = 0; nth < 3; nth++) await send('/mcp', JSON.stringify(call(1)));
    await send('/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
  });
  after(() => metered.region.stop());

  async function send(path: string, body: string): Promise<void> {
    const { status, body: answer } = await metered.region.call('POST', path, body);
    assert.ok(status < 500, `${path}: ${status} ${JSON.stringify(answer).slice(0, 300)}`);
  }

  for (const [name, [path, body]] of Object.entries(requests))
    test(name, () => assertYields(metered, name, () => send(`${inference}${path}`, body)));

  for (const [name, body] of Object.entries(agentCalls))
    test(`of the agent tools: ${name}`, () => assertYields(metered, name, () => send('/mcp', body)));
});
