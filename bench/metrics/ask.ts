// Questions over 2,000 series of an hour and of a day, against the faster of the peers; and what the same samples take
// on the disk. The servers are filled once for all of these figures.
import { call } from '../harness/call.ts';
import { watchOthers } from '../harness/children.ts';
import { atMost, type Bench, type Figure, grouped, type Measured, time } from '../harness/figure.ts';
import { measurePairs, type Round, type Side, spread } from '../harness/pair.ts';
import { withFolder } from '../harness/region.ts';
import { everyMs, type Mix, makeBodies } from './bodies.ts';
import { openPusher, type Pusher } from './load.ts';
import { fillWith } from './push.ts';
import { bytesIn, type MetricServer, openOurs, openPrometheus, openVictoria } from './servers.ts';

const hourMs = 3_600_000;
const roundMs = 1000;

const queries = {
  rate: 'sum by (job) (rate(http_requests_total[5m]))',
  plain: 'process_load',
  quantile: 'quantile by (job) (0.9, process_load)',
};
const spans = { '1h': { lengthMs: hourMs, step: '15' }, '24h': { lengthMs: 24 * hourMs, step: '60' } };

type Name = `query-${keyof typeof spans}-${keyof typeof queries}` | 'disk';

const questions = Object.entries(spans).flatMap(([span, { lengthMs, step }]) =>
  Object.entries(queries).map(([kind, query]) => ({ name: `query-${span}-${kind}` as Name, query, lengthMs, step })),
);

export const askFigures: readonly Figure[] = [
  ...questions.map(
    ({ name, query, lengthMs, step }): Figure => ({
      name,
      title: `query_range of ${query} over ${lengthMs / hourMs} h of 2,000 series, a point every ${step} s`,
      peer: 'the faster one of Debian’s prometheus and victoria-metrics',
      demanded: '≤ 2.0, goal 1.0',
      measure: (bench) => figureOf(bench, name),
    }),
  ),
  {
    name: 'disk',
    title: 'bytes on the disk a sample, 2,000 counters and 2,000 gauges of a day',
    peer: 'Debian’s victoria-metrics after its merges',
    demanded: '≤ 2.0, goal 1.2',
    measure: (bench) => figureOf(bench, 'disk'),
  },
];

let all: Promise<Map<Name, Measured>> | undefined;

async function figureOf(bench: Bench, name: Name): Promise<Measured> {
  all ??= withFolder((folder) => measureAll(bench, folder));
  const measured = (await all).get(name);
  if (!measured) throw new Error(`${name} was not measured`);
  return measured;
}

const mixed = (slice: number): Mix => (slice === 0 ? 'counters' : 'gauges');

async function measureAll(bench: Bench, folder: string): Promise<Map<Name, Measured>> {
  const rounds = (bench.quick ? 2 : 24) * (hourMs / everyMs) + 1;
  const endMs = Date.now() - 5 * 60_000;
  const beginMs = endMs - (rounds - 1) * everyMs;
  const bodies = makeBodies(`${folder}/bodies`, { slices: 2, rounds, beginMs, mix: mixed });
  const pusher = openPusher();
  const servers: MetricServer[] = [];
  const stopAll = async (): Promise<void> => {
    for (const server of servers.splice(0)) await server.stop();
  };
  try {
    for (const open of [openOurs, openPrometheus, openVictoria]) servers.push(await open(bench, folder));
    let samples = 0;
    for (const server of servers) samples = await fillWith(pusher, server, bodies);
    for (const server of servers) await server.settle();
    const measured = new Map<Name, Measured>();
    for (const { name, query, lengthMs, step } of questions) {
      const [start, end] = [endMs - lengthMs, endMs].map((ms) => (ms / 1000).toFixed(3)) as [string, string];
      measured.set(name, await ask(bench, pusher, servers, { query, start, end, step }));
    }
    const stopped = [...servers];
    await stopAll();
    return measured.set('disk', diskOf(stopped, samples));
  } finally {
    await stopAll();
    await pusher.close();
  }
}

async function ask(
  bench: Bench,
  pusher: Pusher,
  [ours, ...peers]: readonly MetricServer[],
  parameters: Record<string, string>,
): Promise<Measured> {
  if (!ours) throw new Error('no server to query');
  const mine = await askSide(pusher, ours, parameters);
  const theirs: AskSide[] = [];
  for (const peer of peers) theirs.push(await askSide(pusher, peer, parameters));
  const [faster] = theirs.sort((one, other) => one.probe - other.probe);
  if (!faster) throw new Error('no peer to compare with');
  const pairing = await measurePairs(mine, faster, Math.min(bench.pairs, 5));
  const others = theirs.map(({ name, probe, bytes }) => `${name} ${time(probe)}, ${grouped(bytes)} bytes`);
  return atMost(2, time, pairing, [`an answer of ours has ${grouped(mine.bytes)} bytes; ${others.join('; ')}`]);
}

interface AskSide extends Side {
  name: string;
  probe: number; // ms of one, seen before
  bytes: number;
}

// As many in a round as fit into about a second.
async function askSide(
  pusher: Pusher,
  { name, port, pid, query }: MetricServer,
  parameters: Record<string, string>,
): Promise<AskSide> {
  const text = query(parameters);
  const path = text.slice(4, text.indexOf(' ', 4));
  const authorization = /\r\nAuthorization: (.+)\r\n/.exec(text)?.[1];
  const { status, body } = await call(port, { path, ...(authorization ? { authorization } : {}) });
  if (status !== 200 || !body.includes('"values"')) throw new Error(`${name}: ${status} ${body.slice(0, 300)}`);
  const one = async (count: number): Promise<number> => {
    const report = await pusher.run({ port, text, count, connections: 1 });
    if (report.bad) throw new Error(`${name}: ${JSON.stringify(report.statuses)}`);
    return report.tookMs / count;
  };
  const probes = [await one(1), await one(1), await one(1)];
  const probe = spread(probes).median;
  const count = Math.max(1, Math.min(50, Math.round(roundMs / probe)));
  return {
    name,
    probe,
    bytes: Buffer.byteLength(body),
    async round(): Promise<Round> {
      const others = watchOthers(pid, pusher.pid);
      const value = await one(count);
      return { value, foreign: others() };
    },
  };
}

function diskOf(servers: readonly MetricServer[], samples: number): Measured {
  const each = new Map(servers.map(({ name, folder }) => [name, bytesIn(folder) / samples]));
  const ours = each.get('ours') ?? Number.NaN;
  const peer = each.get('victoria-metrics') ?? Number.NaN;
  const shown = (bytes: number): string => `${bytes.toFixed(2)} B`;
  const prometheus = each.get('prometheus') ?? Number.NaN;
  return {
    ours: shown(ours),
    peer: shown(peer),
    ratio: spread([ours / peer]),
    pass: ours / peer <= 2,
    notes: [`${grouped(samples)} samples, after all servers ended; prometheus: ${shown(prometheus)}`],
  };
}
