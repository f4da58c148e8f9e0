// Presigned URLs of S3, by Signature Version 4: anyone who has one may send this one request until it expires.
import { canonicalRequest, hashCanonicalRequest } from './canonical-request.ts';
import { encode, encodePath } from './percent-encoding.ts';
import type { S3Credentials } from './sign.ts';
import { scopeText, signingKey, sign as signText } from './signing-key.ts';

export interface PresignedRequest {
  method: string;
  endpoint: string; // scheme and host
  bucket: string;
  key: string;
  query: Readonly<Record<string, string>>;
  expiresS: number;
}

const algorithm = 'AWS4-HMAC-SHA256';
const payloadHash = 'UNSIGNED-PAYLOAD';

export function presign(request: PresignedRequest, credentials: S3Credentials, nowMs: number): string {
  const { method, endpoint, bucket, key, expiresS } = request;
  const { accessKey, secretKey, region } = credentials;
  const time = new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const scope = { day: time.slice(0, 8), region, service: 's3' };
  const query: [string, string][] = Object.entries({
    ...request.query,
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${accessKey}/${scopeText(scope)}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(expiresS),
    'X-Amz-SignedHeaders': 'host',
  });
  const canonical = canonicalRequest({
    method,
    path: `/${bucket}/${encodePath(key)}`,
    query,
    headers: new Map([['host', [new URL(endpoint).host]]]),
    signedHeaders: ['host'],
    payloadHash,
  });
  const text = [algorithm, time, scopeText(scope), hashCanonicalRequest(canonical)].join('\n');
  const signature = signText(signingKey(secretKey, scope), text);
  const search = [...query, ['X-Amz-Signature', signature]].map((pair) =>
    pair.map((one) => encode(one ?? '')).join('='),
  );
  return `${endpoint}/${bucket}/${sentKey(key)}?${search.join('&')}`;
}

// Clients would resolve the dots of `a/../b`, unless its slashes are encoded too. The signature is the same.
const sentKey = (key: string): string => (/(?:^|\/)\.\.?(?:\/|$)/.test(key) ? encode(key) : encodePath(key));
