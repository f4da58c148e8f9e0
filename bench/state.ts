// The state suite: what PostgreSQL costs against the embedded engine, and what more nodes bring.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '../src/core/state/postgres/engine.ts';
import { openSqlite } from '../src/core/state/sqlite/engine.ts';
import { type PostgresServer, startPostgres } from '../src/testing/postgres.ts';
import { cores, family } from './harness/children.ts';
import type { Bench, Figure, Measured } from './harness/figure.ts';
import { grouped } from './harness/figure.ts';
import { fill } from './harness/fill.ts';
import { create, type Region, startRegion, withFolder } from './harness/region.ts';
import { datacenters, getSide, pair, postSide, profiled, randomSide, wish } from './harness/sides.ts';

export const placementNote =
  'regions on one core, PostgreSQL and the load generator on the other; PostgreSQL with fsync and synchronous_commit';

const postPostgres: Figure = {
  name: 'post-postgres',
  title: 'durable POST of a datacenter on PostgreSQL; 50 connections',
  peer: 'the same on SQLite',
  demanded: '≥ 0.25',
  measure: (bench) =>
    withBoth(bench, async ({ ours, peer, pids }) => {
      const posts = await postSide(bench, ours, { more: pids });
      const others = await postSide(bench, peer, { more: pids });
      return posts.checked(await pair(bench, posts.side, others.side, 0.25, []));
    }),
};

const getPostgres: Figure = {
  name: 'get-postgres',
  title: 'authenticated GET of one datacenter on PostgreSQL, bytes that are remembered',
  peer: 'the same on SQLite',
  demanded: '≥ 0.40',
  measure: (bench) =>
    withBoth(bench, async ({ ours, peer, pids }) => {
      const side = async (region: Region) =>
        getSide(bench, region, `${datacenters}/${await create(region, datacenters, wish)}`, { more: pids });
      return pair(bench, await side(ours), await side(peer), 0.4, []);
    }),
};

// CPU per call on several nodes: 1 / the ratio by the servers' own CPU time, PostgreSQL included.
const nodesFigure = (name: string, count: number, word: string, connections = 50): Figure => ({
  name,
  title: `durable POST on ${word} nodes of one PostgreSQL, ${connections} connections in all`,
  peer: 'the same on one, 50 connections',
  demanded: '',
  measure: (bench) =>
    withPostgres(({ url, pids }) =>
      withFolder(async (folder) => {
        const state = ['--state', schema(url, 'several'), '--key', join(folder, 'region.key')];
        const alone = ['--state', schema(url, 'one')];
        const first = await startRegion({ data: join(folder, 'node-1'), more: state, core: 'any', ...profiled(bench) });
        const others: Region[] = [];
        while (others.length + 1 < count) {
          const data = join(folder, `node-${others.length + 2}`);
          others.push(await startRegion({ data, more: state, core: 'any', owner: first.owner }));
        }
        const single = await startRegion({ data: join(folder, 'single'), more: alone, core: 'any' });
        try {
          const also = others.map(({ pid }) => pid);
          const ours = await postSide(bench, first, { more: pids, also, others, connections });
          const peer = await postSide(bench, single, { more: pids });
          return await ours.checked(await pair(bench, ours.side, peer.side, 0, ['nothing is pinned']));
        } finally {
          for (const region of [first, ...others, single]) await region.stop();
        }
      }),
    ),
});

const twoNodes = nodesFigure('two-nodes', 2, 'two');
const threeNodes = nodesFigure('three-nodes', 3, 'three');
const threeFull = nodesFigure('three-nodes-full', 3, 'three', 150); // as many for each node as the single one has

const randomPostgres: Figure = {
  name: 'random-postgres',
  title: 'GET by random id among 1,000,000 resources on PostgreSQL',
  peer: 'the same among 1,000',
  demanded: '',
  measure: (bench) =>
    withPostgres(({ url, pids }) =>
      withFolder(async (folder) => {
        const many = bench.quick ? 20_000 : 1_000_000;
        const big = await filled(join(folder, 'big'), schema(url, 'big'), many);
        const small = await filled(join(folder, 'small'), schema(url, 'small'), 1000);
        try {
          const ours = randomSide(bench, big.region, big.paths, { more: pids });
          const peer = randomSide(bench, small.region, small.paths, { more: pids });
          return await pair(bench, ours, peer, 0, [`${grouped(many)} resources`]);
        } finally {
          await big.region.stop();
          await small.region.stop();
        }
      }),
    ),
};

export const stateFigures: readonly Figure[] = [
  postPostgres,
  getPostgres,
  randomPostgres,
  twoNodes,
  threeNodes,
  threeFull,
];

interface Database {
  url: string;
  pids: () => number[];
}

async function withPostgres(use: (database: Database) => Promise<Measured>): Promise<Measured> {
  const core = cores[1];
  const server: PostgresServer = await startPostgres(
    core === undefined ? {} : { before: ['taskset', '-c', String(core)] },
  );
  try {
    return await use({ url: server.url, pids: () => family(server.pid()) });
  } finally {
    await server.stop();
  }
}

function withBoth(
  bench: Bench,
  use: (both: { ours: Region; peer: Region; pids: () => number[] }) => Promise<Measured>,
): Promise<Measured> {
  return withPostgres(({ url, pids }) =>
    withFolder(async (folder) => {
      const more = ['--state', schema(url, 'bench')];
      const ours = await startRegion({ data: join(folder, 'postgres'), more, ...profiled(bench) });
      const peer = await startRegion({ data: join(folder, 'sqlite') });
      try {
        return await use({ ours, peer, pids });
      } finally {
        await ours.stop();
        await peer.stop();
      }
    }),
  );
}

// A folder that was filled for SQLite, its state moved to PostgreSQL.
async function filled(data: string, state: string, resources: number): Promise<{ region: Region; paths: string }> {
  const paths = await fill({ resources }, data);
  const from = await openSqlite({ folder: data, now: Date.now });
  const to = await openPostgres({ url: state });
  try {
    await to.load(from.dump(), false);
  } finally {
    await from.close();
    await to.close();
  }
  for (const name of ['state.db', 'state.db-wal', 'state.db-shm']) rmSync(join(data, name), { force: true });
  return { region: await startRegion({ data, more: ['--state', state] }), paths };
}

function schema(url: string, name: string): string {
  const named = new URL(url);
  named.searchParams.set('schema', name);
  return named.href;
}
