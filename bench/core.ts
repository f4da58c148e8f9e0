// The suite of core infrastructure: the creation of servers, a large datacenter that is read and deleted, and the
// effect on other clients.
import type { Answer } from './harness/call.ts';
import { cpuSeconds, end, freePort, pause, start, watchOthers } from './harness/children.ts';
import {
  atLeast,
  atMost,
  type Bench,
  type Figure,
  grouped,
  type Measured,
  rate,
  Skipped,
  time,
} from './harness/figure.ts';
import { type Journeys, openTraveller, type Traveller } from './harness/journeys.ts';
import { measurePairs, type Round, type Side } from './harness/pair.ts';
import { motoServer, rawHttp } from './harness/peers.ts';
import { create, finished, type Region, startRegion, withFolder, withRoom } from './harness/region.ts';
import { datacenters, profiled, wish } from './harness/sides.ts';

const small = { name: 'bench', cores: 1, ram: 256 };
const withParts = {
  properties: small,
  entities: {
    volumes: { items: [{ properties: { name: 'disk', type: 'HDD', size: 1, licenceType: 'LINUX' } }] },
    nics: { items: [{ properties: { lan: 1, dhcp: true } }] },
  },
};

const servers: Figure = {
  name: 'servers',
  title: 'servers with a volume and a NIC, created and DONE, 8 connections, --pace 0',
  peer: 'RunInstances of moto_server, whose state is in memory only',
  demanded: '≥ 15',
  async measure(bench) {
    const moto = await motoServer();
    if ('missing' in moto) throw new Skipped(moto.missing);
    const port = await freePort();
    const args = [moto.program, '-H', '127.0.0.1', '-p', String(port)];
    const peer = start('server', moto.python, args, { stdio: 'ignore' });
    const traveller = openTraveller();
    try {
      return await withRegion(bench, ['--pace', '0'], async (region) => {
        const order = {
          port: region.port,
          headers: { Authorization: region.authorization, 'Content-Type': 'application/json' },
          body: JSON.stringify(withParts),
          follow: true,
        };
        // Each round has its own datacenter: one LAN has too few addresses for all of them.
        const ours: Side = {
          async round() {
            const path = `${await addDatacenter(region)}/servers`;
            await create(region, path, withParts);
            return journeySide(bench, traveller, region.pid, 8, { ...order, path }).round();
          },
        };
        const theirs = journeySide(bench, traveller, peer.pid ?? 0, 8, {
          port,
          path: '/',
          headers: motoHeaders,
          body: runInstances,
        });
        await untilAnswered(traveller, port);
        await ours.round();
        await theirs.round();
        return atLeast(15, rate, await measurePairs(ours, theirs, bench.pairs), []);
      });
    } finally {
      await traveller.close();
      await end(peer);
    }
  },
};

// moto looks at the service and region in the signature's scope and not at the signature.
export const motoHeaders = {
  Authorization:
    'AWS4-HMAC-SHA256 Credential=bench/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0',
  'Content-Type': 'application/x-www-form-urlencoded',
};
export const runInstances =
  'Action=RunInstances&Version=2016-11-15&ImageId=ami-12c6146b&MinCount=1&MaxCount=1&InstanceType=t2.micro';

async function untilAnswered(traveller: Traveller, port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      const order = { port, connections: 1, path: '/', headers: motoHeaders, body: runInstances };
      await traveller.run({ ...order, durationMs: 1 });
      return;
    } catch (error) {
      if (tries > 300) throw error;
      await pause(100);
    }
  }
}

function journeySide(
  { roundMs }: Bench,
  traveller: Traveller,
  pid: number,
  connections: number,
  order: Omit<Journeys, 'connections' | 'durationMs'>,
): Side {
  return {
    async round(): Promise<Round> {
      const others = watchOthers(pid, traveller.pid);
      const before = cpuSeconds(pid);
      const { perSecond, done } = await traveller.run({ ...order, connections, durationMs: roundMs });
      return { value: perSecond, perCpuSecond: done / (cpuSeconds(pid) - before), foreign: others() };
    },
  };
}

const deepGet: Figure = {
  name: 'deep-get',
  title: 'GET of a datacenter with 1,000 servers at depth 3, again and again',
  peer: 'raw node:http that makes the same JSON from the object each time',
  demanded: '',
  measure: (bench) =>
    withLandscape(bench, bench.quick ? 100 : 1000, async (region, datacenter) => {
      const path = `${datacenter}?depth=3`;
      const answer = await region.expect(200, { path });
      const raw = await rawHttp('stringify', withLength(answer));
      const traveller = openTraveller();
      try {
        const headers = { Authorization: region.authorization };
        const ours = journeySide(bench, traveller, region.pid, 1, { port: region.port, path, headers });
        const peer = journeySide(bench, traveller, raw.pid, 1, { port: raw.port, path, headers });
        await ours.round();
        await peer.round();
        const uncached = {
          port: region.port,
          path,
          headers,
          numbered: true,
          connections: 1,
          durationMs: bench.roundMs,
        };
        const { perSecond } = await traveller.run(uncached);
        const notes = [
          `an answer has ${grouped(Buffer.byteLength(answer.body))} bytes`,
          `an answer is cached until something of the contract changes; without the cache it takes ${time(1000 / perSecond)}`,
        ];
        return atLeast(0, rate, await measurePairs(ours, peer, bench.pairs), notes);
      } finally {
        await traveller.close();
        await raw.stop();
      }
    }),
};

// A long answer is chunked; the peer sends it in one piece with its length.
const withLength = ({ status, headers, body }: Answer): Answer => ({
  status,
  headers: [
    ...headers.filter((_, at) => !/^(transfer-encoding|content-length)$/i.test(headers[at - (at % 2)] ?? '')),
    'Content-Length',
    String(Buffer.byteLength(body)),
  ],
  body,
});

const duringGet: Figure = {
  name: 'during-get',
  title: 'p99 of other calls while that datacenter is read again and again',
  peer: 'the same while nothing else happens',
  demanded: '',
  measure: (bench) =>
    withLandscape(bench, bench.quick ? 100 : 1000, async (region, datacenter) => {
      const traveller = openTraveller();
      const headers = { Authorization: region.authorization };
      const order = { port: region.port, path: `${datacenter}?depth=3`, headers, connections: 1 };
      const reading = (numbered: boolean) => async () => {
        await traveller.run({ ...order, numbered, durationMs: bench.roundMs });
      };
      try {
        const measured = await others(bench, region, Number.POSITIVE_INFINITY, reading(false), traveller.pid);
        const uncached = await others(
          { ...bench, pairs: 3 },
          region,
          Number.POSITIVE_INFINITY,
          reading(true),
          traveller.pid,
        );
        const note = `without the cache: ${uncached.ours}, ${ratioText(uncached)} times idle`;
        return { ...measured, notes: [...measured.notes, note] };
      } finally {
        await traveller.close();
      }
    }),
};

const ratioText = ({ ratio }: Measured): string => ratio?.median.toFixed(1) ?? '';

const deletion: Figure = {
  name: 'deletion',
  title: 'delete of a datacenter with 10,000 resources',
  peer: 'one with 1,000',
  demanded: '',
  measure: (bench) =>
    withRegion(bench, ['--pace', '0'], async (region) => {
      const [many, few] = bench.quick ? [500, 50] : [10_000, 1000];
      const side = (count: number): Side => ({
        async round() {
          const datacenter = await landscape(region, count);
          const watched = watchOthers(region.pid);
          const from = performance.now();
          await finished(region, await region.expect(202, { method: 'DELETE', path: datacenter }));
          return { value: performance.now() - from, foreign: watched() };
        },
      });
      const pairs = Math.min(bench.pairs, 3);
      return atMost(Number.POSITIVE_INFINITY, time, await measurePairs(side(many), side(few), pairs), [
        `${grouped(many)} and ${grouped(few)}`,
      ]);
    }),
};

const duringDeletion: Figure = {
  name: 'during-deletion',
  title: 'p99 of other calls while a datacenter with 10,000 resources is deleted',
  peer: 'the same while nothing else happens',
  demanded: '≤ 6.0',
  measure: (bench) =>
    withRegion(bench, ['--pace', '0'], async (region) => {
      const count = bench.quick ? 500 : 10_000;
      const prepare = () => landscape(region, count);
      const remove = async (datacenter: string): Promise<void> =>
        finished(region, await region.expect(202, { method: 'DELETE', path: datacenter }));
      return others({ ...bench, pairs: Math.min(bench.pairs, 3) }, region, 6, remove, 0, prepare);
    }),
};

export const coreFigures: readonly Figure[] = [servers, deepGet, duringGet, deletion, duringDeletion];

// The effect on other clients: GETs of one datacenter, one after another on a few connections.
async function others(
  bench: Bench,
  region: Region,
  most: number,
  work: (prepared: string) => Promise<void>,
  workerPid: number,
  prepare: () => Promise<string> = () => Promise.resolve(''),
): Promise<Measured> {
  const path = await addDatacenter(region);
  const load = { port: region.port, connections: 8, requests: [region.text({ path })], warmMs: 0 };
  const p99 = async (durationMs: number): Promise<Round> => {
    const watched = watchOthers(region.pid, bench.loader.pid, ...(workerPid ? [workerPid] : []));
    const { p99Ms, bad } = await bench.loader.run({ ...load, durationMs });
    if (bad > 0) throw new Error(`${bad} of the other calls failed`);
    return { value: p99Ms, foreign: watched() };
  };
  const ours: Side = {
    async round() {
      const prepared = await prepare();
      const working = work(prepared);
      const measured = await p99(bench.roundMs);
      await working;
      return measured;
    },
  };
  const peer: Side = { round: () => p99(bench.roundMs) };
  await ours.round();
  await peer.round();
  return atMost(most, time, await measurePairs(ours, peer, bench.pairs), []);
}

async function addDatacenter(region: Region): Promise<string> {
  return `${datacenters}/${await create(region, datacenters, wish)}`;
}

// A datacenter with this number of resources: servers, each with a volume and a NIC, and their LAN.
async function landscape(region: Region, resources: number): Promise<string> {
  const datacenter = await addDatacenter(region);
  const path = `${datacenter}/servers`;
  await create(region, path, withParts);
  let left = Math.ceil(resources / 3) - 1;
  const one = async (): Promise<void> => {
    while (left-- > 0) await create(region, path, withParts);
  };
  await Promise.all(Array.from({ length: 16 }, one));
  return datacenter;
}

const withLandscape = (
  bench: Bench,
  count: number,
  use: (region: Region, datacenter: string) => Promise<Measured>,
): Promise<Measured> =>
  withRegion(bench, ['--pace', '0'], async (region) => use(region, await landscape(region, count * 3)));

function withRegion(bench: Bench, more: string[], use: (region: Region) => Promise<Measured>): Promise<Measured> {
  return withFolder(async (data) => {
    const region = await startRegion({ data, more, ...profiled(bench) });
    try {
      return await use(await withRoom(region, data));
    } finally {
      await region.stop();
    }
  });
}
