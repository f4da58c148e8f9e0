// The times that pushes have where their lines have none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createClock } from '../base/clock.ts';
import type { LogPipeline } from './pipeline.ts';
import { decodePush } from './push/decode.ts';
import type { LogPush } from './push/push.ts';
import { Pushes } from './pushes.ts';

const start = 1_800_000_000_000;

test('[LOG-04] lines without a time of two pushes at one moment stay apart, also where they were compressed', async () => {
  const pushes: LogPush[] = [];
  const store = {
    push: async (push: LogPush) => {
      pushes.push(push);
      return { lines: 0, dropped: 0, reasons: [] };
    },
  };
  const taker = new Pushes(
    store,
    createClock(0, () => start),
  );
  const streams = [{ tag: 'app', source: 'http', protocol: 'http', labels: [], retentionInDays: 7 }];
  const pipeline = { id: 'p', streams } as unknown as LogPipeline;
  const body = Buffer.from('{"message":"same"}\n'.repeat(5000));
  for (const coding of ['gzip', 'gzip', 'identity', 'identity'] as const)
    await taker.push(pipeline, 'http', {
      format: 'records',
      tag: 'app',
      coding,
      body: coding === 'gzip' ? gzipSync(body) : body,
    });
  const times = pushes.flatMap((push) => decodePush(push).job.streams.flatMap((stream) => [...stream.times]));
  assert.equal(new Set(times).size, 20_000);
  for (let n = 0; n < 10_000; n++)
    await taker.push(pipeline, 'http', { format: 'records', tag: 'app', coding: 'gzip', body });
  assert.ok((pushes.at(-1)?.receivedNs ?? 0n) <= BigInt(start + 1000) * 1_000_000n, 'they do not run ahead');
});
