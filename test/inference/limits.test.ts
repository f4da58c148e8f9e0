// Rights, rate limits, bills, and that no part of a prompt or answer is kept.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../src/testing/waiting.ts';
import { moveToMidMonth } from '../harness/clock.ts';
import { addGroup, addPerson, tokenOf } from '../harness/people.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { leaksBelow, Secrets } from '../harness/secrets-search.ts';
import { secondContract } from '../sweep/world.ts';
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
  usual,
} from './client.ts';

const hourMs = 3_600_000;

test('[INFER-07] 5 requests a second and 10 at once of a contract, then 429 with Retry-After', async () => {
  await using region = await startRegion();
  const burst = await Promise.all(Array.from({ length: 100 }, () => region.call('GET', `${inference}/models`)));
  const refused = burst.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0 && burst.length - refused.length >= 10);
  for (const { headers, body } of refused) {
    assert.ok(Number(headers['retry-after']) >= 1);
    assert.equal((body as unknown as Failure).error.type, 'rate_limit_error');
    assert.deepEqual([headers['x-ratelimit-limit'], headers['x-ratelimit-burst']], ['5', '10']);
  }
  const native = await region.call('GET', '/inference/models');
  assert.ok([200, 429].includes(native.status), 'all APIs share the limit');
  const other = await secondContract(region);
  const { status } = await region.call('GET', `${inference}/models`, undefined, { token: other.token });
  assert.equal(status, 200, 'another contract has its own');
});

test('[INFER-07] 10 images a minute and 20 at once, however many a request asks for', async () => {
  await using region = await startRegion({ args: ['--inference-rate', '1000'] });
  const body = { model: imageModel, prompt: 'x', size: '256x256', n: 10 };
  const answers = await Promise.all([1, 2, 3].map(() => post(region, '/images/generations', body)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429]);
  const refused = answers.find(({ status }) => status === 429);
  assert.ok(Number(refused?.headers['retry-after']) >= 1);
  assert.equal((await post(region, '/embeddings', { model: embeddingModel, input: 'x' })).status, 200);
  const native = `/inference/models/${encodeURIComponent(imageModel)}/predictions`;
  const shared = await Promise.all(
    Array.from({ length: 20 }, () => region.call('POST', native, { properties: { input: 'x' } })),
  );
  assert.ok(
    shared.some((answer) => answer.status === 429),
    'the native API shares the limit of images',
  );
});

test('[INFER-11] a token counts until it expires, and a user needs the privilege', async () => {
  await using region = await startRegion({ args: ['--inference-rate', '1000'] });
  const statusWith = async (token: string | null): Promise<number> =>
    (await post(region, '/chat/completions', usual, { token })).status;
  assert.equal(await statusWith(null), 401);
  const person = await addPerson(region);
  assert.equal(await statusWith(person.token), 403);
  assert.equal((await region.call('GET', '/inference/collections', undefined, { token: person.token })).status, 403);
  await addGroup(region, ['accessAndManageAiModelHub'], [person.user]);
  assert.equal(await statusWith(person.token), 200);
  const brief = await tokenOf(region, region.owner, '?ttl=3600');
  assert.equal(await statusWith(brief), 200);
  await region.call('PUT', '/lab/clock', { advanceMs: hourMs });
  const { status, body } = await post<Failure & { messages: object[] }>(region, '/chat/completions', usual, {
    token: brief,
  });
  assert.equal(status, 401);
  assert.equal(body.error.type, 'authentication_error');
  assert.match(JSON.stringify(body.messages), /paas-auth-1/);
});

test('[INFER-09] tokens and images are on the bill of the contract, by the price list', async () => {
  await using region = await startRegion({ args: ['--inference-rate', '1000'] });
  await moveToMidMonth(region);
  const answers: Chat[] = [];
  for (let count = 0; count < 3; count++) answers.push(await chat(region));
  answers.push(await chat(region, { n: 3 })); // of one prompt
  const chunks = await streamed(region, { stream_options: { include_usage: true } });
  const { body: embedded } = await post<{ usage: { prompt_tokens: number } }>(region, '/embeddings', {
    model: embeddingModel,
    input: 'five words are counted here',
  });
  await post(region, '/images/generations', { model: imageModel, prompt: 'x', size: '256x256' });
  await region.call('PUT', '/lab/clock', { advanceMs: hourMs }); // gathered usage is written
  const usages = [...answers.map(({ usage }) => usage), chunks.at(-1)?.usage];
  const sum = (name: 'prompt_tokens' | 'completion_tokens'): number =>
    usages.reduce((total, usage) => total + (usage?.[name] ?? 0), 0);
  const wanted = {
    AI1010: sum('prompt_tokens') / 1e6,
    AI1011: sum('completion_tokens') / 1e6,
    AI1030: embedded.usage.prompt_tokens / 1e6,
    AI2000: 1,
  };
  const billed = await billedIn(region, Object.keys(wanted));
  for (const [meter, quantity] of Object.entries(wanted))
    assert.ok(Math.abs((billed[meter] ?? 0) - quantity) < 1e-6, meter);
});

async function billedIn(region: Region, meterIds: string[]): Promise<Record<string, number>> {
  const isBilled = (found: Record<string, number>): boolean => meterIds.every((id) => id in found);
  const look = async (): Promise<Record<string, number>> => {
    const { body } = await region.call<{
      datacenters: { meters: { meterId: string; quantity: { quantity: string } }[] }[];
    }>('GET', `/billing/${region.contract}/usage`);
    const meters = body.datacenters.flatMap((one) => one.meters);
    const found = Object.fromEntries(meters.map(({ meterId, quantity }) => [meterId, Number(quantity.quantity)]));
    if (!isBilled(found)) await region.call('PUT', '/lab/clock', { advanceMs: hourMs });
    return found;
  };
  return until(`${meterIds} are billed`, look, isBilled);
}

test('[INFER-10] no part of a prompt or an answer is kept, here or with an upstream', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-inference-'));
  const env = { TMPDIR: folder };
  const upstream = await startRegion({ args: ['--inference-rate', '1000'], env });
  const engine = `openai+http://${upstream.token}@${new URL(upstream.url).host}/v1`;
  const region = await startRegion({ args: ['--inference-rate', '1000', '--inference', engine], env });
  const secrets = new Secrets();
  const said = (): object => ({ model: chatModel, messages: [{ role: 'user', content: secrets.plant('a prompt') }] });
  try {
    for (const one of [upstream, region]) {
      // The tiny model repeats its input, so answers contain secrets too.
      const { choices } = await chat(one, said());
      assert.match(choices[0]?.message.content ?? '', /Planted/);
      await streamed(one, said());
      const schema = { type: 'object', properties: { [secrets.plant('a schema')]: { type: 'string' } } };
      await chat(one, { ...said(), response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } });
      const strange = { type: 'object', properties: { [secrets.plant('a wrong schema')]: { type: 'strange' } } };
      const wrong: [string, unknown][] = [
        [
          '/chat/completions',
          { ...said(), response_format: { type: 'json_schema', json_schema: { name: 'x', schema: strange } } },
        ],
        ['/chat/completions', { ...said(), temperature: secrets.plant('a wrong parameter') }],
        ['/chat/completions', { ...said(), messages: [{ role: secrets.plant('a wrong role'), content: 'x' }] }],
        ['/chat/completions', `{"model": "${chatModel}", "messages": ${secrets.plant('no JSON')}`],
        [
          '/chat/completions',
          { ...usual, messages: [{ role: 'user', content: `${secrets.plant('too long')} `.repeat(40_000) }] },
        ],
        ['/embeddings', { model: embeddingModel, input: [secrets.plant('a wrong text'), 1] }],
      ];
      for (const [path, body] of wrong) assert.ok((await post(one, path, body)).status >= 400);
      await post(one, '/completions', { model: chatModel, prompt: secrets.plant('a completion'), echo: true });
      await post(one, '/embeddings', { model: embeddingModel, input: secrets.plant('an embedding') });
      await post(one, '/images/generations', { model: imageModel, prompt: secrets.plant('an image'), size: '256x256' });
      const documents = [secrets.plant('a document to rank')];
      await post(one, '/rerank', { model: embeddingModel, query: secrets.plant('a query'), documents });
      const input = { properties: { input: secrets.plant('a prediction') } };
      await one.call('POST', `/inference/models/${encodeURIComponent(chatModel)}/predictions`, input);
      const { body: made } = await one.call('POST', '/inference/collections', { properties: { name: 'kept' } });
      const query = secrets.plant('a question to a collection');
      assert.equal((await one.call('POST', `/inference/collections/${made.id}/query`, { query })).status, 200);
    }
    for (const one of [upstream, region]) {
      await one.call('PUT', '/lab/clock', { advanceMs: hourMs }); // gathered data is written
      assert.deepEqual(leaksBelow(one.data, secrets), [], 'while it runs');
      assert.deepEqual(secrets.foundIn(one.log()), []);
    }
    assert.deepEqual(leaksBelow(folder, secrets), [], 'temporary files');
  } finally {
    await region.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
