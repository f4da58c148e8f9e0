// Writes content to the blob engine: the body of a request, or that of another object. The returned content is durable,
// verified, and not yet visible.
import { isUnknown } from '../../../core/state/unknown-outcome.ts';
import { type CustomerKey, newSalt, sealedTag } from '../../encryption/customer-key.ts';
import { sealed, sealedSize } from '../../encryption/sealed-content.ts';
import type { StoredPart } from '../../metadata/version.ts';
import type { S3Request, S3Tools } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import type { ChecksumAlgorithm } from '../../wire/payload/checksum.ts';
import { type Payload, type PayloadDigest, readPayload } from '../../wire/payload/payload.ts';

export const mostUploadBytes = 5 * 1024 ** 3; // per upload; larger objects are uploaded in parts

export interface StoredContent {
  parts: StoredPart[]; // one, or none if the content is empty
  digest: PayloadDigest;
}

export interface StoredBlobContent {
  part: StoredPart;
  digest: PayloadDigest;
}

export async function storeContent(request: S3Request, key: CustomerKey | undefined): Promise<StoredContent> {
  const payload = request.payload();
  if (payload.length === 0) {
    for await (const _ of payload.body); // proves that it is empty
    return { parts: [], digest: payload.digest() };
  }
  const { part, digest } = await storeUpload(request.tools, payload, key);
  return { parts: [part], digest };
}

// Always as a blob, even if it is empty. `algorithm`: the checksum to compute if the request names none.
export const storeBody = (
  request: S3Request,
  algorithm: ChecksumAlgorithm | undefined,
  key: CustomerKey | undefined,
): Promise<StoredBlobContent> => storeUpload(request.tools, request.payload(algorithm), key);

// An upload has a maximum size even if its length is not announced.
async function storeUpload(tools: S3Tools, payload: Payload, key: CustomerKey | undefined): Promise<StoredBlobContent> {
  if (payload.length !== undefined && payload.length > mostUploadBytes) throw s3Fault('EntityTooLarge');
  return storePayload(tools, { ...payload, body: withinSize(payload.body, 0, mostUploadBytes) }, key);
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
  key: CustomerKey | undefined,
): Promise<StoredBlobContent> {
  const unsigned = { kind: 'unsigned' } as const;
  const plan = { mode: unsigned, length, md5: undefined, checksum: undefined, trailerAlgorithm: undefined, algorithm };
  return storePayload(tools, readPayload(source, plan, undefined), key);
}

export async function storePayload(
  { blobs }: S3Tools,
  payload: Payload,
  key: CustomerKey | undefined,
): Promise<StoredBlobContent> {
  const { body, length } = payload;
  if (!key) {
    const { handle, size } = await blobs.put(body, { size: length });
    return { part: { handle, size }, digest: payload.digest() };
  }
  const salt = newSalt();
  const sealing = sealed(body, key, salt);
  const { handle } = await blobs.put(sealing.body, { size: length === undefined ? undefined : sealedSize(length) });
  const digest = payload.digest();
  const part = { handle, size: digest.size, sealed: { salt, md5: sealing.md5() } };
  return { part, digest: { ...digest, md5: sealedTag(key, digest.md5) } };
}

// Publishes stored content; if that fails, the content is removed again. If it is uncertain whether it was published,
// it stays, and so does content that can't be removed now: the sweep removes blobs without references.
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
