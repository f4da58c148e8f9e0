// The object storage of a region, as the AWS SDK for JavaScript reaches it, with a key of the owner's.
import { BucketAlreadyOwnedByYou, CreateBucketCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { type Region, waitRequest } from './region.ts';

export interface StorageKey {
  accessKeyId: string;
  secretAccessKey: string;
}

// Where the region serves S3.
export const storageUrl = (region: Region): string => region.ready.services.objects ?? '';

// A key of a user; the owner's own unless another is named.
export async function makeStorageKey(region: Region, user?: { id: string; token: string }): Promise<StorageKey> {
  const users = await region.call('GET', '/cloudapi/v6/um/users?depth=1');
  const id = user?.id ?? users.body.items[0]?.id ?? '';
  const made = await region.call('POST', `/cloudapi/v6/um/users/${id}/s3keys`, undefined, {
    ...(user && { token: user.token }),
  });
  if (made.status >= 300) throw new Error(`no key: ${made.status} ${JSON.stringify(made.body)}`);
  return { accessKeyId: made.body.id, secretAccessKey: String(made.body.properties.secretKey) };
}

export function s3Client(region: Region, credentials: StorageKey, more: S3ClientConfig = {}): S3Client {
  return new S3Client({
    endpoint: storageUrl(region),
    region: 'eu-central-3',
    forcePathStyle: true,
    credentials,
    maxAttempts: 1,
    ...more,
  });
}

// Buckets of the owner's contract that tests of other products need, where they are not there yet. The key that makes
// them is removed again.
export async function provideBuckets(region: Region, ...names: string[]): Promise<void> {
  const users = await region.call('GET', '/cloudapi/v6/um/users?depth=1');
  const place = `/cloudapi/v6/um/users/${users.body.items[0]?.id}/s3keys`;
  const { body, headers } = await region.call('POST', place);
  await waitRequest(region, headers.location);
  const s3 = s3Client(region, { accessKeyId: body.id, secretAccessKey: String(body.properties.secretKey) });
  for (const Bucket of names)
    await s3.send(new CreateBucketCommand({ Bucket })).catch((error: unknown) => {
      if (!(error instanceof BucketAlreadyOwnedByYou)) throw error;
    });
  s3.destroy();
  await waitRequest(region, (await region.call('DELETE', `${place}/${body.id}`)).headers.location);
}
