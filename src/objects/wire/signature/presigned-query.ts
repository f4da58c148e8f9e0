// Reads the X-Amz-* parameters of a presigned URL, and checks that it is valid now.

import type { HeaderValues } from '../../../core/s3-signature/canonical-request.ts';
import type { Query } from '../../../core/s3-signature/percent-encoding.ts';
import { s3Fault } from '../error.ts';
import { asHeaderValue } from '../http/header-value.ts';
import { checksumAlgorithms, checksumHeader } from '../payload/checksum.ts';
import { parseSignedHeaders } from './authorization-header.ts';
import { parseCredential, parseTimestamp } from './credential.ts';
import type { Claim } from './signer.ts';

export interface PresignedQuery {
  claim: Claim;
  expiresS: number;
  queryHeaders: Map<string, string>;
}

const own = ['algorithm', 'credential', 'date', 'expires', 'signedheaders', 'signature'].map((name) => `x-amz-${name}`);
const weekS = 7 * 24 * 3600;

export function parsePresignedQuery(query: Query, headers: HeaderValues): PresignedQuery {
  const parameters = new Map<string, string>();
  for (const [name, value] of query) {
    if (own.includes(name.toLowerCase()) && parameters.has(name)) throw refused(`${name} is given twice.`);
    parameters.set(name, value);
  }
  const parameter = (name: string): string =>
    parameters.get(name) || fail(`Query-string authentication requires the parameter ${name}.`);
  if (parameter('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') fail('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256".');
  const credential =
    parseCredential(parameter('X-Amz-Credential')) ??
    fail('Error parsing X-Amz-Credential; it must be <access key>/YYYYMMDD/<region>/s3/aws4_request.');
  const time = parameter('X-Amz-Date');
  if (Number.isNaN(parseTimestamp(time))) fail('X-Amz-Date must have the form YYYYMMDDThhmmssZ.');
  if (!time.startsWith(credential.scope.day)) fail('The date of X-Amz-Credential differs from that of X-Amz-Date.');
  const queryHeaders = headersInQuery(query);
  return {
    claim: {
      ...credential,
      timestamp: time,
      signedHeaders: parseSignedHeaders(parameter('X-Amz-SignedHeaders')),
      signature: parameter('X-Amz-Signature'),
      payloadHash: presignedPayloadHash(queryHeaders, headers),
    },
    expiresS: expiry(parameter('X-Amz-Expires')),
    queryHeaders,
  };
}

export function checkPresignedTime(signedAt: number, expiresS: number, now: number, skewMs: number): void {
  if (signedAt - now > skewMs) throw s3Fault('AccessDenied', 'Request is not valid yet');
  if (now > signedAt + expiresS * 1000) throw s3Fault('AccessDenied', 'Request has expired');
}

function expiry(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) fail('X-Amz-Expires should be a number');
  const seconds = Number(text);
  if (seconds < 1) fail('X-Amz-Expires must be positive');
  if (seconds > weekS) fail(`X-Amz-Expires must be less than a week (in seconds) that is ${weekS}`);
  return seconds;
}

// Signers move x-amz-* headers into the query, where they are signed with it. As in S3, checksums there are ignored:
// SDKs that sign before they have the body write the checksum of an empty one.
const uncounted = ['x-amz-sdk-checksum-algorithm', ...checksumAlgorithms.map(checksumHeader)];

function headersInQuery(query: Query): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of query) {
    const lower = name.toLowerCase();
    if (lower.startsWith('x-amz-') && !own.includes(lower) && !uncounted.includes(lower))
      headers.set(lower, asHeaderValue(value));
  }
  return headers;
}

function presignedPayloadHash(queryHeaders: Map<string, string>, headers: HeaderValues): string {
  const name = 'x-amz-content-sha256';
  return queryHeaders.get(name) ?? headers.get(name)?.[0] ?? 'UNSIGNED-PAYLOAD';
}

const refused = (message: string): Error => s3Fault('AuthorizationQueryParametersError', message);

function fail(message: string): never {
  throw refused(message);
}
