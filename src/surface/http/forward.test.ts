// Calls that are forwarded to the node with the data, by one gateway to another.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import type { CallHome } from '../../core/nodes/engine-home.ts';
import type { Span, SpanKind } from '../../core/tracing/span.ts';
import { serve, type TestRoute, testSurface } from '../../testing/surface.ts';
import { until } from '../../testing/waiting.ts';
import type { Exchange } from './exchange.ts';

async function listen(t: TestContext, handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const homeAt = (address: () => string): CallHome => ({
  isHere: false,
  otherAddress: async () => address(),
  unavailable: (at, why) => new Fault('unavailable', `It is at ${at}. ${why}`, { retryAfterS: 5 }),
});

const route = (more: Partial<TestRoute> = {}): TestRoute => ({
  method: 'POST',
  path: '/kept',
  call: () => assert.fail('the data is not here'),
  ...more,
});

// Two nodes with one key; what the first forwards is called on the second.
async function nodes(t: TestContext, call: TestRoute['call'], more: Partial<TestRoute> = {}) {
  const second = testSurface([route({ ...more, call })]);
  const address = `http://127.0.0.1:${await serve(t, second)}`;
  const first = testSurface([route({ ...more, keptBy: homeAt(() => address) })]);
  first.surface.seal = second.surface.seal;
  return { first, url: `http://127.0.0.1:${await serve(t, first)}/test/kept`, there: `${address}/test/kept` };
}

test('the other node answers with all headers, and knows the client and its address', async (t) => {
  let seen: Exchange | undefined;
  const { url } = await nodes(
    t,
    (x) => {
      seen = x;
      return {
        status: 201,
        body: x.text,
        type: 'text/x',
        headers: ['X-Of', 'there', 'Set-Cookie', 'a', 'Set-Cookie', 'b'],
      };
    },
    { takesBody: true },
  );
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const headers = { authorization: 'Bearer x', traceparent };
  const answer = await fetch(`${url}?q=1`, { method: 'POST', body: '{"a":1}', headers });
  assert.equal(answer.status, 201);
  assert.equal(await answer.text(), '{"a":1}');
  assert.equal(answer.headers.get('content-type'), 'text/x');
  assert.equal(answer.headers.get('x-of'), 'there');
  assert.deepEqual(answer.headers.getSetCookie(), ['a', 'b']);
  assert.equal(seen?.query, 'q=1');
  assert.equal(seen.req.headers.authorization, 'Bearer x');
  assert.match(String(seen.req.headers.traceparent), /^00-a{32}-(?!b{16})[0-9a-f]{16}-01$/);
  assert.equal(seen.base, url.replace('/kept', ''), 'links lead to the node that the client has called');
  assert.equal(seen.address.replace('::ffff:', ''), '127.0.0.1');
  assert.deepEqual([seen.forwarded?.service, seen.forwarded?.secure], ['test', false]);
});

test('bodies pass in pieces both ways while the other node still reads', async (t) => {
  const { url } = await nodes(t, (x) => ({ status: 200, stream: x.req, type: 'text/plain' }), { takesStream: true });
  const sent = request(url, { method: 'POST' });
  sent.write('one');
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  assert.equal(String((await once(answer, 'data'))[0]), 'one');
  sent.end('two');
  assert.equal((await answer.setEncoding('utf8').toArray()).join(''), 'two');
});

test('a body over the limit is refused before the other node is asked', async (t) => {
  const { url } = await nodes(t, () => assert.fail('it has come here'), { takesBytes: true, bodyLimit: 10 });
  assert.equal((await fetch(url, { method: 'POST', body: 'x'.repeat(11) })).status, 413);
  const pieces = new ReadableStream({
    start(controller) {
      for (let at = 0; at < 3; at++) controller.enqueue(Buffer.from('12345'));
      controller.close();
    },
  });
  const unannounced = { method: 'POST', body: pieces, duplex: 'half' } as RequestInit;
  assert.equal((await fetch(url, unannounced)).status, 413);
});

test('a call is forwarded once: an address that leads to a node without the data is reported', async (t) => {
  let address = '';
  const first = testSurface([route({ keptBy: homeAt(() => address) })]);
  address = `http://127.0.0.1:${await serve(t, first)}`;
  const answer = await fetch(`${address}/test/kept`, { method: 'POST' });
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('retry-after'), '5');
  assert.match(await answer.text(), /leads to this node.*--node-url/);
  assert.deepEqual(first.answered, [503, 503]);
});

test('only nodes can say that they have forwarded a call', async (t) => {
  let forwarded: unknown;
  const { url, there } = await nodes(t, (x) => {
    ({ forwarded } = x);
    return { status: 204 };
  });
  const forged = { method: 'POST', headers: { 'x-cumulet-forwarded': '{"service":"objects","address":"10.1.2.3"}' } };
  assert.equal((await fetch(there, forged)).status, 204);
  assert.equal(forwarded, undefined);
  assert.equal((await fetch(url, forged)).status, 204, 'it is forwarded all the same');
  assert.notEqual(forwarded, undefined);
});

test('a node that does not answer is reported with the time to come again', async (t) => {
  const { url, first } = await nodes(t, (x) => {
    x.req.socket.destroy();
    return { status: 204 };
  });
  const answer = await fetch(url, { method: 'POST' });
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('retry-after'), '5');
  assert.match(await answer.text(), /It is at http:.* It does not answer\./);
  assert.deepEqual(first.errors, []);
});

test('a forwarded call has a span above the span of the other node, and a failed one names the failure', async (t) => {
  const heard: (string | string[] | undefined)[] = [];
  const { url, first } = await nodes(t, (x) => {
    heard.push(x.req.headers.traceparent);
    if (x.query === 'broken') x.req.socket.destroy();
    return { status: 409, body: 'taken' };
  });
  const spans: Span[] = [];
  first.surface.spans = { add: (span) => spans.push(span) };
  const ofKind = (kind: SpanKind): Span[] => spans.filter((span) => span.kind === kind);
  for (const [at, query, status, error] of [
    [0, 'key=secret', 409, '409'],
    [1, 'broken', undefined, 'unavailable'],
  ] as const) {
    await (await fetch(`${url}?${query}`, { method: 'POST' })).text();
    await until('two spans', () => spans.length === 2 * (at + 1));
    const [client, server] = [ofKind('client')[at], ofKind('server')[at]];
    assert.equal(client?.trace.parentId, server?.trace.spanId);
    assert.equal(heard[at], `00-${client?.trace.traceId}-${client?.trace.spanId}-01`);
    assert.equal(client?.name, 'POST /test/kept');
    assert.deepEqual(
      [client?.attributes['http.response.status_code'], client?.attributes['error.type']],
      [status, error],
    );
  }
  assert.doesNotMatch(JSON.stringify(spans), /secret/);
});

test('a call with any target is forwarded to the other node, with the target unchanged', async (t) => {
  const got: string[] = [];
  const take =
    (name: string): RequestListener =>
    (req, res) => {
      got.push(`${name}${req.url}`);
      res.end();
    };
  const stranger = (await listen(t, take('stranger '))).slice('http://'.length);
  const node = await listen(t, take(''));
  const tested = testSurface([], { findRoute: () => ({ ...kept, keptBy: homeAt(() => node) }) });
  const kept = { ...route(), operation: 'kept', summary: '', open: true };
  tested.surface.claiming = tested.surface.table.services;
  Object.assign(tested.surface.table.services[0] ?? {}, { claims: () => true });
  tested.surface.absoluteTarget = (url) => ({ host: stranger, secure: false, path: new URL(url).pathname });
  const port = await serve(t, tested);
  const targets = [`//${stranger}/secret`, `http://${stranger}/secret`, '/bucket/a/../b%2f?x=1', '/%20~!'];
  for (const path of targets) {
    const sent = request({ hostname: '127.0.0.1', port, path, agent: false });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    assert.equal(answer.statusCode, 200);
  }
  assert.deepEqual(got, [`//${stranger}/secret`, '/secret', '/bucket/a/../b%2f?x=1', '/%20~!']);
});
