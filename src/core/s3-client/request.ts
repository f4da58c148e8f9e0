// A signed request of the S3 protocol. Buckets are addressed by path, which every server accepts.
import { createHash } from 'node:crypto';
import { encodePath } from '../s3-signature/percent-encoding.ts';
import { type S3Credentials, sign } from '../s3-signature/sign.ts';

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  bucket?: string;
  key?: string; // not encoded
  query?: Readonly<Record<string, string | number | undefined>>; // an empty text is a name alone: ?location
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array<ArrayBuffer> | string;
}

export interface SignedRequest {
  url: URL;
  headers: Record<string, string>;
}

export function signedRequest(
  origin: string,
  { method, bucket = '', key, query = {}, headers = {}, body = '' }: S3Request,
  credentials: S3Credentials,
  nowMs: number,
): SignedRequest {
  const url = new URL(key === undefined ? `/${bucket}` : `/${bucket}/${encodePath(key)}`, origin);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.append(name, String(value));
  const payloadHash = createHash('sha256').update(body).digest('hex');
  return { url, headers: sign({ method, url, headers, payloadHash }, credentials, nowMs) };
}
