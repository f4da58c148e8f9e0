// The suite of log pipelines: five million lines are pushed to a region and to VictoriaLogs, part by part; then
// their size on the disk and the time of searches are measured.
import { readFileSync } from 'node:fs';
import { cpuSeconds, residentMb, watchOthers } from '../harness/children.ts';
import { atLeast, atMost, type Bench, type Figure, grouped, type Measured, time } from '../harness/figure.ts';
import { measurePairs, type Pairing, type Round, type Side, spread } from '../harness/pair.ts';
import { withFolder } from '../harness/region.ts';
import { openPusher, type Pusher } from '../metrics/load.ts';
import { bytesIn } from '../metrics/servers.ts';
import { type LineBodies, linesOfBody, makeLineBodies, rareWord, streams } from './bodies.ts';
import { type LogServer, openOurs, openVictoria } from './servers.ts';

export const logsNote =
  'the same bodies to both, by Loki’s push API; VictoriaLogs answers before its data is safe, ours when it is synced';

const peer = 'VictoriaLogs of VictoriaMetrics 1.121';
const connections = 8;
const hourMs = 3_600_000;
const spanMs = 3 * hourMs;
const parts = 10;
const pattern = 'status=5\\d\\d took=9\\d+ms';
const million = 1_000_000;
const mostMb = 400;

type Name = 'ingest' | 'disk' | 'rare-word' | 'regexp' | 'memory';

const figure = (name: Name, title: string, demanded: string): Figure => ({
  name,
  title,
  peer,
  demanded,
  measure: (bench) => figureOf(bench, name),
});

export const logsFigures: readonly Figure[] = [
  figure('ingest', `lines a second, ${streams} streams, 114 bytes a line, ${connections} connections, synced`, '≥ 0.7'),
  figure('disk', 'bytes on the disk a line', '≤ 1.5'),
  figure('rare-word', `a word that one of 5 million lines has, |= "${rareWord}"`, '≤ 2.0'),
  figure('regexp', `count of the lines of 30 minutes that match ${pattern}`, 'reported for comparison'),
  figure(
    'memory',
    'most resident memory while the first million lines are ingested / after all that; ours is the whole region',
    `≤ ${mostMb} MB for the first million`,
  ),
];

let all: Promise<Map<Name, Measured>> | undefined;

async function figureOf(bench: Bench, name: Name): Promise<Measured> {
  all ??= withFolder((folder) => measureAll(bench, folder));
  const measured = (await all).get(name);
  if (!measured) throw new Error(`${name} was not measured`);
  return measured;
}

async function measureAll(bench: Bench, folder: string): Promise<Map<Name, Measured>> {
  const endMs = Date.now() - 60_000;
  const bodies = makeLineBodies(`${folder}/bodies`, {
    bodies: bench.quick ? 200 : 1000,
    beginMs: endMs - spanMs,
    endMs,
    slices: connections,
  });
  const pusher = openPusher();
  const servers: LogServer[] = [];
  try {
    for (const open of [openOurs, openVictoria]) servers.push(await open(bench, folder));
    const [ours, victoria] = servers as [LogServer, LogServer];
    const peaks: number[] = [];
    const results = new Map<Name, Measured>([['ingest', await ingest(pusher, ours, victoria, bodies, peaks)]]);
    for (const server of servers) await server.settle();
    results.set('disk', disk(ours, victoria, bodies));
    const rounds = bench.quick ? 1 : bench.pairs;
    const rare = (server: LogServer) => asking(server, 1, () => server.rare(bodies.beginMs, bodies.endMs + 1000));
    results.set('rare-word', atMost(2, time, await measurePairs(rare(ours), rare(victoria), rounds), []));
    const expected = await ours.pattern(pattern, endMs - hourMs / 2, endMs);
    const matching = (server: LogServer) =>
      asking(server, expected, () => server.pattern(pattern, endMs - hourMs / 2, endMs));
    const regexps = await measurePairs(matching(ours), matching(victoria), rounds);
    const found = `${grouped(expected)} of ${grouped(bodies.lines / 6)} lines match`;
    results.set('regexp', { ...atMost(2, time, regexps, [found]), judged: false });
    results.set('memory', memory(ours, victoria, peaks));
    return results;
  } finally {
    for (const server of servers) await server.stop();
    await pusher.close();
  }
}

// `peaks`: gets the most memory of ours and of the peer when each has a million lines.
async function ingest(
  pusher: Pusher,
  ours: LogServer,
  victoria: LogServer,
  bodies: LineBodies,
  peaks: number[],
): Promise<Measured> {
  const count = (bodies.offsets.length - 1) / parts;
  const pairs: { ours: Round; peer: Round }[] = [];
  for (let part = 0; part < parts; part++) {
    const push = (server: LogServer): Promise<Round> => pushPart(pusher, server, bodies, part * count, count);
    pairs.push({ ours: await push(ours), peer: await push(victoria) });
    if ((part + 1) * count * linesOfBody >= million && peaks.length === 0) peaks.push(peakMb(ours), peakMb(victoria));
  }
  const ratioOf = (one: keyof Round) => spread(pairs.map((pair) => Number(pair.ours[one]) / Number(pair.peer[one])));
  const disturbed = pairs.filter((pair) => Math.max(pair.ours.foreign ?? 0, pair.peer.foreign ?? 0) > 0.1).length;
  const pairing: Pairing = {
    ours: spread(pairs.map((pair) => pair.ours.value)),
    peer: spread(pairs.map((pair) => pair.peer.value)),
    ratio: ratioOf('value'),
    cpuRatio: ratioOf('perCpuSecond'),
    pairs: parts,
    disturbed,
    quiet: disturbed < parts / 2,
  };
  const each = (bodies.lineBytes / bodies.lines).toFixed(0);
  return atLeast(0.7, (value) => `${grouped(value / 1000)}k/s`, pairing, [
    `${grouped(bodies.lines)} lines of ${each} bytes, ${grouped(linesOfBody)} a push, protobuf with Snappy`,
  ]);
}

async function pushPart(
  pusher: Pusher,
  { name, port, pid, push }: LogServer,
  bodies: LineBodies,
  from: number,
  count: number,
): Promise<Round> {
  const others = watchOthers(pid, pusher.pid);
  const before = cpuSeconds(pid);
  const report = await pusher.run({ port, ...push, bodies, from, count, connections });
  const cpu = cpuSeconds(pid) - before;
  if (report.bad) throw new Error(`${name}: ${report.bad} answers were not 2xx (${JSON.stringify(report.statuses)})`);
  const foreign = others();
  const perCpuSecond = cpu > 0 ? { perCpuSecond: (count * linesOfBody) / cpu } : {};
  return { value: report.perSecond * linesOfBody, foreign, ...perCpuSecond };
}

function disk(ours: LogServer, victoria: LogServer, { lines }: LineBodies): Measured {
  const [mine, theirs] = [bytesIn(ours.folder) / lines, bytesIn(victoria.folder) / lines];
  const ratio = mine / theirs;
  return {
    ours: `${mine.toFixed(1)} B`,
    peer: `${theirs.toFixed(1)} B`,
    ratio: { median: ratio, min: ratio, max: ratio },
    pass: ratio <= 1.5,
    notes: ['the whole folder of each: ours with its write-ahead log, VictoriaLogs after a forced merge'],
  };
}

// The milliseconds of one question.
function asking({ name, pid }: LogServer, expected: number, ask: () => Promise<number>): Side {
  return {
    async round() {
      const others = watchOthers(pid);
      const began = performance.now();
      const found = await ask();
      const value = performance.now() - began;
      if (found !== expected) throw new Error(`${name} found ${found} lines where ${expected} are expected`);
      return { value, foreign: others() };
    },
  };
}

const peakMb = ({ pid }: LogServer): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

function memory(
  ours: LogServer,
  victoria: LogServer,
  [ourPeak = Number.NaN, theirPeak = Number.NaN]: number[],
): Measured {
  const both = (peak: number, server: LogServer): string => `${grouped(peak)} / ${grouped(residentMb(server.pid))} MB`;
  return {
    ours: both(ourPeak, ours),
    peer: both(theirPeak, victoria),
    pass: ourPeak <= mostMb,
    notes: [`VmHWM / VmRSS; the most of ours at any time: ${grouped(peakMb(ours))} MB`],
  };
}
