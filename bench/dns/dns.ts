// The suite of the name server: answers a second as dnsperf counts them, against Knot DNS, and of a large zone against
// a small one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dnsperf } from '../../test/clients/dns/programs.ts';
import { cpuSeconds, start, watchOthers } from '../harness/children.ts';
import { atLeast, type Bench, type Figure, grouped, type Measured, rate, Skipped } from '../harness/figure.ts';
import { measurePairs, type Round, type Side } from '../harness/pair.ts';
import { withFolder } from '../harness/region.ts';
import { type NameServer, nameAt, openKnot, openOurs, zoneOf } from './servers.ts';

export const dnsNote = 'both answer the same zones, ours by transfer from Knot, with one thread each';

const usual = 10_000; // records
const small = 1000;
const large = 1_000_000;
const questionCount = 20_000; // different questions
const clients = 8;
const outstanding = 200;

export const dnsFigures: readonly Figure[] = [
  {
    name: 'answers',
    title: `answers a second by UDP from a zone of ${grouped(usual)} records, one in ten that a name is not there`,
    peer: 'Knot DNS 3.2',
    demanded: '≥ 0.3',
    measure: (bench) => withServers(bench, [usual], true, (files, ours, knot) => compare(bench, files, ours, knot)),
  },
  {
    name: 'large-zone',
    title: `the same from a zone of ${grouped(large)} records`,
    peer: `our own zone of ${grouped(small)}`,
    demanded: '≥ 0.7',
    measure: (bench) =>
      withServers(bench, [small, bench.quick ? usual : large], false, async ([few = '', many = ''], ours) => {
        const perf = await program();
        const sides = [many, few].map((file) => asking(bench, perf, ours, file)) as [Side, Side];
        return atLeast(0.7, rate, await measured(bench, sides), []);
      }),
  },
];

type Use = (files: string[], ours: NameServer, knot: NameServer) => Promise<Measured>;

// `keeps`: Knot is measured too; else it is only transferred from.
async function withServers(bench: Bench, sizes: number[], keeps: boolean, use: Use): Promise<Measured> {
  await program();
  return withFolder(async (folder) => {
    const files = sizes.map((records) => questions(folder, records));
    const knot = await openKnot(folder, sizes);
    try {
      const ours = await openOurs(bench, folder, knot.port, sizes);
      try {
        if (!keeps) await knot.stop();
        return await use(files, ours, knot);
      } finally {
        await ours.stop();
      }
    } finally {
      await knot.stop();
    }
  });
}

async function compare(bench: Bench, [file = '']: string[], ours: NameServer, knot: NameServer): Promise<Measured> {
  const perf = await program();
  const sides = [ours, knot].map((server) => asking(bench, perf, server, file)) as [Side, Side];
  return atLeast(0.3, rate, await measured(bench, sides), [
    `dnsperf, ${clients} clients, ${outstanding} questions under way`,
  ]);
}

async function measured(bench: Bench, [ours, peer]: [Side, Side]) {
  for (const side of [ours, peer])
    for (const till = performance.now() + bench.warmUpMs; performance.now() < till; ) await side.round();
  return measurePairs(ours, peer, bench.pairs);
}

async function program(): Promise<string> {
  const found = await dnsperf();
  if (!found.path) throw new Skipped(found.skip);
  return found.path;
}

// Spread over the zone, so that no part of it is in the processor's caches because of an earlier question.
function questions(folder: string, records: number): string {
  const file = join(folder, `questions-${records}`);
  const lines = Array.from({ length: questionCount }, (_, at) => {
    const host = (at * 7919) % (records - 3);
    return at % 10 === 0 ? `absent${host}.${zoneOf(records)} A` : `${nameAt(host, records)} A`;
  });
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

function asking(bench: Bench, perf: string, { port, pid }: NameServer, file: string): Side {
  const seconds = bench.roundMs / 1000;
  const args = ['-s', '127.0.0.1', '-p', String(port), '-d', file, '-l', String(seconds)];
  const load = ['-c', String(clients), '-q', String(outstanding), '-T', '1'];
  return {
    round: () =>
      new Promise<Round>((resolve, reject) => {
        const before = cpuSeconds(pid);
        const child = start('load', perf, [...args, ...load], { stdio: ['ignore', 'pipe', 'ignore'] });
        const others = watchOthers(pid, child.pid ?? 0);
        let foreign = 0;
        const look = setTimeout(() => {
          foreign = others(); // while dnsperf runs: its usage can't be measured afterwards
        }, bench.roundMs * 0.9);
        let said = '';
        child.stdout?.setEncoding('utf8').on('data', (text: string) => {
          said += text;
        });
        child.once('error', reject);
        child.once('close', () => {
          clearTimeout(look);
          const cpu = cpuSeconds(pid) - before;
          const value = Number(/Queries per second:\s+([\d.]+)/.exec(said)?.[1]);
          const completed = Number(/Queries completed:\s+(\d+)/.exec(said)?.[1]);
          const codes = /Response codes:\s+(.+)/.exec(said)?.[1] ?? '';
          if (!(value > 0) || !/^NOERROR .*, NXDOMAIN [^,]*$/.test(codes))
            return reject(new Error(`dnsperf was not answered as it should be: ${codes || said}`));
          return resolve({ value, foreign, ...(cpu > 0 && { perCpuSecond: completed / cpu }) });
        });
      }),
  };
}
