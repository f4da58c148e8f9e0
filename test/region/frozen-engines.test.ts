// All data engines are outside and frozen: they accept connections and never answer. The calls of their products fail
// after a while, and all others work.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CreateBucketCommand, PutObjectCommand, type S3ServiceException } from '@aws-sdk/client-s3';
import { describeCluster } from '../../src/testing/black-box/streaming.ts';
import { limits } from '../../src/testing/limits.ts';
import { addLogPipeline } from '../harness/logs.ts';
import { addPipeline, plainText } from '../harness/metrics.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { type Answer, createDone, startRegion } from '../harness/region.ts';
import { chatModel, post, usual } from '../inference/client.ts';

test('[GEN-06] frozen outside engines are answered with 503 and Retry-After, and delay no other call', async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-frozen-'));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { authority } = await describeCluster(randomUUID());
  writeFileSync(join(folder, 'ca.pem'), authority.certificate);
  writeFileSync(join(folder, 'key.pem'), authority.key);
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = [
    ...['--metrics', `prometheus+http://${at}`, '--logs', `victorialogs+http://${at}`],
    ...['--objects', `s3+http://key:secret@${at}/bucket`, '--inference', `openai+http://${at}/v1`],
    ...['--streaming', `kafka://${at}?ca=${folder}/ca.pem&ca-key=${folder}/key.pem`],
  ];
  await using region = await startRegion({ args });
  const metrics = await addPipeline(region);
  const logs = await addLogPipeline(region);
  const s3 = s3Client(region, await makeStorageKey(region));
  await s3.send(new CreateBucketCommand({ Bucket: 'frozen' }));
  const put = new PutObjectCommand({ Bucket: 'frozen', Key: 'one', Body: Buffer.alloc(900) });
  const line = { streams: [{ stream: { tag: 'app' }, values: [[`${Date.now()}000000`, 'one']] }] };
  const began = performance.now();
  const calls: Record<string, Promise<[status: unknown, retryAfter: unknown]>> = {};
  const ask = (name: string, answer: Promise<Pick<Answer, 'status' | 'headers'>>): void => {
    calls[name] = answer.then(({ status, headers }) => [status, headers['retry-after']]);
  };
  ask('push of metrics', metrics.push('up 1\n', plainText));
  ask('query of metrics', metrics.ask('query', { query: 'up' }));
  const withKey = { token: null, headers: { apikey: logs.key } };
  ask('push of logs', region.call('POST', `${logs.path}/loki/api/v1/push`, line, withKey));
  const query = new URLSearchParams({ query: '{tag="app"}' });
  ask('query of logs', region.call('GET', `${logs.path}/loki/api/v1/query_range?${query}`, undefined, withKey));
  ask('cluster', region.call('POST', '/de-txl/streaming/clusters', { properties: { name: 'frozen', size: 'S' } }));
  ask('chat', post(region, '/chat/completions', { ...usual, model: chatModel }));
  calls.object = s3.send(put).then(
    () => [200, undefined],
    ({ $metadata, $response }: S3ServiceException) => [
      $metadata.httpStatusCode,
      ($response?.headers as Record<string, string>)?.['retry-after'],
    ],
  );
  await createDone(region, '/cloudapi/v6/datacenters', { properties: { name: 'works', location: 'de/txl' } });
  assert.equal((await region.call('GET', '/ready', undefined, { token: null })).status, 200);
  for (const [name, call] of Object.entries(calls)) {
    const [status, retryAfter] = await call;
    assert.equal(status, 503, name);
    assert.ok(Number(retryAfter) > 0, `${name}: ${retryAfter}`);
  }
  assert.ok(performance.now() - began < limits.request);
});
