// How long one request, packet or record keeps a region's main thread from everything else, in CPU time: a busy machine
// does not change the result.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { limits } from '../../src/testing/limits.ts';
import type { LongestTurn } from '../../src/testing/turn-meter.ts';
import { until } from '../../src/testing/waiting.ts';
import { type Region, type RegionOptions, startRegion } from './region.ts';

const limitMs = 50;
const mostRuns = 3;
const mostBytes = 400 * 1024 * 1024;
const lookMs = 250;
// As ./cumulet and the npm package set them.
const memorySettings = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };

export interface MeteredRegion {
  region: Region;
  begin(): Promise<unknown>;
  end(): Promise<LongestTurn>; // since `begin`
}

// Starts a region whose main thread is measured.
export async function startMetered(options: RegionOptions = {}): Promise<MeteredRegion> {
  const socket = join(mkdtempSync(join(tmpdir(), 'cumulet-turns-')), 'meter');
  const env = {
    ...options.env,
    NODE_OPTIONS: `--import ${join(import.meta.dirname, '../../src/testing/turn-meter.ts')}`,
    CUMULET_TURN_METER: socket,
  };
  const region = await startRegion({ ...options, env });
  return { region, begin: () => ask(socket, 'begin'), end: () => ask(socket, 'end') };
}

// Fails if the attack blocks the main thread for longer than the limit. The first run of a kind also pays once for
// loading and compiling its code, and a slow machine adds some milliseconds to XML documents near their limits: the
// best of three runs decides.
export async function assertYields(
  { begin, end }: MeteredRegion,
  what: string,
  attack: () => Promise<unknown>,
): Promise<void> {
  const runs: LongestTurn[] = [];
  for (let run = 0; run < mostRuns; run++) {
    await begin();
    await attack();
    const turn = await end();
    if (turn.ms <= limitMs) return;
    runs.push(turn);
  }
  const shown = runs.map(
    ({ ms, collectorMs }) => `${Math.round(ms)} (and ${Math.round(collectorMs)} of the collector)`,
  );
  assert.fail(`${what} blocks the main thread for ${shown.join(', ')} ms of CPU; the limit is ${limitMs}`);
}

async function ask(socket: string, what: string): Promise<LongestTurn> {
  const connection = connect(socket);
  connection.write(what);
  return JSON.parse(await text(connection)) as LongestTurn;
}

// Starts a region whose memory is looked at: it returns free memory to the machine as an installed one does.
export const startFrugal = (options: RegionOptions): Promise<Region> =>
  startRegion({ ...options, env: { ...options.env, ...memorySettings } });

async function residentBytes(region: Region): Promise<number> {
  const { body } = await region.call<string>('GET', '/metrics', undefined, { token: null });
  return Number(/process_resident_memory_bytes (\d+)/.exec(body)?.[1]);
}

// Fails if the region has 400 MB or more for a minute.
export async function assertMemoryIsFreed(region: Region): Promise<void> {
  const most = mostBytes / 2 ** 20;
  await until(
    `less than ${most} MB are resident`,
    async () => Math.round((await residentBytes(region)) / 2 ** 20),
    (megabytes) => megabytes < most,
    { limitMs: limits.memoryFreed, everyMs: lookMs },
  );
}
