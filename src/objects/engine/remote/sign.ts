// Signs requests to an S3 server with AWS Signature Version 4. All headers that are given are signed.
import { createHash, createHmac } from 'node:crypto';

export interface S3Credentials {
  accessKey: string;
  secretKey: string;
  region: string;
}

export interface SignedRequest {
  method: string;
  url: URL; // its path is percent-encoded once, as it is sent
  headers: Readonly<Record<string, string>>; // names in lower case
  payloadHash: string; // SHA-256 of the body in hexadecimal
}

const algorithm = 'AWS4-HMAC-SHA256';

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

// The headers to send: those of the request, and the signature.
export function sign(request: SignedRequest, credentials: S3Credentials, nowMs: number): Record<string, string> {
  const { method, url, payloadHash } = request;
  const time = new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const scope = `${day}/${credentials.region}/s3/aws4_request`;
  const headers = { ...request.headers, 'x-amz-content-sha256': payloadHash, 'x-amz-date': time };
  const signed = Object.entries({ ...headers, host: url.host }).sort(byName);
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url.searchParams),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    payloadHash,
  ].join('\n');
  const key = [day, credentials.region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${credentials.secretKey}`,
  );
  const signature = hmac(key, [algorithm, time, scope, sha256(canonical)].join('\n')).toString('hex');
  const authorization = `${algorithm} Credential=${credentials.accessKey}/${scope},SignedHeaders=${names},Signature=${signature}`;
  return { ...headers, authorization };
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const byName = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : a > b ? 1 : 0);

function canonicalQuery(parameters: URLSearchParams): string {
  const encoded = [...parameters].map(([name, value]): [string, string] => [encode(name), encode(value)]);
  return encoded
    .sort(byName)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
