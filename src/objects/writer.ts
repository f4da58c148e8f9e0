// Objects that other products write, such as flow logs: for a contract, into its own buckets.
import { createHash } from 'node:crypto';
import type { ObjectWriter } from '../surface/ports.ts';
import type { BlobEngine } from './engine/engine.ts';
import type { Buckets, StoredBucket } from './metadata/bucket.ts';
import type { Objects } from './metadata/objects.ts';
import { s3Fault } from './wire/error.ts';

export function createObjectWriter(
  buckets: Buckets,
  objects: Objects,
  blobs: BlobEngine,
  now: () => number,
): ObjectWriter {
  const find = async (contract: number, name: string): Promise<StoredBucket | undefined> => {
    const bucket = await buckets.find(name);
    return bucket?.contract === contract ? bucket : undefined;
  };
  return {
    canWrite: async (contract, name) => (await find(contract, name)) !== undefined,
    async exists(contract, name, key) {
      const bucket = await find(contract, name);
      const latest = bucket && (await objects.latest(bucket, key));
      return latest !== undefined && !latest.isMarker;
    },
    async put(contract, name, key, body, { contentType }) {
      const bucket = await find(contract, name);
      if (!bucket) throw s3Fault('NoSuchBucket');
      const { handle, size } = await blobs.put(whole(body), { size: body.length });
      const made = {
        key,
        modified: now(),
        owner: bucket.owner,
        size,
        etag: createHash('md5').update(body).digest('hex'),
        parts: [{ handle, size }],
        headers: { 'Content-Type': contentType },
        meta: {},
      };
      await objects.put(name, made, {}).catch(async (error: unknown) => {
        await blobs.remove([handle]);
        throw error;
      });
    },
  };
}

async function* whole(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}
