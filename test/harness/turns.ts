// How long one request, packet or record keeps a region's main thread from everything else, in CPU time: a busy machine
// does not change the result.
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { limits } from '../../src/testing/limits.ts';
import { assertShortTurns, type LongestTurn, type Meter } from '../../src/testing/turn-meter.ts';
import { until } from '../../src/testing/waiting.ts';
import { type Region, type RegionOptions, startRegion } from './region.ts';

const mostBytes = 400 * 1024 * 1024;
const lookMs = 250;
// As ./cumulet and the npm package set them.
const memorySettings = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };

export interface MeteredRegion extends Meter {
  region: Region;
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

// Fails if the attack blocks the main thread for longer than the limit.
export const assertYields = (region: MeteredRegion, what: string, attack: () => Promise<unknown>): Promise<void> =>
  assertShortTurns(what, attack, region);

async function ask(socket: string, what: string): Promise<LongestTurn> {
  const connection = connect(socket);
  connection.write(what);
  return JSON.parse(await text(connection)) as LongestTurn;
}

// Starts a region whose memory is measured: like an installed one, it returns free memory to the machine.
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
