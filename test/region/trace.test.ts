// W3C Trace Context: the trace of a call is in its log lines and in the calls to outside engines.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { addLogPipeline } from '../harness/logs.ts';
import { addPipeline, plainText } from '../harness/metrics.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { core } from '../harness/people.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { chatModel } from '../inference/client.ts';

const tracestate = 'vendor=value';
const parentId = 'b7ad6b7169203331';
let traces = 0;

// One trace for each call.
function newTrace(): { traceId: string; headers: Record<string, string> } {
  const traceId = String(++traces).padStart(32, 'a');
  return { traceId, headers: { traceparent: `00-${traceId}-${parentId}-01`, tracestate } };
}

suite('a call with a traceparent', () => {
  const heard: IncomingHttpHeaders[] = [];
  const engine = createServer((req, res) => {
    heard.push(req.headers);
    req.resume().on('end', () => res.writeHead(503).end());
  });
  let region: Region;
  before(async () => {
    await once(engine.listen(0, '127.0.0.1'), 'listening');
    const host = `127.0.0.1:${(engine.address() as AddressInfo).port}`;
    region = await startRegion({
      args: [
        ...['--metrics', `prometheus+http://${host}`, '--logs', `loki+http://${host}`],
        ...['--objects', `s3+http://key:secret@${host}/bytes`, '--inference', `openai+http://${host}/v1`],
      ],
    });
  });
  after(async () => {
    await region.stop();
    engine.close().closeAllConnections();
  });

  const assertPassed = async (traceId: string): Promise<void> => {
    const passed = heard.find(({ traceparent = '' }) => String(traceparent).includes(traceId));
    const [, spanId = ''] = /^00-[0-9a-f]{32}-([0-9a-f]{16})-01$/.exec(String(passed?.traceparent)) ?? [];
    assert.ok(spanId !== '' && spanId !== parentId, `passed on: ${passed?.traceparent}`);
    assert.equal(passed?.tracestate, tracestate);
    assert.match(await region.logged(traceId), new RegExp(`"span_id":"${spanId}","parent_id":"${parentId}"`));
  };

  test('is logged with the ids of the trace; a malformed one is ignored', async () => {
    const { traceId, headers } = newTrace();
    const body = { properties: { name: 'traced', location: 'de/txl' } };
    assert.equal((await region.call('POST', `${core}/datacenters`, body, { headers })).status, 202);
    const line = JSON.parse(await region.logged(traceId)) as Record<string, unknown>;
    assert.deepEqual([line.message, line.operation, line.trace_id], ['request', 'datacenter_create', traceId]);
    const malformed = { traceparent: `00-${'b'.repeat(32)}-short-01` };
    assert.equal((await region.call('POST', `${core}/datacenters`, body, { headers: malformed })).status, 202);
    assert.ok(!region.log().includes('b'.repeat(32)));
  });

  test('passes the trace on to the engine of metrics, logs, objects and models', async () => {
    const pipeline = await addPipeline(region);
    const pushed = newTrace();
    assert.equal((await pipeline.push('sent 1\n', { ...plainText, ...pushed.headers })).status, 503);
    await assertPassed(pushed.traceId);

    const logs = await addLogPipeline(region);
    const line = newTrace();
    const key = { apikey: logs.key, ...line.headers };
    const logged = await region.call('POST', `${logs.path}/app`, { a: 1 }, { token: null, headers: key });
    assert.equal(logged.status, 503);
    await assertPassed(line.traceId);

    const chat = newTrace();
    const question = { model: chatModel, messages: [{ role: 'user', content: 'Hi' }] };
    await region.call('POST', '/inference/v1/chat/completions', question, chat);
    await assertPassed(chat.traceId);

    const put = newTrace();
    const s3 = s3Client(region, await makeStorageKey(region));
    await s3.send(new CreateBucketCommand({ Bucket: 'traced' }));
    const sent = new PutObjectCommand({ Bucket: 'traced', Key: 'one', Body: Buffer.alloc(100, 'x') });
    sent.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as { headers: object }).headers, put.headers);
        return next(args);
      },
      { step: 'build' },
    );
    await assert.rejects(s3.send(sent));
    await assertPassed(put.traceId);
  });
});
