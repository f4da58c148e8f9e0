// Writes content to the blob engine: the body of a request, or that of another object. What these functions return is
// durable, verified, and seen by nobody yet.
import { isUnknown } from '../../../core/state/unknown-outcome.ts';
import type { StoredPart } from '../../metadata/version.ts';
import type { S3Request, S3Tools } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import type { ChecksumAlgorithm } from '../../wire/payload/checksum.ts';
import { type Payload, type PayloadDigest, readPayload } from '../../wire/payload/payload.ts';

export const mostUploadBytes = 5 * 1024 ** 3; // of one upload; larger objects are uploaded in parts

export interface StoredContent {
  parts: StoredPart[]; // one, or none where it is empty
  digest: PayloadDigest;
}

export interface StoredBlobContent {
  part: StoredPart;
  digest: PayloadDigest;
}

export async function storeContent(request: S3Request): Promise<StoredContent> {
  const payload = request.payload();
  if (payload.length === 0) {
    for await (const _ of payload.body); // proves that it is empty
    return { parts: [], digest: payload.digest() };
  }
  const { part, digest } = await storeUpload(request.tools, payload);
  return { parts: [part], digest };
}

// Always as a blob, even if it is empty. `algorithm`: the checksum to compute where the request names none.
export const storeBody = (request: S3Request, algorithm?: ChecksumAlgorithm): Promise<StoredBlobContent> =>
  storeUpload(request.tools, request.payload(algorithm));

// Also where the length is not announced, an upload has a largest size.
async function storeUpload(tools: S3Tools, payload: Payload): Promise<StoredBlobContent> {
  if (payload.length !== undefined && payload.length > mostUploadBytes) throw s3Fault('EntityTooLarge');
  return storePayload(tools, { ...payload, body: withinSize(payload.body, 0, mostUploadBytes) });
}

export async function* withinSize(
  content: AsyncIterable<Buffer>,
  least: number,
  most: number,
): AsyncGenerator<Buffer, void> {
  let size = 0;
  for await (const piece of content) {
    size += piece.length;
    if (size > most) throw s3Fault('EntityTooLarge');
    yield piece;
  }
  if (size < least) throw s3Fault('EntityTooSmall');
}

export function storeCopy(
  tools: S3Tools,
  source: AsyncIterable<Uint8Array>,
  length: number,
  algorithm: ChecksumAlgorithm | undefined,
): Promise<StoredBlobContent> {
  const unsigned = { kind: 'unsigned' } as const;
  const plan = { mode: unsigned, length, md5: undefined, checksum: undefined, trailerAlgorithm: undefined, algorithm };
  return storePayload(tools, readPayload(source, plan, undefined));
}

export async function storePayload({ blobs }: S3Tools, payload: Payload): Promise<StoredBlobContent> {
  const { handle, size } = await blobs.put(payload.body, { size: payload.length });
  return { part: { handle, size }, digest: payload.digest() };
}

// Publishes content that was stored; if that fails, the content is removed again. Where nobody knows whether it was
// published it stays, and so does what can't be removed now: the sweep finds what nothing refers to.
export async function publish<T>(
  { blobs }: Pick<S3Tools, 'blobs'>,
  parts: readonly StoredPart[],
  change: Promise<T>,
): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (!isUnknown(error)) await blobs.remove(parts.map(({ handle }) => handle)).catch(() => {});
    throw error;
  }
}
