// Dumps a contract of another region or of the platform, through its public API.
import type { Json, Values } from '../../base/json.ts';
import type { Section } from '../../surface/docs/seed-sections.ts';
import type { RegionOffer } from '../../surface/product.ts';
import { adapterTo } from './adapt.ts';
import { type AddressOptions, addressesOf } from './addresses.ts';
import { Aliases } from './anonymise.ts';
import { dumpSeed } from './dump-seed.ts';
import { HttpReader } from './http-reader.ts';
import type { Journal } from './journal.ts';
import { type Progress, Reading } from './reading.ts';

export interface RemoteDump extends AddressOptions {
  token: string;
  sections: ReadonlyMap<string, Section>;
  home: string; // the region of items that name none
  offer: RegionOffer;
  datacenter?: string | undefined;
  isAnonymous?: boolean;
  journal?: Journal | undefined;
  onProgress?(progress: Progress): void;
  readBuckets(): Promise<{ buckets: Values[]; notes: string[] }>;
}

export async function remoteDump(options: RemoteDump): Promise<{ seed: Record<string, Json>; notes: string[] }> {
  const { token, sections, home, offer, datacenter, isAnonymous, journal, onProgress } = options;
  const regions = { all: options.regions, home };
  const reader = new HttpReader({ urlOf: addressesOf(options), token });
  const reading = new Reading({
    reader,
    sections,
    regions,
    datacenter,
    isPartial: true,
    journal,
    ...(onProgress && { onProgress }),
  });
  await reading.readAll();
  const aliases = new Aliases();
  if (isAnonymous) reading.change('users', (user) => (user.email === reading.owner ? user : aliases.user(user)));
  const adapter = adapterTo(offer, reading);
  const isLimited = datacenter !== undefined;
  const dumped = dumpSeed(reading, { sections, regions, isIdentified: true, isLimited, adapter });
  const stored = isLimited ? { buckets: [], notes: [] } : await options.readBuckets();
  const seed: Record<string, Json> = { read: { from: options.from, at: reading.times }, ...dumped.seed };
  if (stored.buckets.length > 0) seed.buckets = stored.buckets;
  const whole = { seed, notes: [...dumped.notes, ...stored.notes] };
  return isAnonymous ? aliases.everywhere(whole) : whole;
}
