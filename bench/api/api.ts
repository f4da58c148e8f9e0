// The API suite: what the surface, the state and the audit cost, against servers that do nothing else.

import { type Answer, requestText } from '../harness/call.ts';
import { type Bench, type Figure, grouped, type Measured } from '../harness/figure.ts';
import { fill } from '../harness/fill.ts';
import { rawHttp } from '../harness/peers.ts';
import { create, finished, type Region, startRegion, withFolder } from '../harness/region.ts';
import {
  connections,
  datacenters,
  getSide,
  pair,
  post,
  postSide,
  profiled,
  randomSide,
  rawSide,
  wish,
} from '../harness/sides.ts';
import { memory } from './memory.ts';
import { start, startWithResources } from './start.ts';

const getOne: Figure = {
  name: 'get-one',
  title: 'authenticated GET of one datacenter',
  peer: 'raw node:http that writes the same bytes',
  demanded: '≥ 0.50',
  measure: (bench) =>
    withRegion(bench, async (region) => {
      const path = `${datacenters}/${await create(region, datacenters, wish)}`;
      return againstRaw(bench, region, path, 'bytes', 0.5);
    }),
};

const getPage: Figure = {
  name: 'get-page',
  title: 'GET of a page of 100 at depth 1',
  peer: 'raw node:http that makes the same JSON from the object each time',
  demanded: '≥ 0.50',
  measure: (bench) =>
    withRegion(bench, async (region) => {
      for (let n = 0; n < 120; n++) await create(region, datacenters, wish);
      return againstRaw(bench, region, `${datacenters}?depth=1&limit=100`, 'stringify', 0.5);
    }),
};

const durablePost: Figure = {
  name: 'durable-post',
  title: 'POST of a datacenter: accepted, journaled in its request, audited, synced; 50 connections',
  peer: 'raw node:http that parses the same body and writes the same answer',
  demanded: '≥ 0.12',
  measure: (bench) => withRegion(bench, (region) => postAgainstRaw(bench, region)),
};

const getRandom: Figure = {
  name: 'get-random',
  title: 'GET by random id among 1,000,000 resources',
  peer: 'the same among 1,000',
  demanded: '≥ 0.70',
  measure: (bench) =>
    withFolder(async (folder) => {
      const many = bench.quick ? 20_000 : 1_000_000;
      const bigPaths = await fill({ resources: many }, `${folder}/big`);
      const smallPaths = await fill({ resources: 1000 }, `${folder}/small`);
      const big = await startRegion({ data: `${folder}/big`, ...profiled(bench) });
      const small = await startRegion({ data: `${folder}/small` });
      try {
        const ours = randomSide(bench, big, bigPaths);
        const peer = randomSide(bench, small, smallPaths);
        return await pair(bench, ours, peer, 0.7, [`${grouped(many)} resources`]);
      } finally {
        await big.stop();
        await small.stop();
      }
    }),
};

const activityPage: Figure = {
  name: 'activity-page',
  title: 'activity page at offset 900,000 of 1,000,000 entries',
  peer: 'the first page',
  demanded: '',
  measure: (bench) =>
    withFolder(async (folder) => {
      const entries = bench.quick ? 20_000 : 1_000_000;
      await fill({ resources: 10, activity: entries }, `${folder}/data`);
      const region = await startRegion({ data: `${folder}/data`, ...profiled(bench) });
      try {
        const path = `/activitylog/v1/contracts/${region.contract}?limit=100&offset=`;
        const ours = getSide(bench, region, path + 0.9 * entries);
        const peer = getSide(bench, region, `${path}0`);
        return await pair(bench, ours, peer, 0, [`${grouped(entries)} entries, pages of 100`]);
      } finally {
        await region.stop();
      }
    }),
};

export const apiFigures: readonly Figure[] = [
  getOne,
  getPage,
  durablePost,
  getRandom,
  activityPage,
  start,
  startWithResources,
  memory,
];

function withRegion(bench: Bench, use: (region: Region) => Promise<Measured>): Promise<Measured> {
  return withFolder(async (data) => {
    const region = await startRegion({ data, ...profiled(bench) });
    try {
      return await use(region);
    } finally {
      await region.stop();
    }
  });
}

async function againstRaw(
  bench: Bench,
  region: Region,
  path: string,
  way: 'bytes' | 'stringify',
  least: number,
): Promise<Measured> {
  const answer = await region.expect(200, { path });
  const raw = await rawHttp(way, answer);
  try {
    const notes = [sizes(answer)];
    const peer = rawSide(bench, raw, requestText(raw.port, { path, authorization: region.authorization }), connections);
    return await pair(bench, getSide(bench, region, path), peer, least, notes);
  } finally {
    await raw.stop();
  }
}

async function postAgainstRaw(bench: Bench, region: Region): Promise<Measured> {
  const answer = await region.expect(202, post);
  await finished(region, answer);
  const raw = await rawHttp('parse', answer);
  const ours = await postSide(bench, region);
  const bytes = requestText(raw.port, { ...post, authorization: region.authorization });
  try {
    const measured = await pair(bench, ours.side, rawSide(bench, raw, bytes, 50), 0.12, [sizes(answer)]);
    return await ours.checked(measured);
  } finally {
    await raw.stop();
  }
}

const sizes = (answer: Answer): string =>
  `an answer has ${answer.headers.length / 2} headers and ${grouped(Buffer.byteLength(answer.body))} bytes of body`;
