// A region that is stopped by SIGTERM: it is unready at once, still serves new calls for the time of --drain, lets
// downloads and streamed answers end, and ends streams that would never end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { test } from 'node:test';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { WebSocket } from 'ws';
import { pause, until } from '../../src/testing/waiting.ts';
import { signIn } from '../console/harness/calls.ts';
import { Events } from '../console/harness/events.ts';
import { addLogPipeline, type LogPipeline } from '../harness/logs.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { core } from '../harness/people.ts';
import { startRegion } from '../harness/region.ts';
import { usual } from '../inference/client.ts';

// The calls of the test must fit into it, next to other processes on all cores.
const drainS = Math.min(15, Math.ceil(3 * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())));
const bytes = 16 * 1024 * 1024; // more than the buffers of two sockets hold

test('[GEN-06] a stopping region drains: no call, download or stream fails', async (t) => {
  const words = await startWords();
  t.after(() => words.server.close());
  await using region = await startRegion({
    args: ['--drain', String(drainS), '--stop-limit', '20', '--inference', words.address],
  });
  const s3 = s3Client(region, await makeStorageKey(region));
  await s3.send(new CreateBucketCommand({ Bucket: 'large' }));
  await s3.send(new PutObjectCommand({ Bucket: 'large', Key: 'one', Body: Buffer.alloc(bytes, 'x') }));
  const { Body: download } = await s3.send(new GetObjectCommand({ Bucket: 'large', Key: 'one' }));
  const events = await Events.open(await signIn(region, region.owner));
  const pipeline = await addLogPipeline(region);
  const tail = await tailOf(region.url, pipeline);
  const chat = await fetch(`${region.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${region.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...usual, stream: true }),
  });
  assert.equal(chat.status, 200);
  const { url } = region;
  const stopped = region.stop();

  const unready = await until(
    'the region is unready',
    () => fetch(`${url}/ready`),
    ({ status }) => status === 503,
  );
  assert.equal(unready.headers.get('retry-after'), '1');
  assert.equal((await fetch(`${url}/health`)).status, 200);
  const headers = { authorization: `Bearer ${region.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ properties: { name: 'late', location: 'de/txl' } });
  const made = await fetch(`${url}${core}/datacenters`, { method: 'POST', headers, body });
  assert.deepEqual([made.status, made.headers.get('connection')], [202, 'close']);
  const late = await tailOf(url, pipeline);
  assert.ok(!events.isEnded, 'clients would reconnect here while the balancer has not noticed');

  const ends = await Promise.all([tail, late].map((one) => once(one, 'close')));
  assert.deepEqual(
    ends.map(([code]) => code),
    [1001, 1001],
  );
  await until('the events end', () => events.isEnded);
  assert.ok(events.isComplete);
  words.end();
  assert.match(await chat.text(), /"Hel".*"lo".*\[DONE\]/s);
  await pause(500); // a slow reader
  assert.equal((await download?.transformToByteArray())?.length, bytes);
  assert.equal(await stopped, 0);
});

async function tailOf(url: string, { path, key }: LogPipeline): Promise<WebSocket> {
  const address = `${url.replace(/^http/, 'ws')}${path}/loki/api/v1/tail?query=%7Btag%3D%22app%22%7D`;
  const socket = new WebSocket(address, { headers: { apikey: key } });
  await once(socket, 'open');
  return socket;
}

// An inference server that streams one word, and the other when it is asked to.
async function startWords() {
  const answers: ServerResponse[] = [];
  const word = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
  const server = createServer((_: IncomingMessage, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write(word('Hel'));
    answers.push(res);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`;
  const end = (): void => {
    for (const res of answers) res.end(`${word('lo')}${stop}data: [DONE]\n\n`);
  };
  return { server, address: `openai+http://127.0.0.1:${port}/v1`, end };
}
