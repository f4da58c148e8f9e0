// The spans of calls, as OpenTelemetry's conventions name them, without data of users.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import { currentTrace } from '../../base/trace/trace-context.ts';
import type { Span } from '../../core/tracing/span.ts';
import { serve, testSurface } from '../../testing/surface.ts';
import { until } from '../../testing/waiting.ts';

const traceId = 'a'.repeat(32);
const parentId = 'b'.repeat(16);

test('a call has a span with its route and status, and no text of the client', async (t) => {
  const spans: Span[] = [];
  let traceOfCall: string | undefined;
  const surface = testSurface([
    {
      method: 'GET',
      path: '/files/{name}',
      call: () => {
        traceOfCall = currentTrace()?.spanId;
        return { status: 200, body: '{}' };
      },
    },
    { method: 'GET', path: '/broken', call: () => Promise.reject(new Fault('unavailable', 'Not now.')) },
  ]);
  surface.surface.spans = { add: (span) => spans.push(span) };
  const url = `http://127.0.0.1:${await serve(t, surface)}/test`;
  const headers = { traceparent: `00-${traceId}-${parentId}-01` };
  await fetch(`${url}/files/private.txt?X-Amz-Signature=secret`, { headers });
  const [span] = await until('a span', () => spans.length > 0 && spans);
  assert.deepEqual([span?.name, span?.kind], ['GET /test/files/{name}', 'server']);
  assert.deepEqual([span?.trace.traceId, span?.trace.parentId], [traceId, parentId]);
  assert.equal(span?.trace.spanId, traceOfCall);
  const { 'cumulet.request_id': id, ...attributes } = span?.attributes ?? {};
  assert.match(String(id), /^[0-9a-f-]{36}$/);
  assert.deepEqual(attributes, {
    'http.request.method': 'GET',
    'http.route': '/test/files/{name}',
    'http.response.status_code': 200,
    'url.scheme': 'http',
    'cumulet.service': 'test',
    'cumulet.operation': 'test_/files/{name}',
    'error.type': undefined,
  });
  assert.doesNotMatch(JSON.stringify(span), /private|secret/);

  await fetch(`${url}/broken`);
  const failed = await until('the failure', () => spans[1]);
  assert.equal(failed.attributes['error.type'], '503');
  assert.equal(failed.trace.parentId, undefined, 'a call without a trace starts one');
  assert.match(failed.trace.traceId, /^[0-9a-f]{32}$/);

  await fetch(`${url}/nowhere/secret`);
  const lost = await until('the call without a route', () => spans[2]);
  assert.equal(lost.name, 'GET');
  assert.doesNotMatch(JSON.stringify(lost), /secret/);

  await fetch(`${url}/files/a`, { headers: { traceparent: `00-${traceId}-${parentId}-00` } });
  await fetch(`${url}/files/b`, { headers });
  await until('the sampled call', () => spans.length === 4);
  assert.deepEqual(spans[3]?.trace.flags, '01', 'a call that is not sampled has no span');
});
