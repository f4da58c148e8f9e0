// After the worst requests of all products, one after another, a region's memory is back to the usual within a minute.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sign } from '../../../src/testing/black-box/s3-signature.ts';
import { addLogPipeline, post } from '../../harness/logs.ts';
import { addPipeline, plainText } from '../../harness/metrics.ts';
import { makeStorageKey, storageUrl } from '../../harness/objects.ts';
import type { Region } from '../../harness/region.ts';
import { assertMemoryIsFreed, startFrugal } from '../../harness/turns.ts';
import { chatModel, embeddingModel, inference } from '../../inference/client.ts';

const times = (count: number, one: (nth: number) => string, between = ''): string =>
  Array.from({ length: count }, (_, nth) => one(nth)).join(between);

test('memory is below 400 MB within a minute after the worst requests', async () => {
  await using region = await startFrugal({ args: ['--rate-burst', '100000', '--inference-rate', '10000'] });
  for (const attack of await attacksOn(region)) await attack();
  await assertMemoryIsFreed(region);
});

async function attacksOn(region: Region): Promise<(() => Promise<unknown>)[]> {
  const logs = await addLogPipeline(region);
  const metrics = await addPipeline(region);
  const push = async (path: string, type: string, body: string | Buffer): Promise<void> => {
    const headers = { 'content-type': type, 'content-encoding': 'gzip' };
    assert.ok((await post(region, logs, path, gzipSync(body), headers)).status < 500, path);
  };
  const send = async (path: string, body: unknown): Promise<void> => {
    assert.ok((await region.call('POST', path, body)).status < 500, path);
  };
  const s3 = await storageOf(region);
  const nestedMaps = Buffer.alloc(9_000_000, Buffer.from([0x81, 0xa1, 0x61]));
  const parts = times(
    10_000,
    (nth) => `<Part><PartNumber>${nth + 1}</PartNumber><ETag>"${'0'.repeat(32)}"</ETag></Part>`,
  );
  const keys = times(1000, (nth) => `<Object><Key>${'a'.repeat(1000)}${nth}</Key></Object>`);
  const properties = Object.fromEntries(Array.from({ length: 1900 }, (_, nth) => [`p${nth}`, { type: 'string' }]));
  const schema = { name: 'a', schema: { type: 'object', properties } };
  return [
    () =>
      push(
        '/fluent/v1/forward',
        'application/msgpack',
        Buffer.concat([Buffer.from([0x93, 0xa1, 0x61, 1]), nestedMaps]),
      ),
    () => push('/app', 'application/json', `{"a":[${'1,'.repeat(25_000_000)}1]}`),
    () => push('/app', 'application/json', `{${times(2_000_000, (nth) => `"k${nth}":1`, ',')}}`),
    () => push('/app', 'application/x-ndjson', Buffer.alloc(400_000 * 100, `{"a":"${'x'.repeat(91)}"}\n`)),
    () =>
      metrics.push(
        times(20_000, (nth) => `many{number="${nth}"} 1\n`),
        plainText,
      ),
    () => metrics.ask('query', { query: 'sum(many * on(number) many)' }),
    () => s3('POST', 'key?uploadId=unknown', `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`),
    () => s3('POST', '?delete', `<Delete>${keys}</Delete>`),
    () =>
      send(`${inference}/embeddings`, {
        model: embeddingModel,
        input: times(2000, (nth) => `text ${nth}`, '\n').split('\n'),
      }),
    () =>
      send(`${inference}/chat/completions`, {
        model: chatModel,
        messages: [{ role: 'user', content: 'x' }],
        response_format: { type: 'json_schema', json_schema: schema },
      }),
    () =>
      send(
        '/mcp',
        Array.from({ length: 5000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })),
      ),
    ...Array.from(
      { length: 10 },
      () => () => send('/cloudapi/v6/datacenters', `{"properties":{"name":[${'1,'.repeat(500_000)}1]}}`),
    ),
    () => send('/cloudapi/v6/datacenters', '['.repeat(1_000_000)),
  ];
}

async function storageOf(region: Region): Promise<(method: string, path: string, body?: string) => Promise<void>> {
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = await makeStorageKey(region);
  const call = async (method: string, path: string, body = ''): Promise<void> => {
    const url = new URL(`${storageUrl(region)}/attacked-bucket/${path}`);
    const payloadHash = createHash('sha256').update(body).digest('hex');
    const credentials = { accessKey, secretKey, region: 'eu-central-3' };
    const headers = sign({ method, url, headers: {}, payloadHash }, credentials, Date.now());
    const answer = await fetch(url, { method, headers, ...(body !== '' && { body }) });
    await answer.arrayBuffer();
    assert.ok(answer.status < 500, path);
  };
  await call('PUT', '');
  return call;
}
