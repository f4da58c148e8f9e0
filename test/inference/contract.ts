// The promises of the API, with any engine: run on the tiny model, and on an upstream.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, suite, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { schemas } from '../../src/testing/black-box/inference.ts';
import type { Region } from '../harness/region.ts';
import {
  type Chat,
  chat,
  chatModel,
  embeddingModel,
  type Failure,
  imageModel,
  inference,
  post,
  streamed,
  textOf,
  usual,
} from './client.ts';

const require = createRequire(import.meta.url);
const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
const addFormats = require('ajv-formats') as (ajv: InstanceType<typeof Ajv2020>) => void;

interface Models {
  object: string;
  data: { id: string; object: string; served_by: string }[];
}

interface Embeddings {
  data: { index: number; embedding: number[] }[];
  usage: { prompt_tokens: number };
}

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] } },
      required: ['city', 'unit'],
      additionalProperties: false,
    },
  },
};

// Deviations of a server, with the reason.
export type Exceptions = Partial<Record<'schemas' | 'tools' | 'context' | 'longText' | 'seeds', string>>;

export function apiContract(
  name: string,
  open: () => Promise<{ region: Region; close(): Promise<void> }>,
  { skip = false, ...but }: Exceptions & { skip?: string | false } = {},
): void {
  suite(`the inference API, served by ${name}`, { skip }, () => {
    let region: Region;
    let close = async (): Promise<void> => undefined;
    before(async () => {
      ({ region, close } = await open());
    });
    after(() => close());

    test('[INFER-01] the models, each with the engine that serves it; ids match exactly', async () => {
      const { body } = await region.call<Models>('GET', `${inference}/models`);
      assert.equal(body.object, 'list');
      for (const { id, object, served_by } of body.data) {
        assert.match(id, /^[\w.-]+\/[\w.-]+$/);
        assert.equal(object, 'model');
        assert.ok(served_by.length > 0);
      }
      for (const id of [embeddingModel, encodeURIComponent(embeddingModel)]) {
        const { status, body: one } = await region.call('GET', `${inference}/models/${id}`);
        assert.deepEqual([status, one.id], [200, embeddingModel]);
      }
      for (const model of [chatModel.toLowerCase(), `${chatModel} `, 'x', 'x/y/z']) {
        const { status, body } = await post<Failure>(region, '/chat/completions', { ...usual, model });
        assert.deepEqual([status, body.error.code], [404, 'model_not_found'], model);
      }
      assert.equal((await region.call('GET', `${inference}/models/x/y`)).status, 404);
    });

    test('[INFER-02] a chat completion has its shape, and usage that adds up', async () => {
      const { status, headers, body } = await post<Chat>(region, '/chat/completions', { ...usual, temperature: 0 });
      assert.equal(status, 200);
      assert.ok(headers['x-served-by']);
      assert.match(body.id, /^chatcmpl-/);
      assert.deepEqual([body.object, body.model], ['chat.completion', chatModel]);
      const [choice] = body.choices;
      assert.deepEqual([choice?.index, choice?.message.role, choice?.finish_reason], [0, 'assistant', 'stop']);
      assert.ok((choice?.message.content?.length ?? 0) > 0);
      const { prompt_tokens, completion_tokens, total_tokens } = body.usage;
      assert.ok(prompt_tokens > 0 && completion_tokens > 0);
      assert.equal(total_tokens, prompt_tokens + completion_tokens);
      const longer = await chat(region, {
        messages: [{ role: 'system', content: 'word '.repeat(200) }, ...usual.messages],
      });
      // Some templates add a system message if none is sent.
      assert.ok(longer.usage.prompt_tokens >= prompt_tokens + 100);
    });

    test('[INFER-02] max_tokens, stop, seed, n and logprobs', async () => {
      const cut = await chat(region, { max_tokens: 3, temperature: 0 });
      assert.deepEqual([cut.choices[0]?.finish_reason, cut.usage.completion_tokens], ['length', 3]);
      const whole = (await chat(region, { temperature: 0 })).choices[0]?.message.content ?? '';
      const stop = whole.slice(10, 14);
      const stopped = (await chat(region, { temperature: 0, stop: [stop, 'never said'] })).choices[0];
      assert.deepEqual(
        [stopped?.message.content, stopped?.finish_reason],
        [whole.slice(0, whole.indexOf(stop)), 'stop'],
      );
      const said = async (seed: number): Promise<string | null | undefined> =>
        (await chat(region, { seed, temperature: 1.5 })).choices[0]?.message.content;
      if (!but.seeds) assert.equal(await said(7), await said(7));
      const several = await chat(region, { n: 3, max_tokens: 5 });
      assert.deepEqual(
        several.choices.map(({ index }) => index),
        [0, 1, 2],
      );
      assert.equal(several.usage.completion_tokens, 15);
      const { logprobs } = (await chat(region, { logprobs: true, top_logprobs: 2, max_tokens: 4 })).choices[0] ?? {};
      assert.equal(logprobs?.content.length, 4);
      for (const { logprob, top_logprobs } of logprobs?.content ?? []) {
        assert.ok(logprob <= 0);
        assert.equal(top_logprobs.length, 2);
      }
    });

    test('[INFER-03] a stream begins with the role, has the same text, and has usage only on request', async () => {
      const whole = await chat(region, { temperature: 0 });
      const chunks = await streamed(region, { temperature: 0 });
      assert.equal(chunks[0]?.choices[0]?.delta.role, 'assistant');
      assert.equal(textOf(chunks), whole.choices[0]?.message.content);
      assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'stop');
      assert.ok(chunks.every((chunk) => chunk.object === 'chat.completion.chunk' && chunk.id === chunks[0]?.id));
      assert.ok(chunks.every((chunk) => !chunk.usage));
      const streamedChunks = await streamed(region, { temperature: 0, stream_options: { include_usage: true } });
      const last = streamedChunks.pop();
      assert.deepEqual([last?.choices, last?.usage], [[], whole.usage]);
      assert.ok(streamedChunks.every(({ usage }) => usage === null));
      const both = await streamed(region, { n: 2, max_tokens: 4 });
      assert.deepEqual(new Set(both.map(({ choices }) => choices[0]?.index)), new Set([0, 1]));
    });

    test('completions continue prompts, whole and as a stream', async () => {
      const body = { model: chatModel, prompt: ['One', 'Two'], n: 2, max_tokens: 4, echo: true, logprobs: 1 };
      const { body: completion } = await post<{
        object: string;
        choices: { text: string; index: number; logprobs: { tokens: string[]; text_offset: number[] } }[];
        usage: Chat['usage'];
      }>(region, '/completions', { ...body, best_of: 2, suffix: '' });
      for (const { text, logprobs } of completion.choices)
        for (const [at, token] of logprobs.tokens.entries())
          assert.ok(text.startsWith(token, logprobs.text_offset[at]), `${token} in ${text}`);
      assert.equal(completion.object, 'text_completion');
      assert.deepEqual(
        completion.choices.map(({ text, index }) => [text.slice(0, 3), index]),
        [
          ['One', 0],
          ['One', 1],
          ['Two', 2],
          ['Two', 3],
        ],
      );
      assert.equal(completion.usage.completion_tokens, 16);
      const chunks = await streamed(
        region,
        { prompt: 'Three', max_tokens: 3, stream_options: { include_usage: true } },
        '/completions',
      );
      assert.equal(chunks.at(-1)?.usage?.completion_tokens, 3);
      assert.equal((await post(region, '/completions', { model: chatModel, prompt: [1, 2, 3] })).status, 400);
      const many = { ...body, prompt: Array.from({ length: 33 }, () => 'One'), n: 2 };
      assert.equal((await post<Failure>(region, '/completions', many)).body.error.param, 'n');
      for (const [param, wrong] of Object.entries({ suffix: 'the end', best_of: 3 })) {
        const { status, body: refusal } = await post<Failure>(region, '/completions', { ...body, [param]: wrong });
        assert.deepEqual([status, refusal.error.param], [422, param]);
      }
    });

    test('[INFER-04] an answer always matches its schema', { skip: but.schemas ?? false }, async () => {
      const ajv = new Ajv2020({ strict: false });
      addFormats(ajv);
      for (const schema of schemas) {
        const { $id: _, $schema: __, ...plain } = schema;
        const response_format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } };
        const { choices } = await chat(region, { response_format });
        const value = JSON.parse(choices[0]?.message.content ?? '') as unknown;
        assert.ok(ajv.validate(plain, value), `${JSON.stringify(schema)}: ${choices[0]?.message.content}`);
        assert.equal(choices[0]?.finish_reason, 'stop');
      }
      const { choices } = await chat(region, { response_format: { type: 'json_object' } });
      assert.equal(typeof JSON.parse(choices[0]?.message.content ?? ''), 'object');
    });

    test('a tool is called when required or requested, and its result is accepted', {
      skip: but.tools ?? false,
    }, async () => {
      const ajv = new Ajv2020({ strict: false });
      for (const tool_choice of ['required', { type: 'function', function: { name: 'get_weather' } }]) {
        const { choices } = await chat(region, { tools: [weather], tool_choice });
        const [call] = choices[0]?.message.tool_calls ?? [];
        assert.deepEqual([choices[0]?.finish_reason, choices[0]?.message.content], ['tool_calls', null]);
        assert.equal(call?.function.name, 'get_weather');
        assert.ok(ajv.validate(weather.function.parameters, JSON.parse(call?.function.arguments ?? '')));
        const messages = [
          ...usual.messages,
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: call?.id, content: '21 degrees' },
        ];
        const answer = await chat(region, { messages, tools: [weather] });
        assert.equal(answer.choices[0]?.finish_reason, 'stop');
      }
      const request = { messages: [{ role: 'user', content: 'Call get_weather for Berlin.' }], tools: [weather] };
      assert.equal((await chat(region, request)).choices[0]?.finish_reason, 'tool_calls');
      assert.equal((await chat(region, { ...request, tool_choice: 'none' })).choices[0]?.finish_reason, 'stop');
      const chunks = await streamed(region, { ...request, tool_choice: 'required' });
      assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'tool_calls');
      const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
      assert.ok(
        ajv.validate(weather.function.parameters, JSON.parse(calls.map((call) => call.function.arguments).join(''))),
      );
    });

    test('[INFER-05] embeddings: 1024 numbers, the same each time, near for near texts; lists, base64, dimensions', async () => {
      const ask = async (input: unknown, more: object = {}): Promise<Embeddings> => {
        const answer = await post<Embeddings>(region, '/embeddings', { model: embeddingModel, input, ...more });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        return answer.body;
      };
      const texts = ['A man plays the guitar.', 'Someone is playing a guitar.', 'Stock prices fell on Monday.'];
      const { data, usage } = await ask(texts);
      assert.deepEqual(
        data.map(({ index, embedding }) => [index, embedding.length]),
        [
          [0, 1024],
          [1, 1024],
          [2, 1024],
        ],
      );
      assert.ok(usage.prompt_tokens > 10);
      const [guitar, playing, prices] = data.map(({ embedding }) => embedding) as [number[], number[], number[]];
      assert.ok(Math.abs(dot(guitar, guitar) - 1) < 1e-4);
      assert.ok(dot(guitar, playing) > dot(guitar, prices) + 0.2);
      assert.deepEqual((await ask(texts[0])).data[0]?.embedding, guitar);
      const encoded = (await ask(texts[0], { encoding_format: 'base64' })).data[0]?.embedding as unknown as string;
      const bytes = Buffer.from(encoded, 'base64');
      assert.deepEqual(
        Array.from({ length: 1024 }, (_, at) => bytes.readFloatLE(at * 4)),
        guitar,
      );
      const short = (await ask(texts[0], { dimensions: 256 })).data[0]?.embedding ?? [];
      assert.equal(short.length, 256);
      assert.ok(Math.abs(dot(short, short) - 1) < 1e-4);
      for (const input of [[[1, 2]], [1, 2]]) {
        const { status, body } = await post<Failure>(region, '/embeddings', { model: embeddingModel, input });
        assert.equal(status, 400);
        assert.match(body.error.message, /Send texts/);
      }
    });

    test('[INFER-05] a text that is too long to be embedded: 400 context_length_exceeded', {
      skip: but.longText ?? false,
    }, async () => {
      const long = { model: embeddingModel, input: ['short', 'word '.repeat(9000)] };
      const { status, body } = await post<Failure>(region, '/embeddings', long);
      assert.deepEqual([status, body.error.code], [400, 'context_length_exceeded']);
      assert.match(body.error.message, /is served by .*text 1 has (?:\d+|more) tokens, and at most \d+ fit/);
    });

    test('[INFER-06] an image is a PNG of the requested size, and states how it was created', async () => {
      const body = { model: imageModel, prompt: 'a lake in the mountains', n: 2, size: '256x256' };
      const { body: images } = await post<{ data: { b64_json: string }[]; served_by: string }>(
        region,
        '/images/generations',
        body,
      );
      assert.equal(images.data.length, 2);
      assert.ok(images.served_by.length > 0);
      assert.notEqual(images.data[0]?.b64_json, images.data[1]?.b64_json);
      for (const { b64_json } of images.data) assert.deepEqual(sizeOf(Buffer.from(b64_json, 'base64')), [256, 256]);
      for (const wrong of [{ size: '7x7' }, { response_format: 'url' }, { n: 0 }, { prompt: '' }])
        assert.equal((await post(region, '/images/generations', { ...body, ...wrong })).status, 422);
    });

    test('documents are ranked by a query', async () => {
      const documents = ['Stock prices fell.', 'A guitar has six strings.', 'He plays guitar.'];
      const body = { model: 'Qwen/Qwen3-VL-Reranker-8B', query: 'playing the guitar', documents, top_n: 2 };
      const { body: ranking } = await post<{ results: { index: number; relevance_score: number }[] }>(
        region,
        '/rerank',
        body,
      );
      assert.deepEqual(ranking.results.map(({ index }) => index).sort(), [1, 2]);
      assert.ok(ranking.results.every((one) => 'document' in one));
      const { body: bare } = await post<typeof ranking>(region, '/rerank', { ...body, return_documents: false });
      assert.deepEqual(
        bare.results,
        ranking.results.map(({ index, relevance_score }) => ({ index, relevance_score })),
      );
      const { body: wrong } = await post<Failure>(region, '/rerank', { ...body, top_n: 0 });
      assert.match(wrong.error.message, /of at least 1 is/);
      const { status, body: broken } = await post<Failure>(region, '/rerank', { ...body, documents: ['x', '\ud800'] });
      assert.deepEqual([status, broken.error.param], [422, 'documents']);
    });

    test('[INFER-08] a prompt that is too long: 400 context_length_exceeded', async () => {
      const content = 'word '.repeat(130_000);
      const { status, body } = await post<Failure>(region, '/chat/completions', {
        ...usual,
        messages: [{ role: 'user', content }],
      });
      assert.deepEqual([status, body.error.code], [400, 'context_length_exceeded']);
      if (but.context) return;
      assert.match(body.error.message, /128000/);
      const fits = await chat(region, {
        messages: [{ role: 'user', content: content.slice(0, 500_000) }],
        max_tokens: 1,
      });
      assert.ok(fits.usage.prompt_tokens > 99_000);
    });

    test('a wrong parameter: 422 that names it', async () => {
      const wrong: [string, object][] = [
        ['messages', { messages: undefined }],
        ['messages', { messages: [] }],
        ['messages[0].role', { messages: [{ role: 'robot', content: 'x' }] }],
        ['messages[0].content', { messages: [{ role: 'user' }] }],
        [
          'messages[0].content[0].image_url.url',
          { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] }] },
        ],
        ['temperature', { temperature: 3 }],
        ['max_tokens', { max_tokens: 0 }],
        ['n', { n: 1.5 }],
        ['stop', { stop: ['1', '2', '3', '4', '5'] }],
        ['tool_choice', { tool_choice: 'required' }],
        ['response_format.type', { response_format: { type: 'xml' } }],
        ['logit_bias', { logit_bias: { x: 1 } }],
        ['model', { model: embeddingModel }],
        ['messages[1].tool_call_id', { messages: [...usual.messages, { role: 'tool', content: 'x' }] }],
        [
          'messages[1].tool_call_id',
          { messages: [...usual.messages, { role: 'tool', tool_call_id: 'call_x', content: 'x' }] },
        ],
        ['response_format.json_schema.schema', { response_format: schemaOf({ type: 'strange' }) }],
        ['response_format.json_schema.schema', { response_format: schemaOf('text') }],
        [
          'tools[0].function.parameters',
          { tools: [{ type: 'function', function: { name: 'x', parameters: { type: 'strange' } } }] },
        ],
      ];
      for (const [param, body] of wrong) {
        const { status, body: failure } = await post<Failure>(region, '/chat/completions', { ...usual, ...body });
        assert.deepEqual([status, failure.error.param], [422, param], JSON.stringify(failure));
        assert.equal(failure.error.type, 'invalid_request_error');
      }
      const { body: failure } = await post<Failure>(region, '/completions', { model: embeddingModel, prompt: 'x' });
      assert.match(failure.error.message, /The model BAAI\/bge-m3 is a model for embedding/);
      assert.equal((await post(region, '/chat/completions', '{')).status, 422);
    });
  });
}

const schemaOf = (schema: unknown): object => ({ type: 'json_schema', json_schema: { name: 'x', schema } });

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, one, at) => sum + one * (b[at] as number), 0);

// Width and height of a PNG whose pixels can be read.
function sizeOf(png: Buffer): number[] {
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  assert.equal(inflateSync(Buffer.concat(data)).length, (width + 1) * height);
  return [width, height];
}
