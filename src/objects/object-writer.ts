// Lets other products write into buckets of a contract. They write as the contract itself, from the platform's own
// network: a bucket policy that forbids this stops them too.
import { hash } from 'node:crypto';
import type { ObjectWriter } from '../surface/ports.ts';
import type { BlobEngine } from './engine/engine.ts';
import type { Buckets, StoredBucket } from './metadata/bucket.ts';
import type { Objects } from './metadata/objects.ts';
import { defaultRetention } from './operations/object/object-properties.ts';
import { publish } from './operations/object/store-content.ts';
import { s3Fault } from './wire/error.ts';
import { parsePolicy } from './wire/policy/document.ts';
import { evaluatePolicy } from './wire/policy/evaluation.ts';
import { requestContext } from './wire/policy/request-context.ts';

interface WriterTools {
  buckets: Buckets;
  objects: Objects;
  blobs: BlobEngine;
  now: () => number;
}

export function objectWriterOf({ buckets, objects, blobs, now }: WriterTools): Omit<ObjectWriter, 'home'> {
  // A bucket of another contract does not exist for this one.
  const find = async (contract: number, name: string): Promise<StoredBucket | undefined> => {
    const bucket = await buckets.find(name);
    return bucket?.contract === contract ? bucket : undefined;
  };
  return {
    async canWrite(contract, name) {
      const bucket = await find(contract, name);
      return bucket !== undefined && !isDenied(bucket, now());
    },
    async put(contract, name, key, body, { contentType }) {
      const bucket = await find(contract, name);
      if (!bucket) throw s3Fault('NoSuchBucket');
      const { handle, size } = await blobs.put(oneOf(body), { size: body.length });
      const retention = defaultRetention(bucket, now());
      const made = {
        key,
        modified: now(),
        owner: bucket.owner,
        size,
        etag: hash('md5', body),
        parts: [{ handle, size }],
        headers: { 'Content-Type': contentType },
        meta: {},
        ...(retention && { retention }),
        ...(bucket.encryption && { encryption: 'AES256' as const }),
      };
      await publish(
        { blobs },
        made.parts,
        objects.put(name, made, () => {}),
      );
    },
    async exists(contract, name, key) {
      const bucket = await find(contract, name);
      const latest = bucket && (await objects.latest(bucket, key));
      return latest !== undefined && !latest.isMarker;
    },
  };
}

async function* oneOf(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}

function isDenied({ policy, name, contract }: StoredBucket, now: number): boolean {
  if (policy === undefined) return false;
  const context = requestContext({
    now,
    sourceIp: '127.0.0.1',
    isSecure: true,
    userId: String(contract),
    userName: undefined,
    isPresigned: false,
    header: () => undefined,
    query: [],
  });
  const principals = [String(contract), `arn:aws:iam::${contract}:root`];
  const request = { principals, action: 's3:PutObject', resource: `${name}/`, context };
  return evaluatePolicy(parsePolicy(policy), request) === 'deny';
}
