// An upstream that fails in every way: each failure becomes an error with its reason.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { EngineError, type TextOrder, type TextPart } from '../engine.ts';
import { upstreamSource } from './source.ts';

const order: TextOrder = {
  contract: 1,
  input: { turns: [{ role: 'user', content: 'Hello' }], tools: [] },
  topP: 1,
  stop: [],
  presencePenalty: 0,
  frequencyPenalty: 0,
  logitBias: {},
};
const event = (value: object | string): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const said = (content: string): object => ({ choices: [{ index: 0, delta: { content } }] });

interface Outcome {
  parts: TextPart[];
  error?: unknown;
  seen: { path: string; key: string | undefined; body: Record<string, unknown> }[];
}

interface Waiting {
  signal?: AbortSignal;
  idleMs?: number; // how long an upstream may say nothing
}

async function outcomeOf(answer: RequestListener, waiting: Waiting = {}): Promise<Outcome> {
  const { signal = new AbortController().signal, idleMs = 60_000 } = waiting;
  const seen: Outcome['seen'] = [];
  const server = createServer((req, res) => {
    let text = '';
    req.on('data', (piece) => {
      text += piece;
    });
    req.on('end', () => {
      seen.push({ path: req.url ?? '', key: req.headers.authorization, body: JSON.parse(text) });
      answer(req, res);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://secret-key@127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  const engine = upstreamSource({ url, names: { ours: 'theirs' }, idleMs }).text?.('ours');
  const parts: TextPart[] = [];
  try {
    assert.ok(engine);
    for await (const part of engine.generate(order, signal)) parts.push(part);
    return { parts, seen };
  } catch (error) {
    return { parts, error, seen };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const failing =
  (status: number, body: object | string): RequestListener =>
  (_, res) =>
    void res.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

test('a stream is read in any pieces, with the key and the name of the upstream', async () => {
  const whole = `: alive\n\n${event(said('Grüße'))}${event({ choices: [{ delta: {}, finish_reason: 'length' }] })}`;
  const usage = event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } });
  const { parts, seen, error } = await outcomeOf((_, res) => {
    for (const byte of Buffer.from(`${whole}${usage}${event('[DONE]')}`.replaceAll('\n', '\r\n')))
      res.write(Buffer.from([byte]));
    res.end();
  });
  assert.equal(error, undefined);
  assert.deepEqual(parts, [
    { kind: 'text', text: 'Grüße' },
    { kind: 'end', reason: 'length', promptTokens: 5, completionTokens: 2 },
  ]);
  assert.deepEqual([seen[0]?.path, seen[0]?.key], ['/v1/chat/completions', 'Bearer secret-key']);
  assert.deepEqual([seen[0]?.body.model, seen[0]?.body.stream], ['theirs', true]);
});

test('a tool call comes in pieces, whatever number it has', async () => {
  const delta = (tool_calls: object[]): object => ({ choices: [{ delta: { tool_calls } }] });
  const { parts } = await outcomeOf((_, res) => {
    res.write(event(delta([{ index: 7_000_000_000, id: 'call_1', function: { name: 'look', arguments: '' } }])));
    res.write(event(delta([{ index: 7_000_000_000, function: { arguments: '{"a":' } }])));
    res.write(event(delta([{ index: 7_000_000_000, function: { arguments: '1}' } }])));
    res.end(event('[DONE]'));
  });
  assert.deepEqual(parts[0], { kind: 'call', call: { id: 'call_1', name: 'look', arguments: '{"a":1}' } });
});

test('a temperature that the client did not send is not sent to the upstream', async () => {
  const { seen } = await outcomeOf((_, res) => void res.end(event('[DONE]')));
  assert.equal(Object.hasOwn(seen[0]?.body ?? {}, 'temperature'), false);
});

test("the seconds of an upstream's Retry-After are kept", async () => {
  for (const [header, seconds] of [
    ['7', 7],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
  ] as const) {
    const { error } = await outcomeOf((_, res) => void res.writeHead(429, { 'Retry-After': header }).end('{}'));
    assert.equal((error as EngineError).retryAfterS, seconds);
  }
});

const ways: [what: string, answer: RequestListener, reason: EngineError['reason'], says: RegExp][] = [
  ['an internal error', failing(500, { error: { message: 'a secret of the prompt' } }), 'crashed', /status 500/],
  ['too much to do', failing(429, {}), 'overloaded', /is overloaded/],
  ['a key that it does not know', failing(401, {}), 'crashed', /key/],
  ['a model that it does not have', failing(404, {}), 'crashed', /model/],
  ['a wrong parameter', failing(400, { error: { message: 'top_p is wrong' } }), 'refused', /^top_p is wrong$/],
  [
    'a prompt that is too long',
    failing(400, { error: { message: 'x', code: 'context_length_exceeded' } }),
    'too-long',
    /x/,
  ],
  ['a page of a proxy', failing(502, '<html>'), 'crashed', /status 502/],
  ['something else than events', failing(200, '<html>'), 'crashed', /broke off/],
  ['an event that is not JSON', (_, res) => void res.end(event('{')), 'crashed', /broke off/],
  ['a stream that ends early', (_, res) => void res.end(event(said('Hel'))), 'crashed', /broke off/],
  ['an error in the stream', (_, res) => void res.end(event({ error: { message: 'a secret' } })), 'crashed', /middle/],
  ['silence', () => undefined, 'time-out', /nothing for/],
  ['silence after a word', (_, res) => void res.write(event(said('Hel'))), 'time-out', /nothing for/],
  [
    'a connection that breaks',
    (_, res) => void res.write(event(said('Hel')), () => res.destroy()),
    'crashed',
    /broke off/,
  ],
];

for (const [what, answer, reason, says] of ways)
  test(`${what}: ${reason}`, async () => {
    const { error } = await outcomeOf(answer, reason === 'time-out' ? { idleMs: 200 } : {});
    assert.ok(error instanceof EngineError, String(error));
    assert.equal(error.reason, reason);
    assert.match(error.message, says);
    assert.doesNotMatch(error.message, /secret/, 'neither the key nor what an upstream says of a prompt');
  });

test('a client that leaves ends the work of the upstream', async () => {
  const leaving = new AbortController();
  const ended = Promise.withResolvers<void>();
  const outcome = outcomeOf(
    (_, res) => {
      res.on('close', () => ended.resolve());
      res.write(event(said('Hel')), () => leaving.abort(new Error('left')));
    },
    { signal: leaving.signal },
  );
  await ended.promise;
  assert.match(String((await outcome).error), /left/);
});

test("an upstream that can't be reached", async () => {
  const engine = upstreamSource({ url: 'http://127.0.0.1:1/v1', names: {} }).text?.('any');
  const parts = engine?.generate(order, new AbortController().signal)[Symbol.asyncIterator]();
  await assert.rejects(async () => parts?.next(), /can't be reached/);
  assert.equal(upstreamSource({ url: 'http://x/', names: { a: 'b' } }).text?.('c'), undefined);
  assert.match(upstreamSource({ url: 'http://x/', names: { '*': 'b' } }).text?.('c')?.servedBy ?? '', /^b at x$/);
});

// Writes the same piece until the other side leaves.
const flooding =
  (status: number, piece: string): RequestListener =>
  (_req, res) => {
    res.writeHead(status, { 'content-type': 'text/event-stream' });
    const send = (): void => {
      while (!res.destroyed && res.write(piece));
    };
    res.on('drain', send);
    send();
  };

for (const [what, answer, expected] of [
  ['a line without an end', flooding(200, 'x'.repeat(65_536)), 'crashed'],
  ['an event without an end', flooding(200, 'data: x\n'.repeat(8192)), 'crashed'],
  ['an error without an end', flooding(400, ' '.repeat(65_536)), 'refused'],
] as const)
  test(`an upstream that sends ${what} is disconnected, without much memory or time`, async () => {
    const before = process.cpuUsage();
    const { error, parts } = await outcomeOf(answer);
    assert.ok(error instanceof EngineError && error.reason === expected, String(error));
    assert.deepEqual(parts, []);
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1000 < 3000, `${(user + system) / 1000} ms of CPU`);
  });

test('many texts are embedded in groups, so that no answer is large, and keep their order', async () => {
  const groups: string[][] = [];
  const server = createServer(async (req, res) => {
    let text = '';
    for await (const piece of req) text += piece;
    const { input } = JSON.parse(text) as { input: string[] };
    groups.push(input);
    const data = input.map((one) => ({ embedding: [Math.cos(Number(one)), Math.sin(Number(one))] }));
    res.end(JSON.stringify({ data, usage: { prompt_tokens: input.length * 2 } }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const engine = upstreamSource({ url, names: {} }).embedding?.('model');
    assert.ok(engine);
    const texts = Array.from({ length: 150 }, (_, index) => String(index / 50));
    const { vectors, tokens, madeBy } = await engine.embed(texts, new AbortController().signal);
    assert.deepEqual(
      groups.map(({ length }) => length),
      [64, 64, 22],
    );
    assert.deepEqual(groups.flat(), texts);
    const angles = vectors.map(([x = 0, y = 0]) => Math.atan2(y, x));
    assert.ok(angles.every((angle, index) => Math.abs(angle - index / 50) < 1e-5));
    assert.equal(vectors.length, 150);
    assert.equal(tokens, 300);
    assert.equal(engine.dimensions, 2);
    const again = await engine.embed(['1'], new AbortController().signal);
    assert.equal(again.madeBy, madeBy);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
