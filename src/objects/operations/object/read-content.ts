// The content of a version as a stream, whole or a range of it. Blobs stay while they are read; a blob that was moved
// before is found by reading its version again.
import { Fault } from '../../../base/fault.ts';
import type { CustomerKey } from '../../encryption/customer-key.ts';
import { openSealed } from '../../encryption/sealed-content.ts';
import type { ByteRange } from '../../engine/engine.ts';
import type { ReadBuffers } from '../../engine/read-buffers.ts';
import type { StoredBucket } from '../../metadata/bucket.ts';
import type { ObjectVersion } from '../../metadata/version.ts';
import type { S3Tools } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';

type Tools = Pick<S3Tools, 'blobs' | 'objects' | 'removals'>;

export interface Wanted {
  range?: ByteRange | undefined;
  key?: CustomerKey | undefined;
  buffers?: ReadBuffers; // as for the engine
}

export async function* readContent(
  tools: Tools,
  bucket: StoredBucket,
  version: ObjectVersion,
  wanted: Wanted,
): AsyncGenerator<Uint8Array> {
  const letGo = tools.removals.reading(version.parts.map(({ handle }) => handle));
  let sent = 0;
  try {
    for await (const piece of contentOf(tools, version, wanted)) {
      sent += piece.length;
      yield piece;
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (sent > 0) throw lost(error);
    yield* contentOf(tools, await movedVersion(tools, bucket, version, error), wanted);
  } finally {
    letGo();
  }
}

const isMissing = (error: unknown): boolean => error instanceof Fault && error.kind === 'missing';

async function movedVersion(
  { objects }: Tools,
  bucket: StoredBucket,
  version: ObjectVersion,
  error: unknown,
): Promise<ObjectVersion> {
  const now = await objects.find(bucket, version.key, version.versionId);
  if (now?.order !== version.order) throw new Replaced();
  const isMoved = now.parts.some(({ handle }, at) => handle !== version.parts[at]?.handle);
  if (!isMoved) throw lost(error);
  return now;
}

// The version was replaced or removed before any of its content was read.
class Replaced extends Fault {
  constructor() {
    super('unavailable', 'The object is being replaced continuously. Try again.', { retryAfterS: 1 });
  }
}

const mostTries = 10;

// Looks a replaced version up again: the reader gets the old content or the new one, and no error.
export async function retryReplaced<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Replaced) || tries === mostTries) throw error;
    }
}

// This happens after a restore: a backup of the state does not contain the bytes of objects.
const lost = (cause: unknown): Fault =>
  s3Fault('InternalError', 'The content of this object is missing in this region: only its metadata exists.', cause);

async function* contentOf({ blobs }: Tools, version: ObjectVersion, { range, key, buffers }: Wanted) {
  let { offset, length } = range ?? { offset: 0, length: version.size };
  for (const { handle, size, sealed } of version.parts) {
    if (length === 0) return;
    if (offset < size) {
      const taken = Math.min(size - offset, length);
      if (!sealed) yield* blobs.get(handle, { offset, length: taken }, buffers);
      else if (key) yield* openSealed(blobs, { handle, size, salt: sealed.salt }, key, { offset, length: taken });
      else throw new Error(`The blob ${handle} is encrypted, but no key was requested`);
      length -= taken;
      offset = 0;
    } else offset -= size;
  }
}
