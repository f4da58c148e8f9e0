// How fast a region answers others while it is busy with something.
import assert from 'node:assert/strict';
import { core } from '../people.ts';
import type { Region } from '../region.ts';
import { stopwatch } from '../slowness.ts';

const usualMs = 250;
const blockedMs = 1000; // a single call

// Asks for the region's health and, with the token, for a list again and again until the work is done. `work` must take
// a while.
export async function answersWhile<Value>(region: Region, token: string, work: () => Promise<Value>): Promise<Value> {
  const timed = async (path: string, as: string | null): Promise<number> => {
    const elapsedMs = stopwatch(region);
    const { status } = await region.call('GET', path, undefined, { token: as });
    assert.equal(status, 200, path);
    return elapsedMs();
  };
  const times: number[] = [];
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  working.catch(() => undefined); // it is awaited below
  while (!isDone) times.push(Math.max(await timed('/health', null), await timed(`${core}/datacenters`, token)));
  const value = await working;
  const [usual, slowest] = [quantile(times, 0.9), Math.max(...times)];
  const summary = `${usual} ms usually, ${slowest} ms at most of ${times.length} calls`;
  assert.ok(usual < usualMs && slowest < blockedMs, summary);
  return value;
}

const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? 0;
