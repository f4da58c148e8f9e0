// The threads of the log engine: confirmed lines are found at once, answers arrive as fast as they are read, and a
// search ends with its client.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { machineTime } from '../../base/clock.ts';
import { LostCall } from '../../core/threads/worker-pool.ts';
import { until } from '../../testing/waiting.ts';
import type { Snapshot } from '../engine/embedded/snapshot.ts';
import type { AppendJob } from '../engine/engine.ts';
import { packJob } from '../engine/packed-job.ts';
import type { LogPush } from '../push/push.ts';
import type { LogAnswer } from './question.ts';
import { LogThreads, refused } from './threads.ts';

const tenant = 'pipeline';
const nowMs = machineTime();
const log = { info() {}, warn() {}, error() {} } as never;

async function opened(t: TestContext): Promise<LogThreads> {
  const folder = mkdtempSync(join(tmpdir(), 'log-threads-'));
  const threads = new LogThreads({ address: `embedded:${folder}`, log });
  t.after(async () => {
    await threads.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return threads;
}

function jobOf(first: number, count: number, text = (n: number) => `line ${n}`): AppendJob {
  const numbers = Array.from({ length: count }, (_, at) => first + at);
  const times = BigInt64Array.from(numbers, (n) => BigInt(nowMs - 60_000) * 1_000_000n + BigInt(n) * 1000n);
  return { tenant, streams: [{ labels: { tag: 'web' }, times, lines: numbers.map(text) }] };
}

const ask = (threads: LogThreads, query: string, signal = new AbortController().signal, limit = 5000) =>
  threads.ask(
    {
      tenant,
      path: 'query_range',
      parameters: new URLSearchParams({ query, limit: String(limit), direction: 'forward' }).toString(),
      nowMs: nowMs + 60_000,
    },
    { group: 'contract', signal },
  );

async function textOf({ status, body }: LogAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  assert.equal(status, 200, text);
  return text;
}

test('LOG-06: all lines confirmed before a query are in its answer', async (t) => {
  const threads = await opened(t);
  for (let round = 0; round < 5; round++) {
    await threads.append([jobOf(round * 20, 10), jobOf(round * 20 + 10, 10)]);
    const text = await textOf(await ask(threads, '{tag="web"}'));
    assert.equal(text.match(/"line \d+"/g)?.length, 20 * (round + 1));
  }
  const { groupCommits, appendedLines } = await threads.figures();
  assert.equal(appendedLines, 100);
  assert.ok((groupCommits ?? 0) >= 5);
});

test('LOG-04: the writer decodes and stores a push', async (t) => {
  const threads = await opened(t);
  const record = { tag: 'web', source: 'generic', labels: [], oldestNs: 0n };
  const push: LogPush = {
    tenant,
    format: 'records' as const,
    coding: 'identity' as const,
    body: Buffer.from('[{"message":"pushed 1"},{"message":"pushed 2"}]'),
    receivedNs: BigInt(nowMs) * 1_000_000n,
    sequence: 0,
    newestNs: BigInt(nowMs + 600_000) * 1_000_000n,
    streams: [record],
    tag: 'web',
  };
  const { lines, fault } = await threads.push(push);
  assert.deepEqual([lines, fault], [2, undefined]);
  const text = await textOf(await ask(threads, '{tag="web"} |= "pushed"'));
  assert.equal(text.match(/pushed \d/g)?.length, 2, text);
});

test('a refused job does not affect others', async (t) => {
  const threads = await opened(t);
  const bad = {
    ...jobOf(0, 1),
    streams: Array.from({ length: 6000 }, (_, n) => ({ ...jobOf(0, 1).streams[0], labels: { n: `${n}` } })),
  };
  const outcomes = await Promise.allSettled([threads.append([bad as AppendJob]), threads.append([jobOf(5, 1)])]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
  const [refused] = outcomes;
  assert.match(String(refused?.status === 'rejected' && refused.reason), /at most 5000 streams/);
  assert.match(await textOf(await ask(threads, '{tag="web"}')), /"line 5"/);
});

test('LOG-06: a search ends when its client disconnects, and its thread is free for the next', async (t) => {
  const threads = await opened(t);
  for (let part = 0; part < 8; part++)
    await threads.append([jobOf(part * 20_000, 20_000, (n) => `line ${n} ${'x'.repeat(200)}`)]);
  const leaving = new AbortController();
  const answer = ask(threads, '{tag="web"} |~ "nothing.*has [t]his"', leaving.signal);
  leaving.abort();
  const text = await answer.then(textOf).catch((error: Error) => error.message);
  assert.doesNotMatch(text, /"line/);
  assert.match(await textOf(await ask(threads, '{tag="web"} |= "line 159999 "')), /line 159999/);
});

test('an abandoned body does not block anything', async (t) => {
  const threads = await opened(t);
  await threads.append([jobOf(0, 5000, (n) => `line ${n} ${'y'.repeat(1000)}`)]);
  for (let round = 0; round < 6; round++) {
    const { body } = await ask(threads, '{tag="web"}');
    for await (const piece of body) {
      assert.ok(piece.length > 0);
      break;
    }
  }
  assert.match(await textOf(await ask(threads, '{tag="web"} |= "line 4999 "')), /line 4999/);
});

test('a reader releases only its own snapshots: one of an earlier writer may have the number of another', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'log-threads-'));
  const worker = new Worker(new URL('./writer.ts', import.meta.url), { workerData: { address: `embedded:${folder}` } });
  t.after(async () => {
    await worker.terminate();
    rmSync(folder, { recursive: true, force: true });
  });
  const call = async (name: string, argument: unknown): Promise<void> => {
    worker.postMessage({ number: 1, name, argument });
    const [settlements] = (await once(worker, 'message')) as [unknown[][]];
    assert.equal(settlements[0]?.[2], undefined);
  };
  const [one, other] = [0, 1].map((reader) => {
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ port: port1, reader }, [port1]);
    t.after(() => port2.close());
    return port2;
  }) as [MessagePort, MessagePort];
  const selection = { tenant, matchers: [], fromNs: 0n, toNs: 2n ** 62n };
  const ask = async (port: MessagePort): Promise<number> => {
    port.postMessage({ ask: 1, selection });
    const [{ snapshot }] = (await once(port, 'message')) as [{ snapshot: Snapshot }];
    return snapshot.number;
  };
  const job = jobOf(0, 2);
  await call('append', packJob(job));
  await call('prune', { tenant, matchers: [], beforeNs: job.streams[0]?.times[1] }); // seals; the block has a newer line
  const segments = (): string[] => readdirSync(folder).filter((name) => name.startsWith('segment-'));
  assert.equal(segments().length, 1);
  const number = await ask(one);
  other.postMessage({ release: number });
  const last = await ask(other); // so the writer has seen the release
  other.postMessage({ release: last });
  await ask(other);
  other.close();
  await call('drop', tenant);
  assert.equal(segments().length, 1, 'a search may still read it');
  one.postMessage({ release: number });
  await until('all segments are deleted', segments, ({ length }) => length === 0);
});

test('a push that costs its decoder the memory or the deadline is refused permanently, another loss is not', () => {
  for (const reason of ['memory', 'deadline'] as const)
    assert.equal(refused(new LostCall(reason, 'The log engine was lost.')).pushed.fault?.kind, 'oversized');
  const other = new LostCall('other', 'The log engine was lost.');
  assert.throws(() => refused(other), other);
});
