// The waiting times of test suites: for a fresh region, and for a reset. Against moto, whose state is in memory.
import { join } from 'node:path';
import { startTime } from '../api/start.ts';
import { motoHeaders, runInstances } from '../core.ts';
import { call } from '../harness/call.ts';
import { end, freePort, pause, start, watchOthers } from '../harness/children.ts';
import { atMost, type Figure, type Measured, Skipped, time } from '../harness/figure.ts';
import { fill } from '../harness/fill.ts';
import { measurePairs, type Side, spread } from '../harness/pair.ts';
import { motoServer } from '../harness/peers.ts';
import { create, type Region, spawnRegion, startRegion, withFolder } from '../harness/region.ts';
import { openCallLoader } from '../objects/load.ts';
import { bucket, makeBucket, storageOf } from '../objects/servers.ts';

export const kitNote =
  'a restore stops the region and starts it again in the same process; what moto has loaded decides how long its reset ' +
  'takes: with a bucket of S3 alone it took 15 ms, and ours 96 ms';

const workLimitMs = 60_000;
const datacenters = '/cloudapi/v6/datacenters';
const datacenter = { properties: { name: 'bench', location: 'de/txl' } };

const fresh: Figure = {
  name: 'fresh',
  title: 'a fresh region to its first answer',
  peer: 'moto_server to its first answer',
  demanded: '≤ 1.0',
  async measure(bench) {
    const moto = await motoProgram();
    return withFolder(async (folder) => {
      let count = 0;
      const ours: Side = {
        round: () =>
          startTime('/ready', /^HTTP\/1\.1 200 /, (port) =>
            spawnRegion({ data: join(folder, String(count++)), pace: '0' }, port),
          ),
      };
      const peer: Side = { round: () => startTime('/', /^HTTP\/1\.1 \d/, (port) => spawnMoto(moto, port)) };
      await ours.round(); // makes the compile cache …
      await peer.round(); // … and Python its own
      return atMost(1, time, await measurePairs(ours, peer, bench.pairs), []);
    });
  },
};

const reset: Figure = {
  name: 'reset',
  title: 'reset: all is as it was at the start, and answers',
  peer: '/moto-api/reset of an EC2 instance, in memory',
  demanded: '≤ 1.0',
  measure: (bench) =>
    withBoth(async (region, moto) => {
      await work(region, '/lab/savepoints', { name: 'start' });
      const ours: Side = {
        async round() {
          await create(region, datacenters, datacenter);
          return timed(region.pid, () => work(region, '/lab/savepoints/start/restore'));
        },
      };
      return atMost(1, time, await measurePairs(ours, resetSide(moto), bench.pairs), []);
    }),
};

const contract: Figure = {
  name: 'contract',
  title: 'a fresh contract, which is what parallel tests use',
  peer: '/moto-api/reset of an EC2 instance, in memory',
  demanded: '≤ 1.0',
  measure: (bench) =>
    withBoth(async (region, moto) => {
      const ours: Side = {
        async round() {
          await create(region, datacenters, datacenter);
          return timed(region.pid, () => region.expect(201, { method: 'POST', path: '/lab/contracts' }));
        },
      };
      return atMost(1, time, await measurePairs(ours, resetSide(moto), bench.pairs), []);
    }),
};

const suiteMost = 5000;
const suiteTests = 200;

const suite: Figure = {
  name: 'suite',
  title: `what ${suiteTests} tests with a contract each wait for: a fresh region, the contracts in parallel, the end`,
  peer: 'nothing',
  demanded: `≤ ${suiteMost} ms`,
  measure: (bench) =>
    withFolder(async (folder): Promise<Measured> => {
      const times: number[] = [];
      for (let round = 0; round < bench.pairs; round++) {
        const from = performance.now();
        const region = await startRegion({ data: join(folder, String(round)), pace: '0' });
        const contracts = Array.from({ length: suiteTests }, () =>
          region.expect(201, { method: 'POST', path: '/lab/contracts' }),
        );
        await Promise.all(contracts);
        await region.stop();
        times.push(performance.now() - from);
      }
      const { median, min, max } = spread(times);
      return { ours: time(median), peer: '', pass: median <= suiteMost, notes: [`${time(min)} to ${time(max)}`] };
    }),
};

const restoreMost = 300;

const restore: Figure = {
  name: 'restore',
  title: 'restore with 100,000 resources and 1 GB in files that never change',
  peer: 'nothing',
  demanded: `≤ ${restoreMost} ms`,
  measure: (bench) =>
    withFolder(async (folder): Promise<Measured> => {
      await fill({ resources: bench.quick ? 1000 : 100_000 }, folder);
      const region = await startRegion({ data: folder });
      try {
        await putObjects(region, bench.quick ? 16 : 1024);
        await work(region, '/lab/savepoints', { name: 'full' });
        const times: number[] = [];
        const offline: number[] = [];
        for (let round = 0; round < bench.pairs; round++) {
          await create(region, datacenters, datacenter);
          const done = await work(region, '/lab/savepoints/full/restore');
          times.push(done.tookMs);
          offline.push(done.offlineMs);
        }
        const [took, off] = [spread(times), spread(offline)];
        return {
          ours: time(took.median),
          peer: '',
          pass: took.median <= restoreMost,
          notes: [
            `${time(took.min)} to ${time(took.max)}`,
            `no call is answered for ${time(off.median)} of it`,
            'the state is one file, which is copied; without copy-on-write in the file system that takes most of the time',
          ],
        };
      } finally {
        await region.stop();
      }
    }),
};

export const kitFigures: readonly Figure[] = [fresh, reset, contract, suite, restore];

interface Moto {
  python: string;
  program: string;
}

async function motoProgram(): Promise<Moto> {
  const moto = await motoServer();
  if ('missing' in moto) throw new Skipped(moto.missing);
  return moto;
}

const spawnMoto = ({ python, program }: Moto, port: number) =>
  start('server', python, [program, '-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });

interface RunningMoto {
  port: number;
  pid: number;
}

async function withBoth<T>(measure: (region: Region, moto: RunningMoto) => Promise<T>): Promise<T> {
  const moto = await motoProgram();
  const port = await freePort();
  const child = spawnMoto(moto, port);
  try {
    return await withFolder(async (data) => {
      const region = await startRegion({ data, pace: '0' });
      try {
        for (;;) if ((await call(port, { path: '/moto-api/' }).catch(() => undefined))?.status === 200) break;
        return await measure(region, { port, pid: child.pid ?? 0 });
      } finally {
        await region.stop();
      }
    });
  } finally {
    await end(child);
  }
}

// Something is there before each reset, as in a test suite.
const resetSide = ({ port, pid }: RunningMoto): Side => ({
  async round() {
    await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: motoHeaders, body: runInstances });
    return timed(pid, () => call(port, { method: 'POST', path: '/moto-api/reset' }));
  },
});

async function timed(pid: number, does: () => Promise<unknown>): Promise<{ value: number; foreign: number }> {
  const others = watchOthers(pid);
  const from = performance.now();
  await does();
  return { value: performance.now() - from, foreign: others() };
}

interface Done {
  id: string;
  state: string;
  message?: string;
  tookMs: number;
  offlineMs: number;
}

// Like the kits: requests it, then polls until the region reports that it is done.
async function work(region: Region, path: string, body?: object): Promise<Done> {
  const begun = await region.expect(202, { method: 'POST', path, ...(body && { body }) });
  const { id } = JSON.parse(begun.body) as Done;
  const until = performance.now() + workLimitMs;
  while (performance.now() < until) {
    const answer = await region.call({ path: '/lab/savepoints' }).catch(() => undefined); // it is stopped for a moment
    const last = answer?.status === 200 ? (JSON.parse(answer.body) as { last?: Done }).last : undefined;
    if (last?.id === id && last.state === 'DONE') return last;
    if (last?.id === id && last.state === 'FAILED') throw new Error(last.message);
    await pause(1);
  }
  throw new Error(`${path} did not end within ${workLimitMs / 1000} s`);
}

// In objects of 16 MB, each in one file.
async function putObjects(region: Region, megabytes: number): Promise<void> {
  const server = await storageOf(region);
  await makeBucket(server, bucket);
  const loader = openCallLoader();
  try {
    const { port, credentials } = server;
    const order = { port, credentials, path: `/${bucket}/@`, numbers: { from: 0 }, connections: 2 };
    const size = { bytes: 16 * 1024 * 1024, isLong: true, count: megabytes / 16 };
    const { bad } = await loader.run({ ...order, ...size, method: 'PUT' });
    if (bad > 0) throw new Error(`${bad} objects were not put`);
  } finally {
    await loader.close();
  }
}
