// Writes content to the blob engine: the body of a request, or that of another object. What these functions return is
// durable, verified, and seen by nobody yet.
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
  if (announcedLength(request) === 0) {
    const payload = request.payload();
    for await (const _ of payload.body); // proves that it is empty
    return { parts: [], digest: payload.digest() };
  }
  const { part, digest } = await storeBody(request);
  return { parts: [part], digest };
}

// Always as a blob, even if it is empty. `algorithm`: the checksum to compute where the request names none.
export async function storeBody(request: S3Request, algorithm?: ChecksumAlgorithm): Promise<StoredBlobContent> {
  const length = announcedLength(request);
  if (length !== undefined && length > mostUploadBytes) throw s3Fault('EntityTooLarge');
  return storePayload(request.tools, request.payload(algorithm), length);
}

export function storeCopy(
  tools: S3Tools,
  source: AsyncIterable<Uint8Array>,
  length: number,
  algorithm: ChecksumAlgorithm | undefined,
): Promise<StoredBlobContent> {
  const unsigned = { kind: 'unsigned' } as const;
  const plan = { mode: unsigned, length, md5: undefined, checksum: undefined, trailerAlgorithm: undefined, algorithm };
  return storePayload(tools, readPayload(source, plan, undefined), length);
}

export async function storePayload(
  { blobs }: S3Tools,
  payload: Payload,
  length: number | undefined,
): Promise<StoredBlobContent> {
  const { handle, size } = await blobs.put(payload.body, { size: length });
  return { part: { handle, size }, digest: payload.digest() };
}

// Publishes content that was stored; if that fails, the content is removed again.
export async function publish<T>({ blobs }: S3Tools, parts: readonly StoredPart[], change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    await blobs.remove(parts.map(({ handle }) => handle));
    throw error;
  }
}

// undefined: the client does not say.
function announcedLength({ header }: S3Request): number | undefined {
  const text = header('x-amz-decoded-content-length') ?? header('content-length');
  return text === undefined ? undefined : Number(text);
}
