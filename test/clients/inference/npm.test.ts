// The npm clients, on the tiny model: OpenAI's own, and Vercel's AI SDK.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import OpenAI, { APIError, AuthenticationError, NotFoundError, UnprocessableEntityError } from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { type Region, startRegion } from '../../harness/region.ts';

const model = 'mistralai/Mistral-Small-24B-Instruct';
const embeddingModel = 'BAAI/bge-m3';
const question = [{ role: 'user' as const, content: 'What is a region?' }];
const Recipe = z.object({
  name: z.string(),
  minutes: z.number().int().min(1).max(240),
  course: z.enum(['starter', 'main', 'dessert']),
  note: z.string().nullable(),
  ingredients: z.array(z.object({ name: z.string(), grams: z.number().nullable() })).min(1),
});

suite('npm clients of model inference', () => {
  let region: Region;
  before(async () => {
    region = await startRegion({ args: ['--inference-rate', '1000'] });
  });
  after(() => region.stop());

  suite('openai', () => {
    let client: OpenAI;
    before(() => {
      client = new OpenAI({ baseURL: `${region.url}/inference/v1`, apiKey: region.token });
    });

    test('[INFER-01] lists and reads models', async () => {
      const { data } = await client.models.list();
      assert.ok(data.some(({ id }) => id === model));
      assert.equal((await client.models.retrieve(embeddingModel)).id, embeddingModel);
    });

    test('[INFER-02] [INFER-03] chats, whole and as a stream with usage', async () => {
      const { choices, usage } = await client.chat.completions.create({ model, messages: question, seed: 1 });
      const chunks = client.chat.completions.stream({
        model,
        messages: question,
        seed: 1,
        stream_options: { include_usage: true },
      });
      assert.equal(await chunks.finalContent(), choices[0]?.message.content);
      assert.deepEqual(await chunks.totalUsage(), usage);
      const { choices: texts } = await client.completions.create({ model, prompt: 'A region is', max_tokens: 5 });
      assert.equal(texts[0]?.finish_reason, 'length');
    });

    test('the region does not wait for a client that leaves a stream', async () => {
      const stream = await client.chat.completions.create({ model, messages: question, stream: true });
      for await (const chunk of stream) {
        assert.ok(chunk.id);
        stream.controller.abort();
        break;
      }
      assert.doesNotMatch(region.log(), /"message":"bug"/);
    });

    test('[INFER-04] parses what matches a schema', async () => {
      const { choices } = await client.chat.completions.parse({
        model,
        messages: question,
        response_format: zodResponseFormat(Recipe, 'recipe'),
      });
      assert.ok(Recipe.parse(choices[0]?.message.parsed));
    });

    test('calls tools until it has the answer', async () => {
      const seen: string[] = [];
      const runner = client.chat.completions.runTools({
        model,
        messages: [{ role: 'user', content: 'Please call get_weather for Berlin.' }],
        tools: [
          {
            type: 'function',
            function: {
              name: 'get_weather',
              description: 'The weather of a city',
              parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
              parse: (text: string) => JSON.parse(text) as { city: string },
              function: ({ city }: { city: string }) => {
                seen.push(city);
                return '21 degrees';
              },
            },
          },
        ],
      });
      assert.match((await runner.finalContent()) ?? '', /21 degrees/);
      assert.equal(seen.length, 1);
    });

    test('[INFER-05] [INFER-06] embeds, and makes images', async () => {
      const { data } = await client.embeddings.create({ model: embeddingModel, input: ['one', 'two'] });
      assert.deepEqual(
        data.map(({ embedding }) => embedding.length),
        [1024, 1024],
      );
      const image = await client.images.generate({
        model: 'black-forest-labs/FLUX.1-schnell',
        prompt: 'a lake',
        size: '256x256',
      });
      assert.equal(Buffer.from(image.data?.[0]?.b64_json ?? '', 'base64').toString('latin1', 1, 4), 'PNG');
    });

    test('knows the errors by their classes and codes', async () => {
      const ask = (body: object): Promise<unknown> =>
        client.chat.completions.create({ model, messages: question, ...body });
      await assert.rejects(
        ask({ model: 'x/y' }),
        (error) => error instanceof NotFoundError && error.code === 'model_not_found',
      );
      await assert.rejects(
        ask({ temperature: 9 }),
        (error) => error instanceof UnprocessableEntityError && error.param === 'temperature',
      );
      const content = 'word '.repeat(130_000);
      await assert.rejects(
        ask({ messages: [{ role: 'user', content }] }),
        (error) => error instanceof APIError && error.status === 400 && error.code === 'context_length_exceeded',
      );
      const stranger = new OpenAI({ baseURL: `${region.url}/v1`, apiKey: 'x' });
      await assert.rejects(stranger.models.list(), AuthenticationError);
    });

    test('[INFER-07] retries by itself after 429', async () => {
      await using slow = await startRegion({ args: ['--inference-rate', '2'] });
      const patient = new OpenAI({ baseURL: `${slow.url}/v1`, apiKey: slow.token, maxRetries: 10 });
      const all = await Promise.all(Array.from({ length: 8 }, () => patient.models.list()));
      assert.equal(all.length, 8);
    });
  });

  suite('ai', () => {
    const provider = () =>
      createOpenAICompatible({
        name: 'cumulet',
        baseURL: `${region.url}/inference/v1`,
        apiKey: region.token,
        supportsStructuredOutputs: true,
        includeUsage: true,
      });

    test('[INFER-02] [INFER-03] generates and streams text', async () => {
      const { text, usage, finishReason } = await generateText({ model: provider()(model), prompt: 'Hello', seed: 1 });
      assert.ok(text.length > 0 && (usage.outputTokens ?? 0) > 0);
      assert.equal(finishReason, 'stop');
      const streamed = streamText({ model: provider()(model), prompt: 'Hello', seed: 1 });
      let output = '';
      for await (const piece of streamed.textStream) output += piece;
      assert.equal(output, text);
      assert.equal((await streamed.usage).outputTokens, usage.outputTokens);
    });

    test('[INFER-04] generates objects of a schema, and calls tools', async () => {
      const schema = Output.object({ schema: Recipe });
      const { output } = await generateText({ model: provider()(model), output: schema, prompt: 'A recipe' });
      assert.ok(Recipe.parse(output));
      const { text } = await generateText({
        model: provider()(model),
        prompt: 'Please call get_weather for Berlin.',
        stopWhen: stepCountIs(3),
        tools: {
          get_weather: tool({
            description: 'The weather of a city',
            inputSchema: z.object({ city: z.string() }),
            execute: async () => '21 degrees',
          }),
        },
      });
      assert.match(text, /21 degrees/);
    });

    test('[INFER-05] embeds many texts', async () => {
      const values = ['one', 'two', 'three'];
      const { embeddings } = await embedMany({ model: provider().embeddingModel(embeddingModel), values });
      assert.deepEqual(
        embeddings.map((one) => one.length),
        [1024, 1024, 1024],
      );
    });
  });
});
