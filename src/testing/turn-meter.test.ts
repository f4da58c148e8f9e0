// The meter itself: what it reports of this thread.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectOnce } from './garbage.ts';
import { processorMs } from './processor-time.ts';
import { TurnMeter } from './turn-meter.ts';
import { pause } from './waiting.ts';

const meter = new TurnMeter();

function work(ms: number): void {
  const begin = process.threadCpuUsage();
  const used = (): number => {
    const { user, system } = process.threadCpuUsage(begin);
    return (user + system) / 1000;
  };
  let sum = 0;
  while (used() < ms) for (let at = 0; at < 100_000; at++) sum = (sum + at) % 1000; // makes no garbage
}

test('the longest turn since the beginning is reported, in CPU time', async () => {
  work(100); // before it
  await pause(5);
  meter.begin();
  for (const ms of [10, 60, 20]) {
    work(ms);
    await pause(5);
  }
  const { ms } = await meter.end();
  assert.ok(ms > 55 && ms < 90, `${ms} ms`);
});

test('the pauses of the garbage collector are not counted in a turn', async () => {
  const heap = Array.from({ length: 300_000 }, (_, at) => ({ at, text: `text ${at}` }));
  meter.begin();
  let collectedMs = 0;
  for (let round = 0; round < 5; round++) collectedMs += processorMs(collectOnce);
  work(20);
  await pause(5);
  const { ms } = await meter.end();
  assert.ok(collectedMs > 20, `${collectedMs} ms`);
  assert.ok(ms < 20 + collectedMs / 2, `${ms} ms, and ${collectedMs} ms of collections`);
  assert.equal(heap.length, 300_000);
});
