// The effect of heavy queries on other clients: a push and a GET at a steady pace while a day of 2,000 series is
// queried repeatedly, against the same on an idle region.
import { watchOthers } from '../harness/children.ts';
import { atMost, type Bench, type Figure, grouped, type Measured, time } from '../harness/figure.ts';
import { openTraveller, type Traveller } from '../harness/journeys.ts';
import { measurePairs, type Pairing, type Round } from '../harness/pair.ts';
import { create, withFolder } from '../harness/region.ts';
import { datacenters, wish } from '../harness/sides.ts';
import { mixed } from './ask.ts';
import { type BodyFile, everyMs, makeBodies } from './bodies.ts';
import { type Asking, openPusher, type Pusher, type Pushing } from './load.ts';
import { connections, fillWith } from './push.ts';
import { type MetricServer, openOurs } from './servers.ts';

const hourMs = 3_600_000;
const pushEveryMs = 25;
const getEveryMs = 5;
const heavy = 'sum by (job) (rate(http_requests_total[5m]))';

export const duringFigures: readonly Figure[] = [
  {
    name: 'push-during',
    title: `p99 of a push of 2,000 samples, one every ${pushEveryMs} ms, while ${heavy} over 24 h is asked for`,
    peer: 'the same while nothing else happens',
    demanded: '≤ 3.0, goal 1.5',
    measure: (bench) => during(bench, pushOrders, 3),
  },
  {
    name: 'get-during',
    title: `p99 of a GET of a datacenter, one every ${getEveryMs} ms, while the same is asked for`,
    peer: 'the same while nothing else happens',
    demanded: '≤ 5.0',
    measure: (bench) => during(bench, getOrders, 5),
  },
];

type Orders = (server: MetricServer, fresh: BodyFile, durationMs: number) => Promise<() => Pushing | Asking>;

const pushOrders: Orders = async ({ port, push }, fresh, durationMs) => {
  const count = Math.floor(durationMs / pushEveryMs / fresh.slices) * fresh.slices;
  let from = 0;
  return () => {
    const order = { port, ...push, bodies: fresh, from, count, connections, everyMs: pushEveryMs };
    from += count;
    return order;
  };
};

const getOrders: Orders = async ({ port, region }, _, durationMs) => {
  if (!region) throw new Error('this needs a region');
  const text = region.text({ path: `${datacenters}/${await create(region, datacenters, wish)}` });
  return () => ({ port, text, count: Math.floor(durationMs / getEveryMs), connections, everyMs: getEveryMs });
};

async function during(bench: Bench, ordersOf: Orders, most: number): Promise<Measured> {
  return withFolder(async (folder) => {
    const rounds = (bench.quick ? 2 : 24) * (hourMs / everyMs);
    const durationMs = bench.quick ? 2000 : 6000;
    const pairs = Math.min(bench.pairs, 5);
    const endMs = Date.now() - hourMs;
    const beginMs = endMs - rounds * everyMs;
    const day = makeBodies(`${folder}/day`, { slices: 2, rounds, beginMs, mix: mixed });
    // Pushes during the measurement continue after the day, in separate series.
    const more = Math.ceil(((durationMs / pushEveryMs) * (6 * pairs + 4)) / connections);
    const fresh = makeBodies(`${folder}/fresh`, { slices: connections, rounds: more, beginMs: endMs - 12 * hourMs });
    const pusher = openPusher();
    const traveller = openTraveller();
    const server = await openOurs(bench, folder);
    try {
      await fillWith(pusher, server, day);
      await server.settle();
      const next = await ordersOf(server, fresh, durationMs);
      const [pairing, queries] = await felt(
        pairs,
        server,
        pusher,
        traveller,
        next,
        durationMs,
        (endMs - 24 * hourMs) / 1000,
      );
      return atMost(most, time, pairing, [
        `${grouped(queries)} heavy queries were answered in that time, one after the other`,
      ]);
    } finally {
      await server.stop();
      await traveller.close();
      await pusher.close();
    }
  });
}

async function felt(
  pairs: number,
  server: MetricServer,
  pusher: Pusher,
  traveller: Traveller,
  next: () => Pushing | Asking,
  durationMs: number,
  fromSeconds: number,
): Promise<[Pairing, queries: number]> {
  const p99 = async (): Promise<Round> => {
    const others = watchOthers(server.pid, pusher.pid, traveller.pid);
    const { p99Ms, bad, statuses } = await pusher.run(next());
    if (bad) throw new Error(`${bad} calls failed: ${JSON.stringify(statuses)}`);
    return { value: p99Ms, foreign: others() };
  };
  let queryCount = 0;
  const ours = {
    async round(): Promise<Round> {
      const span = { start: String(fromSeconds), end: String(fromSeconds + 86_400), step: '60' };
      const text = server.query({ query: heavy, ...span });
      const path = text.slice(4, text.indexOf(' ', 4));
      const headers = { Authorization: /\r\nAuthorization: (.+)\r\n/.exec(text)?.[1] ?? '' };
      const asking = traveller.run({ port: server.port, path, headers, numbered: true, connections: 1, durationMs });
      const round = await p99();
      queryCount += (await asking).done;
      return round;
    },
  };
  const idle = { round: p99 };
  await idle.round();
  await ours.round();
  queryCount = 0;
  const pairing = await measurePairs(ours, idle, pairs);
  return [pairing, queryCount];
}
