// Signs requests to an S3 server with AWS Signature Version 4. All headers that are given are signed.
import { canonicalRequest, hashCanonicalRequest } from './canonical-request.ts';
import { scopeText, signingKey, sign as signText } from './signing-key.ts';

export interface S3Credentials {
  accessKey: string;
  secretKey: string;
  region: string;
}

export interface SignedRequest {
  method: string;
  url: URL; // with the path as sent: percent-encoded once
  headers: Readonly<Record<string, string>>; // names in lower case
  payloadHash: string; // SHA-256 of the body in hexadecimal
}

const algorithm = 'AWS4-HMAC-SHA256';

// The headers to send: those of the request, and the signature.
export function sign(request: SignedRequest, credentials: S3Credentials, nowMs: number): Record<string, string> {
  const { method, url, payloadHash } = request;
  const time = new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const scope = { day: time.slice(0, 8), region: credentials.region, service: 's3' };
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-content-sha256': payloadHash,
    'x-amz-date': time,
  };
  const signed = { ...headers, host: url.host };
  const signedHeaders = Object.keys(signed).sort();
  const canonical = canonicalRequest({
    method,
    path: url.pathname,
    query: [...url.searchParams],
    headers: new Map(Object.entries(signed).map(([name, value]) => [name, [value]])),
    signedHeaders,
    payloadHash,
  });
  const text = [algorithm, time, scopeText(scope), hashCanonicalRequest(canonical)].join('\n');
  const signature = signText(signingKey(credentials.secretKey, scope), text);
  const credential = `${credentials.accessKey}/${scopeText(scope)}`;
  const authorization = `${algorithm} Credential=${credential},SignedHeaders=${signedHeaders.join(';')},Signature=${signature}`;
  return { ...headers, authorization };
}
