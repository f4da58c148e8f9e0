// The loads of suites: single reads, random reads, durable posts; and the pairing of two such sides.
import { atLeast, type Bench, grouped, type Measured, rate, time } from './figure.ts';
import { measurePairs } from './pair.ts';
import type { Peer } from './peers.ts';
import { finished, type Region } from './region.ts';
import { doubts, type LoadedSide, loadedSide, type Target } from './rounds.ts';

export const connections = 16;
export const datacenters = '/cloudapi/v6/datacenters';
export const wish = { properties: { name: 'bench', location: 'de/txl', description: 'made to be measured' } };
export const post = { method: 'POST', path: datacenters, body: wish };

export const profiled = ({ profileFolder }: Bench): { nodeArgs?: readonly string[] } =>
  profileFolder ? { nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] } : {};

// Posts at 50 connections, unless another number is given. Accepted requests are completed: the next round begins when
// none of them is open, and in the end there must be as many more datacenters as there were answers 202.
export async function postSide(
  bench: Bench,
  region: Region,
  more: Partial<Target> & { others?: Region[]; connections?: number } = {},
) {
  const before = await countAll(region);
  let drained = 0;
  let longestMs = 0;
  const drain = async (): Promise<void> => {
    const from = performance.now();
    await finished(region, await region.expect(202, post));
    drained += 1;
    longestMs = Math.max(longestMs, performance.now() - from);
  };
  const { others = [], connections = 50, ...target } = more;
  const load = {
    port: region.port,
    others: others.map(({ port }) => port),
    connections,
    requests: [region.text(post)],
    ...roundOf(bench),
  };
  const side = loadedSide(bench.loader, { pid: region.pid, load, ...target }, drain);
  const checked = async (measured: Measured): Promise<Measured> => {
    const accepted = side.reports.reduce((sum, report) => sum + report.accepted, drained);
    const grown = (await countAll(region)) - before;
    const latency = side.reports.at(-1);
    return {
      ...measured,
      pass: measured.pass && grown === accepted,
      notes: [
        ...measured.notes,
        `${grouped(accepted)} answers 202, ${grouped(grown)} more datacenters in the collection`,
        `after a round the last of the accepted work ended within ${time(longestMs)}`,
        `ours: p50 ${time(latency?.p50Ms ?? 0)}, p99 ${time(latency?.p99Ms ?? 0)}`,
      ],
    };
  };
  return { side, checked };
}

async function countAll(region: Region): Promise<number> {
  const page = 1000;
  for (let count = 0; ; ) {
    const { body } = await region.expect(200, { path: `${datacenters}?depth=0&limit=${page}&offset=${count}` });
    const { items } = JSON.parse(body) as { items: unknown[] };
    count += items.length;
    if (items.length < page) return count;
  }
}

const roundOf = ({ roundMs }: Bench) => ({ warmMs: 300, durationMs: roundMs });

export function getSide(bench: Bench, region: Region, path: string, more: Partial<Target> = {}): LoadedSide {
  const load = { port: region.port, connections, requests: [region.text({ path })], ...roundOf(bench) };
  return loadedSide(bench.loader, { pid: region.pid, load, ...more });
}

export function rawSide(bench: Bench, raw: Peer, bytes: string, width: number): LoadedSide {
  const load = { port: raw.port, connections: width, requests: [bytes], ...roundOf(bench) };
  return loadedSide(bench.loader, { pid: raw.pid, load });
}

export function randomSide(bench: Bench, region: Region, lines: string, more: Partial<Target> = {}): LoadedSide {
  const [before = '', after = ''] = region.text({ path: '@' }).split('@');
  const load = { port: region.port, connections, requests: { before, lines, after, seed: 1 }, ...roundOf(bench) };
  return loadedSide(bench.loader, { pid: region.pid, load, ...more });
}

export async function pair(
  bench: Bench,
  ours: LoadedSide,
  peer: LoadedSide,
  least: number,
  notes: string[],
): Promise<Measured> {
  await ours.warmUp(bench.warmUpMs);
  await peer.warmUp(bench.warmUpMs);
  const pairing = await measurePairs(ours, peer, bench.pairs);
  const wrong = doubts(ours, peer);
  const measured = atLeast(least, rate, pairing, [...notes, ...wrong]);
  return { ...measured, pass: measured.pass && wrong.length === 0 };
}
