// Dumps a contract of another region or of the platform, through its public API.
import type { Json } from '../../base/json.ts';
import type { Section } from '../../surface/docs/seed-sections.ts';
import type { RegionOffer } from '../../surface/product.ts';
import { adapterTo } from './adapt.ts';
import { addressesOf } from './addresses.ts';
import { Aliases } from './anonymise.ts';
import { replacedBuckets, type StoredBuckets } from './dump-buckets.ts';
import { dumpSeed } from './dump-seed.ts';
import { foreignResources } from './foreign-products.ts';
import { HttpReader } from './http-reader.ts';
import type { Journal } from './journal.ts';
import { type BucketOptions, readBuckets } from './read-buckets.ts';
import { type Progress, Reading } from './reading.ts';
import type { Tree, Unread } from './tree.ts';

export interface RemoteDump extends BucketOptions {
  token: string;
  sections: ReadonlyMap<string, Section>;
  home: string; // the region of items that name none
  offer: RegionOffer;
  datacenter?: string | undefined;
  mostResources?: number | undefined;
  isAnonymous?: boolean;
  journal?: Journal | undefined;
  onProgress?(progress: Progress): void;
}

export async function remoteDump(options: RemoteDump): Promise<{ seed: Record<string, Json>; notes: string[] }> {
  const { dumped, stored, times, aliases } = await read(options);
  const omitted = [...dumped.omitted, ...stored.notes];
  const source = { from: options.from, at: times, ...(omitted.length > 0 && { omitted }) };
  const seed: Record<string, Json> = { read: source, ...dumped.seed };
  const buckets = [...stored.buckets, ...replacedBuckets(dumped.seed, stored.buckets)];
  if (buckets.length > 0) seed.buckets = buckets;
  const whole = { seed, notes: [...dumped.notes, ...stored.notes] };
  return options.isAnonymous ? aliases.everywhere(whole) : whole;
}

export interface RemoteTree {
  tree: Tree;
  unread: Unread & { buckets: string[] };
  notes: string[]; // what could not be read
}

// For a comparison.
export async function remoteTree(options: RemoteDump): Promise<RemoteTree> {
  const { dumped, stored, notes } = await read(options);
  if (stored.buckets.length > 0) dumped.tree.sections.buckets = stored.buckets;
  const unread = { ...dumped.unread, buckets: stored.unread };
  return { tree: dumped.tree, unread, notes: [...notes, ...stored.notes] };
}

async function read(options: RemoteDump) {
  const {
    token,
    signal,
    fetch,
    storageKey,
    sections,
    home,
    offer,
    datacenter,
    isAnonymous,
    journal,
    mostResources,
    onProgress,
  } = options;
  const regions = { all: options.regions, home };
  const reader = new HttpReader({ urlOf: addressesOf(options), token, signal, fetch });
  const reading = new Reading({
    reader,
    sections,
    regions,
    datacenters: datacenter === undefined ? undefined : [datacenter],
    isPartial: true,
    journal,
    mostResources,
    ...(onProgress && { onProgress }),
  });
  await reading.readAll();
  const aliases = new Aliases();
  if (isAnonymous) reading.change('users', (user) => (user.email === reading.owner ? user : aliases.user(user)));
  const adapter = adapterTo(offer, reading);
  const isLimited = datacenter !== undefined;
  if (!isLimited) reading.notes.push(...(await foreignResources(reader)));
  const dumped = dumpSeed(reading, { sections, regions, isIdentified: true, isLimited, adapter });
  const ignored = 'Buckets were not read, because buckets belong to no datacenter. The S3 key was not used.';
  const none: StoredBuckets = { buckets: [], notes: storageKey ? [ignored] : [], unread: [''] };
  const stored = isLimited ? none : await readBuckets(options);
  return { dumped, stored, times: reading.times, aliases, notes: reading.notes };
}
