// How fast a region answers others while it is busy with something.
import assert from 'node:assert/strict';
import { core } from './people.ts';
import type { Region } from './region.ts';
import { slowness } from './slowness.ts';

const idleCalls = 10;
const usualMs = 250;
const blockedMs = 1000; // a single call, where the machine itself is busy

// Asks for the region's health and, with the token, for a list again and again until the work is done. Others use this
// machine too: what the same calls take without the work is added to what they may take. `work` must take a while.
export async function answersWhile<Value>(region: Region, token: string, work: () => Promise<Value>): Promise<Value> {
  const ask = async (): Promise<number> => {
    const startedAt = performance.now();
    const health = await region.call('GET', '/health', undefined, { token: null });
    const healthMs = performance.now() - startedAt;
    const { status } = await region.call('GET', `${core}/datacenters`, undefined, { token });
    assert.deepEqual([health.status, status], [200, 200]);
    return Math.max(healthMs, performance.now() - startedAt - healthMs);
  };
  const idle: number[] = [];
  while (idle.length < idleCalls) idle.push(await ask());
  const times: number[] = [];
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  working.catch(() => undefined); // it is awaited below
  while (!isDone) times.push(await ask());
  const value = await working;
  const [usual, slowest] = [quantile(times, 0.9), Math.max(...times)];
  const told = `${usual} ms usually, ${slowest} ms at most of ${times.length} calls; ${Math.max(...idle)} ms without it`;
  const slow = slowness();
  assert.ok(usual < usualMs * slow + 2 * quantile(idle, 0.9), told);
  assert.ok(slowest < blockedMs * slow + 5 * Math.max(...idle), told);
  return value;
}

const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? 0;
