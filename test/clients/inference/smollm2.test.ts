// A real language model and a real embedding model behind the API, driven by OpenAI's own client.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, suite, test } from 'node:test';
import OpenAI from 'openai';
import { inferenceContract, openLlama, samples, silent } from '../../../src/testing/black-box/inference.ts';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { leaksBelow, Secrets } from '../../harness/secrets-search.ts';
import { answeredBySmolLm2, smollm2 } from './weights.ts';

const require = createRequire(import.meta.url);
const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
const addFormats = require('ajv-formats') as (ajv: InstanceType<typeof Ajv2020>) => void;

const model = 'meta-llama/Llama-3.3-70B-Instruct';
const { skip, path: weights = '' } = await smollm2();

const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Tells the weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
      required: ['city', 'unit'],
      additionalProperties: false,
    },
  },
};

inferenceContract(
  'llama',
  async () => {
    const source = openLlama({ dataFolder: weights, log: silent });
    return { source, close: async () => source.close?.() };
  },
  { text: 'local/SmolLM2-135M-Instruct', embedding: 'local/all-MiniLM-L6-v2' },
  { skip },
);

suite('SmolLM2 and MiniLM', { skip }, () => {
  let region: Region;
  let client: OpenAI;
  let handbook: string; // a collection that was filled before the models were added
  const ask = (content: string) => [{ role: 'user' as const, content }];

  before(async () => {
    region = await startRegion({ args: ['--inference-rate', '10000'] });
    handbook = await fillHandbook(region);
    await answeredBySmolLm2(region);
    client = new OpenAI({
      baseURL: `${region.url}/inference/v1`,
      apiKey: region.token,
      maxRetries: 0,
      timeout: limits.model,
    });
  });
  after(() => region.stop());

  test('[INFER-01] the stand-in of a model is reported', async () => {
    const served = new Map<string, unknown>();
    for await (const one of client.models.list())
      served.set(one.id, (one as unknown as { served_by: string }).served_by);
    assert.match(String(served.get(model)), /SmolLM2-135M-Instruct/);
    assert.match(String(served.get('BAAI/bge-m3')), /all-MiniLM-L6-v2/);
    assert.ok(served.has('local/SmolLM2-135M-Instruct'));
  });

  test('[INFER-02] a factual question is answered; usage is counted by the tokenizer', async () => {
    const question = { model, messages: ask('What is the capital of France?'), temperature: 0 };
    const { choices, usage } = await client.chat.completions.create(question);
    assert.match(choices[0]?.message.content ?? '', /Paris/);
    assert.equal(choices[0]?.finish_reason, 'stop');
    // <|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n
    assert.deepEqual(usage, { prompt_tokens: 16, completion_tokens: 7, total_tokens: 23 });
  });

  test('[INFER-02] a conversation continues from earlier messages; special tokens of users stay text', async () => {
    const messages = [
      ...ask('What is the capital of France?<|im_end|>'),
      { role: 'assistant' as const, content: 'The capital of France is Paris.' },
      ...ask('And what is the capital of Italy?'),
    ];
    const { choices } = await client.chat.completions.create({ model, messages, temperature: 0, max_tokens: 40 });
    assert.match(choices[0]?.message.content ?? '', /Rome/);
  });

  test('[INFER-02] stop strings, limits, logprobs, seeds', async () => {
    const counting = { model, messages: ask('Count: one, two, three, four, five.'), temperature: 0, max_tokens: 30 };
    const whole = await client.chat.completions.create({ ...counting, logprobs: true, top_logprobs: 3 });
    const text = whole.choices[0]?.message.content ?? '';
    const tokens = whole.choices[0]?.logprobs?.content ?? [];
    assert.equal(tokens.map(({ token }) => token).join(''), text);
    assert.ok(
      tokens.every(({ logprob, top_logprobs: top }) => logprob <= 0 && top.length === 3 && top[0]?.logprob === logprob),
    );
    const stop = text.slice(4, 7);
    const stopped = await client.chat.completions.create({ ...counting, stop: [stop] });
    assert.equal(stopped.choices[0]?.message.content, text.slice(0, text.indexOf(stop)));
    const short = await client.chat.completions.create({ ...counting, max_tokens: 3 });
    assert.equal(short.choices[0]?.finish_reason, 'length');
    const seeded = () => client.chat.completions.create({ ...counting, temperature: 1, seed: 5, max_tokens: 12 });
    const [one, other] = [await seeded(), await seeded()];
    assert.equal(one.choices[0]?.message.content, other.choices[0]?.message.content);
    const story = { model, messages: ask('Tell a long story of a dog.'), temperature: 1, max_tokens: 30, n: 2 };
    const several = [await client.chat.completions.create(story), await client.chat.completions.create(story)];
    const contents = several.flatMap(({ choices }) => choices.map(({ message }) => message.content));
    assert.equal(new Set(contents).size, 4, 'without a seed each choice is drawn by chance');
  });

  test('[INFER-03] streams come in pieces, with usage on request', async () => {
    const question = { model, messages: ask('What is the capital of France?'), temperature: 0 };
    const stream = await client.chat.completions.create({
      ...question,
      stream: true,
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    let used: number | undefined;
    for await (const { choices, usage } of stream) {
      if (choices[0]?.delta.content) pieces.push(choices[0].delta.content);
      used = usage?.completion_tokens ?? used;
    }
    assert.equal(pieces.join(''), 'The capital of France is Paris.');
    assert.equal(pieces.length, 7);
    assert.equal(used, 7);
  });

  test('[INFER-08] a prompt that is too long for the stand-in is refused with its limit', async () => {
    const messages = ask('word '.repeat(9000));
    await assert.rejects(
      client.chat.completions.create({ model, messages }),
      (error: InstanceType<typeof OpenAI.APIError>) => {
        assert.equal(error.status, 400);
        assert.equal(error.code, 'context_length_exceeded');
        assert.match(error.message, /8\D?1\d\d/);
        return true;
      },
    );
  });

  test('tool calls make the round trip', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = ask('What is the weather in Paris in celsius?');
    const request = { model, messages, tools: [weather], temperature: 0 };
    const first = await client.chat.completions.create({ ...request, tool_choice: 'required' });
    const called = first.choices[0]?.message;
    assert.equal(first.choices[0]?.finish_reason, 'tool_calls');
    const [call] = called?.tool_calls ?? [];
    assert.ok(called && call?.type === 'function');
    assert.equal(call.function.name, 'get_weather');
    assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Paris', unit: 'celsius' });
    const result = { role: 'tool' as const, tool_call_id: call.id, content: 'It is sunny in Paris, 21 degrees.' };
    const second = await client.chat.completions.create({
      ...request,
      messages: [...messages, called, result],
      tool_choice: 'none',
      max_tokens: 60,
    });
    assert.match(second.choices[0]?.message.content ?? '', /sunny|21/);
  });

  test('[INFER-05] embeddings put near sentences near', async () => {
    const input = ['A man plays the guitar.', 'Someone is making music on a guitar.', 'The stock market fell today.'];
    const { data, usage } = await client.embeddings.create({ model: 'BAAI/bge-m3', input });
    const again = await client.embeddings.create({ model: 'BAAI/bge-m3', input: input[0] ?? '' });
    const vectors = data.map(({ embedding }) => embedding);
    assert.deepEqual(again.data[0]?.embedding, vectors[0]);
    const cosine = (one: number, other: number): number =>
      (vectors[one] ?? []).reduce((sum, value, at) => sum + value * (vectors[other]?.[at] ?? 0), 0);
    assert.equal(vectors[0]?.length, 1024);
    assert.ok(Math.abs(cosine(0, 0) - 1) < 1e-3);
    assert.ok(cosine(0, 1) > 0.6, String(cosine(0, 1)));
    assert.ok(cosine(0, 2) < 0.2, String(cosine(0, 2)));
    assert.ok(usage.prompt_tokens > 15);
  });

  test('[INFER-05] a text that is too long for MiniLM is refused with its limit', async () => {
    const input = ['short', 'a word and another one '.repeat(100)];
    await assert.rejects(
      client.embeddings.create({ model: 'BAAI/bge-m3', input }),
      (error: InstanceType<typeof OpenAI.APIError>) => {
        assert.deepEqual([error.status, error.code], [400, 'context_length_exceeded']);
        assert.match(error.message, /all-MiniLM-L6-v2.*text 1 has 500 tokens, and at most 252 fit/);
        return true;
      },
    );
  });

  test('older documents are embedded again by MiniLM, in chunks that fit', async () => {
    const { status, body } = await region.call<Matches>('POST', `${handbook}/query`, {
      query: 'When may I stay at home with pay?', // no word of the answer
      limit: 1,
    });
    assert.equal(status, 200, JSON.stringify(body));
    const [match] = body.properties.matches;
    assert.match(Buffer.from(match?.document.properties.content ?? '', 'base64').toString(), /thirty vacation days/);
    const { items } = (await region.call('GET', `${handbook}/documents/${match?.document.id}/chunks`)).body;
    assert.ok(items.length > 2 && items.every(({ properties }) => Number(properties.tokens) <= 252));
  });

  test('[INFER-04] answers match their schema', async () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    // Every eighth schema, unless this is a full run.
    const queue = samples.filter((_, at) => isFull || at % 8 === 0);
    const workers = Array.from({ length: 8 }, async () => {
      for (let sample = queue.shift(); sample; sample = queue.shift()) {
        const { name, schema } = sample;
        const { choices } = await client.chat.completions.create({
          model,
          messages: ask('Invent an example of such a record.'),
          response_format: { type: 'json_schema', json_schema: { name: 'record', schema, strict: true } },
          max_tokens: 600,
          seed: 1,
        });
        const text = choices[0]?.message.content ?? '';
        assert.equal(choices[0]?.finish_reason, 'stop', `${name}: ${text}`);
        const validate = ajv.compile(schema);
        assert.ok(validate(JSON.parse(text)), `${name}: ${text}: ${ajv.errorsText(validate.errors)}`);
      }
    });
    await Promise.all(workers);
  });

  test('clients that disconnect free their place at once', async () => {
    const long = (at: number) => ({
      model,
      messages: ask(`Tell a long story of ${at} dogs.`),
      max_tokens: 7000,
      seed: at,
    });
    const gone = new AbortController();
    const streams = Array.from({ length: 8 }, async (_, at) => {
      const stream = await client.chat.completions.create({ ...long(at), stream: true }, { signal: gone.signal });
      for await (const { choices } of stream) if (choices[0]?.delta.content) return;
    });
    await Promise.all(streams);
    gone.abort();
    const next = await client.chat.completions.create({ ...long(9), max_tokens: 2 });
    assert.equal(next.usage?.completion_tokens, 2);
  });

  test('a model that is killed ends its streams with an error; the next request works', async () => {
    const pid = modelProcesses(region.pid).find(({ openFiles }) => openFiles.includes('SmolLM2'))?.pid;
    assert.ok(pid !== undefined, 'no process has the model');
    assert.match(readFileSync(`/proc/${pid}/limits`, 'utf8'), /^Max core file size +0 /m);
    // A list that the model can't end early.
    const schema = { type: 'array', items: { type: 'integer', minimum: 0, maximum: 9 }, minItems: 500, maxItems: 500 };
    const listing = {
      model,
      messages: ask('List digits.'),
      response_format: { type: 'json_schema' as const, json_schema: { name: 'digits', schema, strict: true } },
    };
    // If memory is short, the model takes one at a time: the others wait, and disconnect when the test has seen enough.
    const leave = new AbortController();
    const begun = new Map<number, Promise<void>>();
    const first = Promise.withResolvers<void>();
    const streams = [1, 2, 3].map((seed) => {
      const read = async (): Promise<void> => {
        const stream = await client.chat.completions.create(
          { ...listing, seed, stream: true },
          { signal: leave.signal },
        );
        for await (const { choices } of stream) {
          if (!choices[0]?.delta.content) continue;
          begun.set(seed, reading);
          first.resolve();
        }
      };
      const reading = read();
      return reading;
    });
    const ended = Promise.allSettled(streams);
    await first.promise;
    const cut = [...begun.values()];
    process.kill(pid, 'SIGKILL');
    for (const stream of cut) await assert.rejects(stream, /SmolLM2-135M-Instruct/);
    leave.abort();
    await ended;
    const next = await client.chat.completions.create({
      model,
      messages: ask('What is the capital of France?'),
      temperature: 0,
    });
    assert.match(next.choices[0]?.message.content ?? '', /Paris/);
    assert.equal((await region.call('GET', '/health', undefined, { token: null })).status, 200);
  });

  test('[INFER-10] no part of the prompts is in the log or the data folder', () => {
    const secrets = new Secrets();
    for (const said of ['capital of France', 'sunny in Paris', 'plays the guitar']) secrets.know(said, said);
    assert.deepEqual(secrets.foundIn(region.log()), []);
    assert.deepEqual(leaksBelow(region.data, secrets), []);
  });
});

interface Matches {
  properties: { matches: { document: { id: string; properties: { content: string } } }[] };
}

async function fillHandbook(region: Region): Promise<string> {
  const { body } = await region.call('POST', '/inference/collections', { properties: { name: 'handbook' } });
  const at = `/inference/collections/${body.id}`;
  const trains = 'Trains to the coast leave at eight from the old station. '.repeat(25);
  const text = `${trains} Each employee has thirty vacation days in a year. ${trains}`;
  const items = [{ properties: { name: 'a', content: Buffer.from(text).toString('base64') } }];
  assert.equal((await region.call('PUT', `${at}/documents`, { items })).status, 200);
  return at;
}

// The region's child processes, and the files that each has mapped.
function modelProcesses(region: number): { pid: number; openFiles: string }[] {
  const children = readFileSync(`/proc/${region}/task/${region}/children`, 'utf8').trim().split(/\s+/).filter(Boolean);
  return children.map((pid) => ({ pid: Number(pid), openFiles: readFileSync(`/proc/${pid}/maps`, 'utf8') }));
}
