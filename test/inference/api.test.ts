// The API on the tiny model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRegion } from '../harness/region.ts';
import { type Failure, post, usual } from './client.ts';
import { apiContract } from './contract.ts';

apiContract('the tiny model', async () => {
  const region = await startRegion({ args: ['--inference-rate', '10000'] });
  return { region, close: async () => void (await region.stop()) };
});

test('the API is at /inference/v1, at /v1 and on its public host; the native one is on its own', async () => {
  await using region = await startRegion({ args: ['--inference-rate', '1000', '--domain', 'region.test'] });
  const typeAt = async (host: string | undefined, path: string): Promise<unknown> => {
    const { body } = await region.call('GET', path, undefined, host === undefined ? {} : { headers: { host } });
    return body.object ?? body.type;
  };
  for (const path of ['/inference/v1/models', '/v1/models']) assert.equal(await typeAt(undefined, path), 'list');
  for (const domain of ['ionos.com', 'region.test']) {
    assert.equal(await typeAt(`openai.inference.de-txl.${domain}`, '/v1/models'), 'list');
    for (const path of ['/models', '/collections'])
      assert.equal(await typeAt(`inference.de-txl.${domain}`, path), 'collection');
  }
});

test('the tiny model refuses images, and the text of a refused long prompt is the one that litellm knows', async () => {
  await using region = await startRegion({ args: ['--inference-rate', '1000'] });
  const ask = (content: unknown, more = {}) =>
    post<Failure>(region, '/chat/completions', { ...usual, messages: [{ role: 'user', content }], ...more });
  const url = 'data:image/png;base64,iVBORw0KGgo=';
  const parts = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url } },
  ];
  for (const more of [{}, { stream: true }]) {
    const { status, body } = await ask(parts, more);
    assert.deepEqual([status, body.error.type], [422, 'invalid_request_error']);
    assert.match(body.error.message, /can't process images/);
  }
  const long = await ask('word '.repeat(130_000));
  const known =
    /^This model's maximum context length is 128000 tokens\. However, your request has at least \d+ input tokens\./;
  assert.match(long.body.error.message, known);
  const input = 'word '.repeat(9000);
  const embedded = await post<Failure>(region, '/embeddings', { model: 'BAAI/bge-m3', input });
  assert.match(embedded.body.error.message, /^This model's maximum context length is 8192 tokens\./);
});
