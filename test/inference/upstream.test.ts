// A region whose models another server has: another region, and one that does everything wrong.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startRegion } from '../harness/region.ts';
import { type Failure, post, usual } from './client.ts';
import { apiContract } from './contract.ts';

apiContract('another region', async () => {
  const upstream = await startRegion({ args: ['--inference-rate', '10000'] });
  const url = new URL(upstream.url);
  const engine = `openai+http://${upstream.token}@${url.host}/inference/v1`;
  const region = await startRegion({ args: ['--inference-rate', '10000', '--inference', engine] });
  return {
    region,
    async close() {
      await region.stop();
      await upstream.stop();
    },
  };
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
