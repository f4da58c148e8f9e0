// Seeds a region that runs in this process.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import type { Values } from '../base/json.ts';
import type { Config } from '../config/sections.ts';
import { type Row, rowOf } from '../core/state/engine.ts';
import { type Section, sectionsOf } from '../surface/docs/seed-sections.ts';
import { type Listening, reachable } from '../surface/http/listener.ts';
import { operatorAccounts } from '../surface/operator.ts';
import type { Ports } from '../surface/ports.ts';
import type { Context } from '../surface/product.ts';
import { type Applied, type OnMade, type Seeded, SeedRun, type SeedRunOptions } from './apply-seed.ts';
import { CallSlots } from './call-slots.ts';
import { dumpBuckets } from './dump/dump-buckets.ts';
import { dumpSeed } from './dump/dump-seed.ts';
import { dumpText } from './dump/dump-text.ts';
import { HttpReader } from './dump/http-reader.ts';
import { Reading } from './dump/reading.ts';
import type { Tree } from './dump/tree.ts';
import { checkSeed } from './plan/check-seed.ts';
import { planOf } from './plan/seed-plan.ts';
import { readSeeds, type SeedSource } from './plan/seed-source.ts';
import { seedBuckets, withStorage } from './seed-buckets.ts';
import { SeedClient } from './seed-client.ts';
import { keepKeys } from './seed-keys.ts';
import { SeedRequests } from './seed-requests.ts';
import { undoneIfItFails } from './undo.ts';

export interface SeededRegion extends Context {
  config: Config;
  ports: Ports;
  listening: readonly Listening[];
}

const mark = { contract: 0, place: 'lab', id: 'seed' };
const tokenTtlS = 3600;
const mostRemembered = 100;

// One after the other: two seeds at the same time would both create a missing resource.
const turns = new CallSlots(1);

// `keepsIds`: items of a dump keep their ids and addresses.
export const applySeed = (region: SeededRegion, path: string, keepsIds?: boolean): Promise<Seeded> =>
  turns.run(() => apply(region, path, keepsIds));

async function apply(region: SeededRegion, path: string, keepsIds = false, sources = readSeeds(path)): Promise<Seeded> {
  const applied = await withClient(region, (client) => applySources(region, sources, { client, keepsIds }), {
    copies: keepsIds,
  });
  const kept = keepKeys(region, applied);
  await remember(region, sources);
  return { path, ...applied, ...kept };
}

interface CopyOptions {
  keepsIds: boolean;
  onItem(done: number, all: number): void;
  signal: AbortSignal; // cancels the copy, which is undone then
}

// A seed that is in no file, with the paths of what it has created or found.
export const applyCopy = (region: SeededRegion, source: SeedSource, { keepsIds, onItem, signal }: CopyOptions) =>
  turns.run(async () => {
    const paths: string[] = [];
    const onMade = async (path: string): Promise<void> => void paths.push(path);
    return withClient(
      region,
      async (client) => {
        const applied = await applySources(region, [source], { client, onMade, keepsIds, onItem, signal });
        const shown = await Promise.all(paths.filter(isDatacenter).map((path) => client.call('GET', path)));
        // The sources of snapshots are gone.
        const datacenters = shown
          .filter(({ status }) => status === 200)
          .map(({ body: { id, properties } }) => ({ id: String(id), name: String((properties as Values).name) }));
        return { ...applied, ...keepKeys(region, applied), datacenters };
      },
      { copies: keepsIds },
    );
  });

const isDatacenter = (path: string): boolean => /^\/cloudapi\/v6\/datacenters\/[^/]+$/.test(path);

// For a caller that keeps the result itself.
export const applyOnce = (region: SeededRegion, source: SeedSource, client: SeedClient, onMade: OnMade) =>
  turns.run(() => applySources(region, [source], { client, onMade }));

async function applySources(
  region: SeededRegion,
  sources: readonly SeedSource[],
  how: Pick<SeedRunOptions, 'client' | 'onMade' | 'keepsIds' | 'onItem' | 'signal'>,
): Promise<Applied> {
  const sections = sectionsIn(region);
  const plan = planOf(sources, sections);
  const { items, buckets, omitted } = plan;
  const run = new SeedRun({ ...how, sections, items, home: region.regions.home });
  run.applied.omitted.push(...omitted);
  await checkSeed(plan, { existing: run.existing, sections, regions: region.regions });
  const seedItems = (): Promise<Applied> => undoneIfItFails((undo) => run.run(undo));
  return seedBuckets(buckets, how.client, storageOf(region), run, seedItems);
}

// At the start: a seed that this region already had is not applied again, so that resources deleted since stay deleted.
export const seedOnce = (region: SeededRegion, path: string, keepsIds?: boolean): Promise<Seeded | undefined> =>
  turns.run(async () => {
    const had = hadIn(await region.store.get(mark.contract, mark.place, mark.id));
    const sources = readSeeds(path);
    return had.includes(digestOf(sources)) ? undefined : apply(region, path, keepsIds, sources);
  });

export interface TreeRequest {
  datacenters?: string[][] | undefined; // lists of names or ids: the first list counts of which the region has one
  hasBuckets: boolean;
}

// For a comparison with another contract.
export const readTree = (region: SeededRegion, { datacenters, hasBuckets }: TreeRequest): Promise<Tree> =>
  withClient(region, async (client) => {
    const { regions } = region;
    const sections = sectionsIn(region);
    const reading = await readingOf(region, client, datacenters);
    if (!reading) return { sections: {}, names: {} };
    const { tree } = dumpSeed(reading, { sections, regions, isIdentified: true, isLimited: datacenters !== undefined });
    for (const { id, properties } of reading.list('/cloudapi/v6/images'))
      tree.names[String(id)] = String((properties as Values).name);
    if (!hasBuckets) return tree;
    const { buckets } = await withStorage(client, storageOf(region), (s3) => dumpBuckets({ clients: [{ s3 }] }));
    return { ...tree, sections: { ...tree.sections, buckets } };
  });

async function readingOf(
  region: SeededRegion,
  { gateway, token }: SeedClient,
  datacenters: readonly (readonly string[] | undefined)[] = [undefined],
): Promise<Reading | undefined> {
  const { regions } = region;
  const reader = new HttpReader({ urlOf: (path) => gateway + path, token });
  for (const wanted of datacenters) {
    const reading = new Reading({ reader, sections: sectionsIn(region), regions, datacenters: wanted });
    try {
      await reading.readAll();
      return reading;
    } catch (error) {
      if (wanted === undefined || !(error instanceof Fault && error.kind === 'missing')) throw error;
    }
  }
  return undefined;
}

export async function dumpRegion(region: SeededRegion, asJson: boolean): Promise<{ text: string; notes: string[] }> {
  const { seed, notes } = await withClient(region, async (client) => {
    const { regions } = region;
    const reading = (await readingOf(region, client)) as Reading;
    const dumped = dumpSeed(reading, { sections: sectionsIn(region), regions });
    const { buckets } = await withStorage(client, storageOf(region), (s3) => dumpBuckets({ clients: [{ s3 }] }));
    if (buckets.length > 0) dumped.seed.buckets = buckets;
    return dumped;
  });
  return { text: dumpText(seed, notes, asJson), notes };
}

export const sectionsIn = ({ model, services }: SeededRegion): Map<string, Section> =>
  sectionsOf(model.all(), services());

// As the owner of a contract, the region's first unless given, with a token that is deleted afterwards: a user may have
// a hundred.
export async function withClient<T>(
  region: SeededRegion,
  use: (client: SeedClient) => Promise<T>,
  of: { contract?: number; copies?: boolean } = {},
): Promise<T> {
  const accounts = region.ports.use(operatorAccounts);
  const { id, token, contract } = await accounts.generateToken({ ...of, ttlS: tokenTtlS });
  try {
    const client = new SeedClient(region.addresses.gateway(), token, new SeedRequests(region, contract));
    return await use(client);
  } finally {
    await accounts.deleteTokens({ id, ...(of.contract !== undefined && { contract: of.contract }) });
  }
}

export function storageOf({ listening, regions, clock, config }: SeededRegion) {
  const listener = listening.find(({ name }) => name === 'objects');
  if (!listener) throw new Fault('unavailable', 'The object storage of this region is switched off.');
  return {
    url: `http://${reachable(config.gateway.host)}:${listener.port}`,
    region: regions.home,
    now: () => clock.real(),
  };
}

async function remember({ store }: SeededRegion, sources: readonly SeedSource[]): Promise<void> {
  const digest = digestOf(sources);
  await store.change(async () => {
    const row = await store.get(mark.contract, mark.place, mark.id);
    const others = hadIn(row).filter((one) => one !== digest);
    const body = JSON.stringify({ digests: [...others, digest].slice(-mostRemembered) });
    const next = { ...(row ?? rowOf(mark)), kind: 'lab', body };
    return { writes: [{ op: row ? 'update' : 'insert', table: 'resource', row: next }], value: undefined };
  });
}

// The digests of all seeds that the region has had. Earlier versions stored only the last one.
function hadIn(row: Row | undefined): string[] {
  const { digests, digest } = JSON.parse(row?.body ?? '{}') as { digests?: string[]; digest?: string };
  return digests ?? (digest === undefined ? [] : [digest]);
}

function digestOf(sources: readonly SeedSource[]): string {
  const hash = createHash('sha256');
  for (const { file } of sources) hash.update(`${file}\n`).update(readFileSync(file));
  return hash.digest('hex');
}
