// A region whose models are served by another server: another region, or a server that does everything wrong.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inferenceContract, upstreamSource } from '../../src/testing/black-box/inference.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { noFile } from '../harness/states.ts';
import { chatModel, embeddingModel, type Failure, imageModel, post, usual } from './client.ts';
import { apiContract } from './contract.ts';

apiContract('another region', async () => {
  const upstream = await startRegion({ args: ['--inference-rate', '10000'] });
  const url = new URL(upstream.url);
  const engine = `openai+http://${url.host}/inference/v1`;
  const args = ['--inference-rate', '10000', '--inference', engine];
  const region = await startRegion({ args, env: { CUMULET_INFERENCE_KEY: upstream.token } });
  return {
    region,
    async close() {
      await region.stop();
      await upstream.stop();
    },
  };
});

let served: Promise<Region> | undefined; // one for all cases of the contract
after(async () => (await served)?.stop());

inferenceContract(
  'an upstream that is a region',
  async () => {
    served ??= startRegion({ args: ['--inference-rate', '10000'] });
    const { url, token: key } = await served;
    return { source: upstreamSource({ url: `${url}/inference/v1`, key, names: {} }) };
  },
  { text: chatModel, embedding: embeddingModel, image: imageModel },
);

test('[INFER-01] the stand-in of another region is reported here too; the key comes from a file', async (t) => {
  await using upstream = await startRegion({ args: ['--inference-rate', '10000'] });
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-key-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'key'), `${upstream.token}\n`);
  const key = ['--inference-key', join(folder, 'key')];
  const args = ['--inference', `openai+http://${new URL(upstream.url).host}/v1`, ...key, '--inference-rate', '1000'];
  await using region = await startRegion({ args });
  const { host } = new URL(upstream.url);
  const modelsOf = async (one: Region) =>
    (await one.call<{ data: { id: string; served_by: string }[] }>('GET', '/v1/models')).body.data;
  const theirs = new Map((await modelsOf(upstream)).map((model) => [model.id, model.served_by]));
  for (const { id, served_by } of (await modelsOf(region)).filter((one) => !one.served_by.includes('cosine')))
    assert.equal(served_by, `${id} at ${host}, there served by ${theirs.get(id)}`);
  const { headers } = await post(region, '/embeddings', { model: 'BAAI/bge-m3', input: 'x' });
  assert.match(String(headers['x-served-by']), /there served by the tiny built-in model/);
  assert.doesNotMatch(String(headers['x-served-by']), /padded/);
});

test('an upstream that breaks: 503 before the first word, and an event with the error after it', async (t) => {
  const word = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Hel' } }] })}\n\n`;
  let begins = false;
  const server = createServer((_, res) => {
    if (begins) res.writeHead(200, { 'content-type': 'text/event-stream' }).write(word, () => res.destroy());
    else res.writeHead(500).end('a secret');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  await using region = await startRegion({ args: ['--inference', `openai+http://127.0.0.1:${port}/v1`] });
  const failed = await post<Failure>(region, '/chat/completions', { ...usual, stream: true });
  assert.deepEqual([failed.status, failed.body.error.code], [503, 'model_failed']);
  assert.ok(Number(failed.headers['retry-after']) > 0);
  begins = true;
  const { status, body } = await post<string>(region, '/chat/completions', { ...usual, stream: true });
  assert.equal(status, 200);
  assert.doesNotMatch(body, /\[DONE\]/);
  const last = JSON.parse(body.trim().split('\n\n').at(-1)?.replace('data: ', '') ?? '') as Failure;
  assert.equal(last.error.code, 'model_failed');
  assert.doesNotMatch(region.log(), /a secret|"message":"bug"/);
});

test('a region that restarts does not wait for a stream, which ends with an event', {
  skip: noFile,
}, async (t) => {
  const word = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Hel' } }] })}\n\n`;
  const server = createServer((_, res) => res.writeHead(200, { 'content-type': 'text/event-stream' }).write(word));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  await using region = await startRegion({ args: ['--inference', `openai+http://127.0.0.1:${port}/v1`] });
  const answer = await fetch(`${region.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${region.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...usual, stream: true }),
  });
  assert.equal(answer.status, 200);
  const [text, made] = await Promise.all([
    answer.text(),
    cumulet(['savepoint', 'create', 'x', '--json', '--data', region.data]),
  ]);
  assert.doesNotMatch(text, /\[DONE\]/);
  const last = JSON.parse(text.trim().split('\n\n').at(-1)?.replace('data: ', '') ?? '') as Failure;
  assert.deepEqual([last.error.code, last.error.message], ['model_failed', 'The region is stopping.']);
  assert.equal(made.code, 0, made.stderr);
});
