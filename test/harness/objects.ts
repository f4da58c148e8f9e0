// The object storage of a region, as the AWS SDK for JavaScript reaches it, with a key of the owner's.
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { Region } from './region.ts';

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
