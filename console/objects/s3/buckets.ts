// S3 calls for buckets: list, facts, creation and deletion.
import { s3, s3Document, unless } from './s3.ts';
import { writeXml } from './xml.ts';

export interface Bucket {
  name: string;
  created: string;
  region: string;
}

// Facts that the list lacks.
export interface BucketFacts {
  region: string;
  objects: number; // with versions and delete markers
  bytes: number;
  versioning: 'Enabled' | 'Suspended' | 'Off';
  hasLock: boolean;
  isPublic: boolean;
}

export interface NewBucket {
  name: string;
  region: string;
  versioning: boolean;
  lock: boolean;
}

export async function listBuckets(signal?: AbortSignal): Promise<Bucket[]> {
  const document = await s3Document({ bucket: '' }, {}, signal);
  return (document.child('Buckets')?.all('Bucket') ?? []).map((one) => ({
    name: one.text('Name') ?? '',
    created: one.text('CreationDate') ?? '',
    region: one.text('BucketRegion') ?? '',
  }));
}

export async function bucketFacts(bucket: string, signal?: AbortSignal): Promise<BucketFacts> {
  const [{ headers }, versioning, lock, status] = await Promise.all([
    s3('HEAD', { bucket }, { signal }),
    bucketVersioning(bucket, signal),
    unless('ObjectLockConfigurationNotFoundError', s3Document({ bucket }, { 'object-lock': '' }, signal)),
    unless('NoSuchBucketPolicy', s3Document({ bucket }, { policyStatus: '' }, signal)),
  ]);
  return {
    region: headers.get('x-amz-bucket-region') ?? '',
    objects: Number(headers.get('x-rgw-object-count') ?? 0),
    bytes: Number(headers.get('x-rgw-bytes-used') ?? 0),
    versioning,
    hasLock: lock !== undefined,
    isPublic: status?.is('IsPublic') ?? false,
  };
}

export async function bucketRegion(bucket: string, signal?: AbortSignal): Promise<string> {
  const { headers } = await s3('HEAD', { bucket }, { signal });
  return headers.get('x-amz-bucket-region') ?? '';
}

export async function bucketVersioning(bucket: string, signal?: AbortSignal): Promise<BucketFacts['versioning']> {
  const status = (await s3Document({ bucket }, { versioning: '' }, signal)).text('Status');
  return status === 'Enabled' || status === 'Suspended' ? status : 'Off';
}

export const setVersioning = async (bucket: string, status: 'Enabled' | 'Suspended'): Promise<void> => {
  const body = writeXml('VersioningConfiguration', { Status: status });
  await s3('PUT', { bucket }, { query: { versioning: '' }, body });
};

export async function createBucket({ name, region, versioning, lock }: NewBucket): Promise<void> {
  const headers = lock ? { 'x-amz-bucket-object-lock-enabled': 'true' } : {};
  const body = writeXml('CreateBucketConfiguration', { LocationConstraint: region });
  await s3('PUT', { bucket: name }, { headers, body });
  if (versioning && !lock) await setVersioning(name, 'Enabled'); // object lock switches versioning on
}

export const deleteBucket = async (bucket: string, signal?: AbortSignal): Promise<void> => {
  await s3('DELETE', { bucket }, { signal });
};
