// Seeds a region that runs in this process.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { Fault } from '../../base/fault.ts';
import { findRequest, requestHidden } from '../../core/operation/request.ts';
import { shownPath } from '../../core/resource.ts';
import { rowOf } from '../../core/state/engine.ts';
import type { Region } from '../../platform.ts';
import { type Section, sectionsOf } from '../../surface/docs/seed-sections.ts';
import { reachable } from '../../surface/http/listener.ts';
import { generateToken } from '../admin/tokens.ts';
import { type Applied, type Seeded, SeedRun } from './apply-seed.ts';
import { checkSeed } from './check-seed.ts';
import { dumpSeed } from './dump-seed.ts';
import { dumpBuckets, seedBuckets } from './seed-buckets.ts';
import { SeedClient } from './seed-client.ts';
import { planOf } from './seed-plan.ts';
import { readSeeds, type SeedSource } from './seed-source.ts';
import { undoneIfItFails } from './undo.ts';

const keysFile = 'seed-keys.json';
const mark = { contract: 0, place: 'lab', id: 'seed' };
const tokenTtlS = 3600;

export async function applySeed(region: Region, path: string): Promise<Seeded> {
  const sources = readSeeds(path);
  const sections = sectionsIn(region);
  const plan = planOf(sources, sections);
  const { items, buckets } = plan;
  const client = await clientOf(region);
  const run = new SeedRun(client, sections, items, region.regions.home);
  await checkSeed(plan, { run, sections, regions: region.regions });
  const applied = await undoneIfItFails(async (undo) => {
    await run.run(undo);
    await seedBuckets(buckets, client, storageOf(region), run.applied);
    return run.applied;
  });
  await remember(region, sources);
  return { path, ...applied, ...keepKeys(region, applied) };
}

// At the start: a seed that this region has had is not applied again, so that what was removed since stays away.
export async function seedOnce(region: Region, path: string): Promise<Seeded | undefined> {
  const row = await region.store.get(mark.contract, mark.place, mark.id);
  const { digest } = row ? (JSON.parse(row.body) as { digest: string }) : { digest: undefined };
  return digest === digestOf(readSeeds(path)) ? undefined : applySeed(region, path);
}

export async function dumpRegion(region: Region, asJson: boolean): Promise<{ text: string; notes: string[] }> {
  const client = await clientOf(region);
  const { seed, notes } = await dumpSeed(client, sectionsIn(region), region.regions);
  const buckets = await dumpBuckets(client, storageOf(region));
  if (buckets.length > 0) seed.buckets = buckets;
  const comments = notes.map((note) => `# ${note}\n`).join('');
  return { text: asJson ? `${JSON.stringify(seed, null, 2)}\n` : `${comments}${stringify(seed)}`, notes };
}

const sectionsIn = ({ model, services }: Region): Map<string, Section> => sectionsOf(model.all(), services);

async function clientOf(region: Region): Promise<SeedClient> {
  const { token, contract } = await generateToken(region, { ttlS: tokenTtlS });
  return new SeedClient(region.addresses.gateway(), token, (request) => madeBy(region, contract, request));
}

// Of the core's things, which alone make others with them.
async function madeBy({ store, model }: Region, contract: number, id: string): Promise<string[]> {
  const row = await findRequest(store, contract, id);
  const targets = row ? requestHidden(row).targets : [];
  return targets
    .filter(({ kind, action }) => action.endsWith('.create') && model.find(kind)?.dialect.name === 'core')
    .map(({ path }) => shownPath(path));
}

function storageOf({ listening, regions, clock, config }: Region) {
  const listener = listening.find(({ name }) => name === 'objects');
  if (!listener) throw new Fault('unavailable', 'The region serves no object storage.');
  return {
    url: `http://${reachable(config.gateway.host)}:${listener.port}`,
    region: regions.home,
    now: () => clock.real(),
  };
}

async function remember({ store }: Region, sources: readonly SeedSource[]): Promise<void> {
  const body = JSON.stringify({ digest: digestOf(sources) });
  await store.change(async () => {
    const row = await store.get(mark.contract, mark.place, mark.id);
    const next = { ...(row ?? rowOf(mark)), kind: 'lab', body };
    return { writes: [{ op: row ? 'update' : 'insert', table: 'resource', row: next }], value: undefined };
  });
}

function digestOf(sources: readonly SeedSource[]): string {
  const hash = createHash('sha256');
  for (const { file } of sources) hash.update(`${file}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

function keepKeys({ config }: Region, { keys }: Applied): { keysFile?: string } {
  if (Object.keys(keys).length === 0) return {};
  const file = join(config.data, keysFile);
  writeFileSync(file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  return { keysFile: file };
}
