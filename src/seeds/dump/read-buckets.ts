// Reads the buckets of another platform or region, with an S3 key of it.
import { machineTime } from '../../base/clock.ts';
import type { OutboundFetch } from '../../base/outbound/outbound-fetch.ts';
import { S3Client } from '../../core/s3-client/client.ts';
import type { AddressOptions } from './addresses.ts';
import { dumpBuckets, type StoredBuckets } from './dump-buckets.ts';
import type { ObjectFolder } from './object-folder.ts';

export interface StorageKey {
  accessKey: string;
  secretKey: string;
}

export interface BucketOptions extends AddressOptions {
  storageKey?: StorageKey | undefined;
  objects?: ObjectFolder | undefined;
  signal?: AbortSignal | undefined;
  fetch?: OutboundFetch | undefined; // of a source that a client of the region has named
}

export async function readBuckets(options: BucketOptions): Promise<StoredBuckets> {
  const { storageKey, objects, signal, fetch } = options;
  if (!storageKey) return { buckets: [], notes: ['Buckets were not read: there is no S3 key.'], unread: [''] };
  const clients = storageAddresses(options).map(({ url, region }) => {
    const credentials = { ...storageKey, region };
    return { region, s3: new S3Client({ origin: url, credentials, now: machineTime, fetch }) };
  });
  return dumpBuckets({ clients, isPartial: true, objects, signal });
}

const usualRegion = 'eu-central-3';

function storageAddresses({ from, given = [], endpoints }: AddressOptions): { url: string; region: string }[] {
  const own = given.filter(({ product }) => product === 'objectstorage');
  if (own.length > 0) return own.map(({ url, location = usualRegion }) => ({ url, region: location }));
  if (!new URL(from).hostname.startsWith('api.')) return [{ url: new URL(from).origin, region: usualRegion }];
  const { locations = [] } = endpoints.find(({ name }) => name === 'objectstorage') ?? {};
  return locations.map((region) => ({ url: `https://s3.${region}.ionoscloud.com`, region }));
}
