// The content of a version as a stream, whole or a range of it. A blob may have been moved or replaced since its
// version was read; then the version is read again, as long as nothing was sent.
import { Fault } from '../../../base/fault.ts';
import type { ByteRange } from '../../engine/engine.ts';
import type { StoredBucket } from '../../metadata/bucket.ts';
import type { ObjectVersion } from '../../metadata/version.ts';
import type { S3Tools } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';

type Tools = Pick<S3Tools, 'blobs' | 'objects'>;

export async function* readContent(
  tools: Tools,
  bucket: StoredBucket,
  version: ObjectVersion,
  range: ByteRange | undefined,
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  try {
    for await (const piece of contentOf(tools, version, range)) {
      sent += piece.length;
      yield piece;
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
    const again = sent === 0 ? await moved(tools, bucket, version) : undefined;
    if (!again) throw lost(error);
    yield* contentOf(tools, again, range);
  }
}

const isMissing = (error: unknown): boolean => error instanceof Fault && error.kind === 'missing';

async function moved(
  { objects }: Tools,
  bucket: StoredBucket,
  version: ObjectVersion,
): Promise<ObjectVersion | undefined> {
  const now = await objects.find(bucket, version.key, version.versionId);
  const isMoved = now?.parts.some(({ handle }, at) => handle !== version.parts[at]?.handle);
  return now && now.order === version.order && isMoved ? now : undefined;
}

// As after a restore: a backup of the state has no bytes of objects.
const lost = (cause: unknown): Fault =>
  s3Fault('InternalError', 'The content of this object is missing in this region: only its metadata is there.', cause);

async function* contentOf({ blobs }: Tools, version: ObjectVersion, range: ByteRange | undefined) {
  let { offset, length } = range ?? { offset: 0, length: version.size };
  for (const { handle, size } of version.parts) {
    if (length === 0) return;
    if (offset < size) {
      const taken = Math.min(size - offset, length);
      yield* blobs.get(handle, { offset, length: taken });
      length -= taken;
      offset = 0;
    } else offset -= size;
  }
}
