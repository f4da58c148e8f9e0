// Writes the body of a request to the blob engine. What it returns is durable, verified, and seen by nobody yet.
import type { StoredPart } from '../../metadata/version.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import type { PayloadDigest } from '../../wire/payload/payload.ts';

const mostBytes = 5 * 1024 ** 3; // of one upload; larger objects are uploaded in parts

export interface StoredContent {
  parts: StoredPart[]; // one, or none where it is empty
  digest: PayloadDigest;
}

export async function storeContent(request: S3Request): Promise<StoredContent> {
  const length = announcedLength(request);
  if (length > mostBytes) throw s3Fault('EntityTooLarge');
  const payload = request.payload();
  if (length === 0) {
    for await (const _ of payload.body); // proves that it is empty
    return { parts: [], digest: payload.digest() };
  }
  const { handle, size } = await request.tools.blobs.put(payload.body, {
    size: Number.isNaN(length) ? undefined : length,
  });
  return { parts: [{ handle, size }], digest: payload.digest() };
}

function announcedLength({ header }: S3Request): number {
  return Number(header('x-amz-decoded-content-length') ?? header('content-length') ?? Number.NaN);
}
