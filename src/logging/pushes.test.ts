// The times of pushes whose lines have none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createClock } from '../base/clock.ts';
import type { LogPipeline } from './pipeline.ts';
import { decodePush } from './push/decode.ts';
import type { LogPush } from './push/push.ts';
import { Pushes } from './pushes.ts';

const start = 1_800_000_000_000;

const streams = [{ tag: 'app', source: 'http', protocol: 'http', labels: [], retentionInDays: 7 }];
const pipeline = { id: 'p', streams } as unknown as LogPipeline;

function opened(linesOf: (push: LogPush) => number): { taker: Pushes; pushes: LogPush[] } {
  const pushes: LogPush[] = [];
  const push = async (one: LogPush) => {
    pushes.push(one);
    return { lines: linesOf(one), dropped: 0, reasons: [] };
  };
  const clock = createClock(0, () => start);
  return { taker: new Pushes({ push }, clock), pushes };
}

const timesIn = (push: LogPush): bigint[] => decodePush(push).job.streams.flatMap((stream) => [...stream.times]);

test('[LOG-04] lines of one second keep the order of their pushes, whichever thread decodes them', async () => {
  const { taker, pushes } = opened((push) => timesIn(push).length);
  const body = Buffer.from(`{"date":${start / 1000 - 5},"message":"same"}\n`.repeat(1000));
  const sent = [
    { coding: 'gzip', body: gzipSync(body) },
    { coding: 'identity', body },
    { coding: 'gzip', body: gzipSync(body) },
  ] as const;
  for (const one of sent) await taker.push(pipeline, 'http', { format: 'records', tag: 'app', ...one });
  assert.equal(pushes[2]?.sequence, 2000, 'unused numbers are assigned again');
  await Promise.all(sent.map((one) => taker.push(pipeline, 'http', { format: 'records', tag: 'app', ...one })));
  const times = pushes.flatMap(timesIn);
  assert.equal(times.length, 6000);
  assert.ok(times.every((time, at) => at === 0 || time > (times[at - 1] as bigint)));
  assert.ok((times.at(-1) ?? 0n) < BigInt(start - 4000) * 1_000_000n, 'they stay within the second');
});

test('[LOG-04] lines without a time of two simultaneous pushes stay separate, even if compressed', async () => {
  const { taker, pushes } = opened(() => 0);
  const body = Buffer.from('{"message":"same"}\n'.repeat(5000));
  for (const coding of ['gzip', 'gzip', 'identity', 'identity'] as const)
    await taker.push(pipeline, 'http', {
      format: 'records',
      tag: 'app',
      coding,
      body: coding === 'gzip' ? gzipSync(body) : body,
    });
  const times = pushes.flatMap(timesIn);
  assert.equal(new Set(times).size, 20_000);
  for (let n = 0; n < 10_000; n++)
    await taker.push(pipeline, 'http', { format: 'records', tag: 'app', coding: 'gzip', body });
  assert.ok(
    (pushes.at(-1)?.receivedNs ?? 0n) <= BigInt(start + 1000) * 1_000_000n,
    'they do not run ahead of the clock',
  );
});
