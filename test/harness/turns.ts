// How long one request, packet or record keeps a region's main thread from everything else, in CPU time: a busy machine
// does not change the result.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { type Region, type RegionOptions, startRegion } from './region.ts';

const limitMs = 50;
const megabyte = 1024 * 1024;
const mostBytes = 400 * megabyte;
// As ./cumulet and the npm package set them.
const memorySettings = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };
const attempts = 3;

export interface MeteredRegion {
  region: Region;
  longestMs(): Promise<number>; // since the last call of this
}

// Starts a region whose main thread is measured.
export async function startMetered(options: RegionOptions = {}): Promise<MeteredRegion> {
  const socket = join(mkdtempSync(join(tmpdir(), 'cumulet-turns-')), 'meter');
  const env = {
    ...options.env,
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'load/turn-meter.ts')}`,
    CUMULET_TURN_METER: socket,
  };
  const region = await startRegion({ ...options, env });
  return { region, longestMs: () => longest(socket) };
}

// Fails if the attack blocks the main thread for longer than the limit. The engine's garbage collector can add to any
// single run, so a run over the limit counts only if it repeats.
export async function assertYields(
  { longestMs }: MeteredRegion,
  what: string,
  attack: () => Promise<unknown>,
): Promise<void> {
  const runs: number[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    await longestMs();
    await attack();
    runs.push(await longestMs());
    if ((runs.at(-1) as number) <= limitMs) return;
  }
  assert.fail(`${what} blocks the main thread for ${runs.map(Math.round).join(', ')} ms of CPU; limit ${limitMs} ms`);
}

async function longest(socket: string): Promise<number> {
  const connection = connect(socket);
  await once(connection, 'connect');
  return (JSON.parse(await text(connection)) as { longestMs: number }).longestMs;
}

// Starts a region whose memory is looked at: it returns free memory to the machine as an installed one does.
export const startFrugal = (options: RegionOptions): Promise<Region> =>
  startRegion({ ...options, env: { ...options.env, ...memorySettings } });

export async function residentBytes(region: Region): Promise<number> {
  const { body } = await region.call<string>('GET', '/metrics', undefined, { token: null });
  return Number(/process_resident_memory_bytes (\d+)/.exec(body)?.[1]);
}

// Fails if the region has 400 MB or more for a minute. `most`: the maximum before, if it is known.
export async function assertMemoryIsFreed(region: Region, most = mostBytes): Promise<void> {
  if (most < mostBytes) return;
  const megabytes = async (): Promise<number> => Math.round((await residentBytes(region)) / megabyte);
  const wait = { limitMs: limits.memoryFreed, everyMs: 250 };
  await until('fewer than 400 MB are resident', megabytes, (resident) => resident < mostBytes / megabyte, wait);
}
