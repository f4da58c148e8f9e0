// Puts, gets and lists a second, round by round with the same client: against MinIO, and a large get against node:http.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { cpuSeconds, watchOthers } from '../harness/children.ts';
import { atLeast, type Bench, type Figure, grouped, type Measured, rate, time } from '../harness/figure.ts';
import type { RequestReport } from '../harness/orders.ts';
import { measurePairs, type Side } from '../harness/pair.ts';
import { withFolder } from '../harness/region.ts';
import { type CallLoader, type Calls, openCallLoader } from './load.ts';
import { bucket, type ObjectServer, openFileServer, openMinio, openOurs } from './servers.ts';
import { openUploader } from './uploads.ts';

const connections = 16;
const kb = 1024;
const mb = 1024 * 1024;
const stored = 10_000; // objects that gets choose from
const minioPeer = 'MinIO with one drive, which syncs the content and the metadata of an object';

const put = (name: string, size: string, bytes: number, least: number): Figure => ({
  name,
  title: `PUT of ${size}, new keys, ${connections} connections, synced, payload hash signed`,
  peer: minioPeer,
  demanded: `≥ ${least.toFixed(1)}`,
  measure: (bench) => againstMinio(bench, least, (loader, server) => putSide(bench, loader, server, bytes)),
});

const large = 256;
const medium = 64;
const largeRound = 4; // gets or uploads of a round
const prefixes = 100;

export const transferFigures: readonly Figure[] = [
  put('put-4k', '4 KB', 4 * kb, 1),
  put('put-1m', '1 MB', mb, 0.7),
  {
    name: 'get-4k',
    title: `GET of a random one of ${grouped(stored)} objects of 4 KB, ${connections} connections`,
    peer: minioPeer,
    demanded: '≥ 1.0',
    measure: (bench) => againstMinio(bench, 1, (loader, server) => getSide(bench, loader, server)),
  },
  {
    name: 'get-64m',
    title: `GET of an object of ${medium} MB, one at a time`,
    peer: minioPeer,
    demanded: '≥ 0.7',
    measure: (bench) => againstMinio(bench, 0.7, largeGetSide),
  },
  {
    name: 'upload-64m',
    title: `upload of ${medium} MB in parts of 8 MB, four at a time, by the AWS SDK`,
    peer: minioPeer,
    demanded: '≥ 0.9',
    measure: (bench) => generatedAgainstMinio(bench, 0.9, openUploader, uploadSide),
  },
  {
    name: 'list-prefixes',
    title: `LIST with a delimiter of ${prefixes} common prefixes, ${prefixes * 5} objects, one at a time`,
    peer: minioPeer,
    demanded: '≥ 0.8',
    measure: (bench) => againstMinio(bench, 0.8, (loader, server) => listSide(bench, loader, server)),
  },
  {
    name: 'get-256m',
    title: `GET of an object of ${large} MB, one at a time, in MB a second`,
    peer: 'the same file, piped into the answer by raw node:http',
    demanded: '≥ 0.8',
    measure: largeGet,
  },
];

interface CallSide extends Side {
  reports: RequestReport[];
  warmUp(): Promise<void>;
}

function callSide(
  loader: { pid: number },
  server: ObjectServer,
  warmUp: () => Promise<RequestReport>,
  round: () => Promise<RequestReport>,
  after: () => Promise<unknown> = async () => {},
): CallSide {
  const reports: RequestReport[] = [];
  return {
    reports,
    async warmUp() {
      await warmUp();
      await after();
    },
    async round() {
      const others = watchOthers(server.pid, loader.pid);
      const before = cpuSeconds(server.pid);
      const report = await round();
      const cpu = cpuSeconds(server.pid) - before;
      const foreign = others();
      reports.push(report);
      await after();
      return { value: report.perSecond, foreign, ...(cpu > 0 ? { perCpuSecond: report.done / cpu } : {}) };
    },
  };
}

const targetOf = ({ port, credentials }: ObjectServer) => ({ port, connections, ...(credentials && { credentials }) });
const path = `/${bucket}/folder/@.bin`;

// The objects of a round are deleted before the next one, so that the disk does not fill up.
async function putSide(bench: Bench, loader: CallLoader, server: ObjectServer, bytes: number): Promise<CallSide> {
  let next = 0;
  let kept = 0;
  const run = async (durationMs: number): Promise<RequestReport> => {
    const order: Calls = { ...targetOf(server), method: 'PUT', path, numbers: { from: next }, bytes, durationMs };
    const report = await loader.run(order);
    next += report.done;
    return report;
  };
  const clear = async (): Promise<void> => {
    const count = next - kept;
    await loader.run({ ...targetOf(server), method: 'DELETE', path, numbers: { from: kept }, count });
    kept = next;
  };
  return callSide(
    loader,
    server,
    () => run(bench.warmUpMs),
    () => run(bench.roundMs),
    clear,
  );
}

async function getSide(bench: Bench, loader: CallLoader, server: ObjectServer): Promise<CallSide> {
  const target = targetOf(server);
  await loader.run({ ...target, method: 'PUT', path, numbers: { from: 0 }, bytes: 4 * kb, count: stored });
  let seed = 1;
  const run = (durationMs: number): Promise<RequestReport> =>
    loader.run({ ...target, method: 'GET', path, numbers: { below: stored, seed: seed++ }, durationMs });
  return callSide(
    loader,
    server,
    () => run(bench.warmUpMs),
    () => run(bench.roundMs),
  );
}

async function largeGetSide(loader: CallLoader, server: ObjectServer): Promise<CallSide> {
  const target = { ...targetOf(server), path, connections: 1 };
  await loader.run({ ...target, method: 'PUT', numbers: { from: 0 }, bytes: medium * mb, isLong: true, count: 1 });
  const get = (count: number) => (): Promise<RequestReport> =>
    loader.run({ ...target, method: 'GET', numbers: { below: 1, seed: 1 }, count });
  return callSide(loader, server, get(8 * largeRound), get(4 * largeRound));
}

async function uploadSide(uploader: ReturnType<typeof openUploader>, server: ObjectServer): Promise<CallSide> {
  const { port, credentials } = server;
  if (!credentials) throw new Error('uploads are signed');
  const upload = (count: number) => (): Promise<RequestReport> =>
    uploader.run({ port, credentials, bucket, bytes: medium * mb, count });
  return callSide(uploader, server, upload(2 * largeRound), upload(largeRound));
}

async function listSide(bench: Bench, loader: CallLoader, server: ObjectServer): Promise<CallSide> {
  const target = { ...targetOf(server), connections: 1 };
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const objects = { path: `/${bucket}/listed/@/${name}`, numbers: { from: 0 }, bytes: kb, count: prefixes };
    await loader.run({ ...target, method: 'PUT', ...objects });
  }
  const listed = { path: `/${bucket}?list-type=2&delimiter=%2F&prefix=listed%2F`, numbers: { from: 0 } };
  const list = (durationMs: number) => (): Promise<RequestReport> =>
    loader.run({ ...target, method: 'GET', ...listed, durationMs });
  return callSide(loader, server, list(bench.warmUpMs), list(bench.roundMs));
}

async function againstMinio(
  bench: Bench,
  least: number,
  sideOf: (loader: CallLoader, server: ObjectServer) => Promise<CallSide>,
): Promise<Measured> {
  return generatedAgainstMinio(bench, least, openCallLoader, sideOf);
}

async function generatedAgainstMinio<Loader extends { close(): Promise<void> }>(
  bench: Bench,
  least: number,
  openLoader: () => Loader,
  sideOf: (loader: Loader, server: ObjectServer) => Promise<CallSide>,
): Promise<Measured> {
  return withFolder(async (folder) => {
    const loader = openLoader();
    const servers: ObjectServer[] = [];
    try {
      for (const open of [openOurs, openMinio]) servers.push(await open(bench, folder));
      const [first, second] = servers as [ObjectServer, ObjectServer];
      const [ours, peer] = [await sideOf(loader, first), await sideOf(loader, second)];
      return await judged(bench, least, ours, peer, rate, [first.name, second.name]);
    } finally {
      for (const server of servers) await server.stop();
      await loader.close();
    }
  });
}

async function largeGet(bench: Bench): Promise<Measured> {
  return withFolder(async (folder) => {
    const loader = openCallLoader();
    const file = join(folder, 'large');
    const size = bench.quick ? 32 : large;
    await writeLarge(file, size);
    const servers: ObjectServer[] = [];
    try {
      servers.push(await openOurs(bench, folder), await openFileServer(file));
      const [first, second] = servers as [ObjectServer, ObjectServer];
      const target = { ...targetOf(first), path, numbers: { from: 0 }, connections: 1 };
      await loader.run({ ...target, method: 'PUT', bytes: size * mb, isLong: true, count: 1 });
      const [ours, peer] = [first, second].map((server) => {
        const get = (count: number) => (): Promise<RequestReport> =>
          loader.run({
            ...targetOf(server),
            method: 'GET',
            path,
            numbers: { below: 1, seed: 1 },
            connections: 1,
            count,
          });
        return callSide(loader, server, get(3 * largeRound), get(largeRound));
      }) as [CallSide, CallSide];
      const speed = (perSecond: number): string => `${grouped(perSecond * size)} MB/s`;
      return await judged(bench, 0.8, ours, peer, speed, [first.name, second.name]);
    } finally {
      for (const server of servers) await server.stop();
      await loader.close();
    }
  });
}

async function judged(
  bench: Bench,
  least: number,
  ours: CallSide,
  peer: CallSide,
  unit: (perSecond: number) => string,
  names: [string, string],
): Promise<Measured> {
  await ours.warmUp();
  await peer.warmUp();
  const pairing = await measurePairs(ours, peer, bench.pairs);
  const sides = [ours, peer].map(({ reports }, at) => ({ name: names[at] ?? '', reports }));
  const wrong = sides.flatMap(doubts);
  const latencies = sides.map(({ name, reports }) => {
    const { p50Ms = 0, p99Ms = 0 } = reports.at(-1) ?? {};
    return `${name}: p50 ${time(p50Ms)}, p99 ${time(p99Ms)}`;
  });
  const measured = atLeast(least, unit, pairing, [...latencies, ...wrong]);
  return { ...measured, pass: measured.pass && wrong.length === 0 };
}

function doubts({ name, reports }: { name: string; reports: RequestReport[] }): string[] {
  const bad = reports.reduce((sum, report) => sum + report.bad, 0);
  const statuses = new Set(reports.flatMap((report) => Object.keys(report.statuses)));
  const busy = Math.max(...reports.map((report) => report.busy));
  return [
    ...(bad ? [`${name}: ${bad} answers were not 2xx (${[...statuses].join(', ')})`] : []),
    ...(busy > 0.97 ? [`${name}: the load generator was at its limit (${Math.round(busy * 100)} %)`] : []),
  ];
}

async function writeLarge(file: string, megabytes: number): Promise<void> {
  const out = createWriteStream(file);
  const piece = Buffer.alloc(mb, 'content of an object ');
  for (let written = 0; written < megabytes; written++)
    if (!out.write(piece)) await new Promise((resolve) => out.once('drain', resolve));
  out.end();
  await finished(out);
}
