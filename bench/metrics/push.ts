// Samples a second: the same bodies to one server and then to the other, round by round.
import { cpuSeconds, watchOthers } from '../harness/children.ts';
import { atLeast, type Bench, type Figure, grouped, type Measured, time } from '../harness/figure.ts';
import type { RequestReport } from '../harness/orders.ts';
import { measurePairs, type Side } from '../harness/pair.ts';
import { withFolder } from '../harness/region.ts';
import { type BodyFile, makeBodies, seriesEach } from './bodies.ts';
import { openPusher, type Pusher } from './load.ts';
import { type MetricServer, type Opener, openOurs, openPrometheus, openVictoria } from './servers.ts';

export const connections = 8;
const hourMs = 3_600_000;
const samples = (perSecond: number): string => `${grouped(perSecond / 1000)}k/s`;

// `slices` of 2,000 series each.
const push = (name: string, slices: number, least: number, goal: number, other: Opener, peer: string): Figure => ({
  name,
  title: `samples a second by remote write, ${grouped(slices * seriesEach)} series, ${connections} connections, synced`,
  peer: `${peer}, which answers before its data is safe`,
  demanded: `≥ ${least.toFixed(1)}, goal ${goal.toFixed(1)}`,
  measure: (bench) => pushAgainst(bench, slices, least, openOurs, other),
});

const debian = 'Debian’s prometheus';
const victoria = 'Debian’s victoria-metrics';

export const pushFigures: readonly Figure[] = [
  push('push-prometheus', connections, 2, 4, openPrometheus, debian),
  push('push-victoria', connections, 0.6, 1, openVictoria, victoria),
  push('push-victoria-100k', 50, 0.6, 1, openVictoria, victoria),
  {
    name: 'peers',
    title: 'the peers among themselves, to see what the harness measures here: victoria-metrics',
    peer: debian,
    demanded: '',
    measure: async (bench) => ({
      ...(await pushAgainst(bench, connections, 0, openVictoria, openPrometheus)),
      judged: false,
    }),
  },
];

// Enough bodies for the warm-up and for as many rounds as disturbed pairs may need.
async function pushAgainst(bench: Bench, slices: number, least: number, one: Opener, other: Opener): Promise<Measured> {
  return withFolder(async (folder) => {
    const cycles = Math.max(1, Math.round((bench.quick ? 100 : 400) / slices));
    const warm = Math.max(2, cycles);
    const rounds = warm + cycles * 3 * bench.pairs;
    const bodies = makeBodies(`${folder}/bodies`, { slices, rounds, beginMs: Date.now() - 23 * hourMs });
    const pusher = openPusher();
    const first = await one(bench, folder);
    const second = await other(bench, folder);
    try {
      const ours = pushSide(pusher, first, bodies, warm * slices, cycles * slices);
      const peer = pushSide(pusher, second, bodies, warm * slices, cycles * slices);
      await ours.warmUp();
      await peer.warmUp();
      const pairing = await measurePairs(ours, peer, bench.pairs);
      const wrong = [...ours.doubts(), ...peer.doubts()];
      const measured = atLeast(least, samples, pairing, [...notes(bodies, ours.last(), first), ...wrong]);
      return { ...measured, pass: measured.pass && wrong.length === 0 };
    } finally {
      await second.stop();
      await first.stop();
      await pusher.close();
    }
  });
}

function notes(bodies: BodyFile, last: RequestReport | undefined, { name }: MetricServer): string[] {
  const each = Math.round((bodies.offsets.at(-1) ?? 0) / (bodies.offsets.length - 1) / 1000);
  return [
    `a body has ${grouped(seriesEach)} series with six labels, one sample each, ${each} KB after Snappy`,
    `${name}: a push takes ${time(last?.p50Ms ?? 0)}, p99 ${time(last?.p99Ms ?? 0)}`,
  ];
}

interface PushSide extends Side {
  warmUp(): Promise<void>; // registers the series
  last(): RequestReport | undefined;
  doubts(): string[];
}

function pushSide(pusher: Pusher, server: MetricServer, bodies: BodyFile, warm: number, count: number): PushSide {
  const { name, port, pid, push: target } = server;
  const reports: RequestReport[] = [];
  let from = 0;
  const run = async (bodiesNow: number): Promise<RequestReport> => {
    const report = await pusher.run({ port, ...target, bodies, from, count: bodiesNow, connections });
    from += bodiesNow;
    reports.push(report);
    return report;
  };
  return {
    async warmUp() {
      await run(warm);
    },
    async round() {
      const others = watchOthers(pid, pusher.pid);
      const before = cpuSeconds(pid);
      const { perSecond } = await run(count);
      const cpu = cpuSeconds(pid) - before;
      const foreign = others();
      const perCpuSecond = cpu > 0 ? { perCpuSecond: (count * seriesEach) / cpu } : {};
      return { value: perSecond * seriesEach, foreign, ...perCpuSecond };
    },
    last: () => reports.at(-1),
    doubts() {
      const bad = reports.reduce((sum, report) => sum + report.bad, 0);
      const statuses = new Set(reports.flatMap((report) => Object.keys(report.statuses)));
      const busy = Math.max(...reports.map((report) => report.busy));
      return [
        ...(bad ? [`${name}: ${bad} answers were not 2xx (${[...statuses].join(', ')})`] : []),
        ...(busy > 0.97 ? [`${name}: the load generator was at its limit (${Math.round(busy * 100)} %)`] : []),
      ];
    },
  };
}

// All bodies of a file, some at a time.
export async function fillWith(pusher: Pusher, { name, port, push: target }: MetricServer, bodies: BodyFile) {
  const all = bodies.offsets.length - 1;
  const each = bodies.slices * Math.max(1, Math.floor(480 / bodies.slices));
  for (let from = 0; from < all; from += each) {
    const count = Math.min(each, all - from);
    const report = await pusher.run({ port, ...target, bodies, from, count, connections });
    if (report.bad) throw new Error(`${name}: ${report.bad} answers were not 2xx (${JSON.stringify(report.statuses)})`);
  }
  return all * seriesEach;
}
