// Lists of a prefix: in a bucket with a million objects, and in one with a thousand. The objects are not put one by
// one: the row of one object that was put is multiplied under other keys, by the state engine itself.
import { join } from 'node:path';
import type { Row, StateEngine } from '../../src/core/state/engine.ts';
import { type ObjectVersion, versionOf } from '../../src/objects/metadata/version.ts';
import { cpuSeconds, watchOthers } from '../harness/children.ts';
import { atMost, type Bench, type Figure, grouped, type Measured, time } from '../harness/figure.ts';
import { Queue, withEngine } from '../harness/fill.ts';
import type { RequestReport } from '../harness/orders.ts';
import { measurePairs, type Side } from '../harness/pair.ts';
import { startRegion, withFolder } from '../harness/region.ts';
import { profiled } from '../harness/sides.ts';
import { type CallLoader, numbered, openCallLoader } from './load.ts';
import { makeBucket, type ObjectServer, storageOf } from './servers.ts';

const most = 2;
const perPrefix = 100;
const [large, small] = [1_000_000, 1_000];

export const list: Figure = {
  name: 'list',
  title: `LIST of a random prefix of ${perPrefix} objects in a bucket of ${grouped(large)}, one at a time`,
  peer: `the same in a bucket of ${grouped(small)}`,
  demanded: `≤ ${most.toFixed(1)}`,
  measure: (bench) =>
    withFolder(async (folder): Promise<Measured> => {
      const data = join(folder, 'ours');
      const buckets = { large: bench.quick ? 20_000 : large, small };
      await prepare(data, Object.keys(buckets));
      await withEngine(data, async (engine) => {
        const rows = await engine.range('object', { below: '', limit: 1000 });
        for (const [name, objects] of Object.entries(buckets)) await multiply(engine, rows, name, objects);
      });
      const loader = openCallLoader();
      const region = await startRegion({ data, ...profiled(bench) });
      try {
        const server = await storageOf(region);
        const sides = Object.entries(buckets).map(([name, objects]) => listSide(bench, loader, server, name, objects));
        const [ours, peer] = sides as [ListSide, ListSide];
        await ours.warmUp();
        await peer.warmUp();
        const pairing = await measurePairs(ours, peer, bench.pairs);
        const bad = [...ours.reports, ...peer.reports].reduce((sum, report) => sum + report.bad, 0);
        const notes = [`${grouped(buckets.large)} objects, imported through the state engine`];
        if (bad > 0) notes.push(`${bad} answers were not 2xx`);
        const measured = atMost(most, time, pairing, notes);
        return { ...measured, pass: measured.pass && bad === 0 };
      } finally {
        await region.stop();
        await loader.close();
      }
    }),
};

const keyTemplate = `folder-@/`;

// Each bucket has one object, as the region itself puts it.
async function prepare(data: string, names: string[]): Promise<void> {
  const loader = openCallLoader();
  const region = await startRegion({ data });
  try {
    const server = await storageOf(region);
    const { port, credentials } = server;
    for (const name of names) {
      await makeBucket(server, name);
      const order = { port, credentials, path: `/${name}/sample`, numbers: { from: 0 }, connections: 1, count: 1 };
      const { bad } = await loader.run({ ...order, method: 'PUT', bytes: 4096 });
      if (bad > 0) throw new Error('the sample was not put');
    }
  } finally {
    await region.stop();
    await loader.close();
  }
}

async function multiply(engine: StateEngine, rows: Row[], name: string, objects: number): Promise<void> {
  const bucket = rows.find(({ kind, id }) => kind === 'bucket' && id === name);
  const { id: bucketId } = JSON.parse(bucket?.body ?? '{}') as { id?: string };
  const sample = rows.find(({ kind, place }) => kind === 'object' && place === `${bucketId}/objects`);
  if (!bucket || !sample) throw new Error(`the bucket ${name} has no sample`);
  const version = versionOf(sample);
  const queue = new Queue(engine);
  for (let n = 0; n < objects; n++) {
    const key = `${numbered(keyTemplate, Math.floor(n / perPrefix))}${String(n % perPrefix).padStart(3, '0')}.bin`;
    await queue.add({ op: 'insert', table: 'object', row: renamed(sample, version, key) });
  }
  const { contract } = bucket;
  await queue.add({ op: 'count', contract, name: `objects in ${name}`, add: objects });
  await queue.add({ op: 'count', contract, name: `object bytes in ${name}`, add: objects * version.size });
  await queue.end();
}

const renamed = (row: Row, version: ObjectVersion, key: string): Row => ({
  ...row,
  id: key,
  version: 1,
  body: JSON.stringify({ ...version, key }),
});

interface ListSide extends Side {
  reports: RequestReport[];
  warmUp(): Promise<void>;
}

function listSide(bench: Bench, loader: CallLoader, server: ObjectServer, name: string, objects: number): ListSide {
  const reports: RequestReport[] = [];
  let seed = 1;
  const run = async (durationMs: number): Promise<RequestReport> => {
    const { port, credentials } = server;
    const path = `/${name}?list-type=2&prefix=${encodeURIComponent(keyTemplate).replace('%40', '@')}`;
    const numbers = { below: objects / perPrefix, seed: seed++ };
    const order = { port, path, numbers, connections: 1, durationMs, ...(credentials && { credentials }) };
    const report = await loader.run({ ...order, method: 'GET' });
    reports.push(report);
    return report;
  };
  return {
    reports,
    async warmUp() {
      await run(bench.warmUpMs);
    },
    async round() {
      const others = watchOthers(server.pid, loader.pid);
      const before = cpuSeconds(server.pid);
      const { p50Ms, done } = await run(bench.roundMs);
      const cpu = cpuSeconds(server.pid) - before;
      return { value: p50Ms, foreign: others(), ...(cpu > 0 ? { perCpuSecond: done / cpu } : {}) };
    },
  };
}
