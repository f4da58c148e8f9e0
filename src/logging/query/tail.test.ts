// A tail of long lines: they arrive in pieces within the limits of the main thread and the client.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { machineTime } from '../../base/clock.ts';
import { until } from '../../testing/waiting.ts';
import { LogThreads } from '../threads/threads.ts';
import { Tails } from './tail.ts';

class Socket extends EventEmitter {
  bufferedAmount = 0;
  readonly sizes: number[] = [];
  readonly lines: string[] = [];

  send(text: string): void {
    this.sizes.push(text.length);
    const { streams } = JSON.parse(text) as { streams: { values: [string, string][] }[] };
    this.lines.push(...streams.flatMap(({ values }) => values.map(([, line]) => line.slice(0, 10).trim())));
    this.emit('sent');
  }

  close(): void {
    this.emit('close');
  }
}

test('[LOG-06] a tail sends long lines in several messages, each line once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'log-tail-'));
  const store = new LogThreads({ address: `embedded:${folder}`, log: { info() {}, warn() {}, error() {} } as never });
  const socket = new Socket();
  const gone = new AbortController();
  t.after(async () => {
    gone.abort();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let now = machineTime();
  const append = (from: number, count: number, timeMs: number): Promise<void> => {
    const numbers = Array.from({ length: count }, (_, n) => from + n);
    const times = BigInt64Array.from(numbers, (n) => BigInt(timeMs) * 1_000_000n + BigInt(n));
    const lines = numbers.map((n) => `${n}`.padEnd(200_000));
    return store.append([{ tenant: 'pipeline', streams: [{ labels: { tag: 'web' }, times, lines }] }]);
  };
  await append(0, 50, now - 1000);
  const x = {
    search: new URLSearchParams({ query: '{tag="web"}', limit: '5000' }),
    signal: gone.signal,
    req: { headers: {} },
    who: { contract: 31 },
  };
  const following = new Tails({ store, now: () => now }).follow(x as never, socket as never, 'pipeline');
  await once(socket, 'sent');
  assert.ok(socket.lines.length < 50 && socket.lines.at(-1) === '49', 'the newest existing lines');
  const earlier = socket.lines.length;
  await append(100, 50, now);
  now += 1000;
  await until(
    'all lines are sent',
    () => socket.lines.length,
    (count) => count >= earlier + 50,
  );
  assert.deepEqual(
    socket.lines.slice(earlier),
    Array.from({ length: 50 }, (_, n) => `${100 + n}`),
  );
  assert.ok(Math.max(...socket.sizes) < 5 * 1024 * 1024, `${socket.sizes}`);
  gone.abort();
  await following;
});
