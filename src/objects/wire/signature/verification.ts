// Verifies the signer of a request: Signature Version 4 in the Authorization header or in the query (a presigned URL),
// or the older Version 2 in the query. A request without a signature is anonymous; one with two is refused.

import {
  canonicalPaths,
  canonicalRequest,
  type HeaderValues,
  hashCanonicalRequest,
  headerValues,
} from '../../../core/s3-signature/canonical-request.ts';
import { parseTarget } from '../../../core/s3-signature/percent-encoding.ts';
import { isEqual, scopeText, sign, signingKey } from '../../../core/s3-signature/signing-key.ts';
import { s3Fault } from '../error.ts';
import { parseAuthorization } from './authorization-header.ts';
import { parseTimestamp } from './credential.ts';
import { type PayloadMode, payloadMode } from './payload-mode.ts';
import { checkPresignedTime, parsePresignedQuery } from './presigned-query.ts';
import type { Claim, RequestParts, SignatureContext, SignedRequest, Signer } from './signer.ts';
import { verifyVersion2 } from './version-2.ts';

const skewMs = 15 * 60_000;

export async function verifySignature(request: SignedRequest, context: SignatureContext): Promise<Signer | undefined> {
  const { path, query } = parseTarget(request.target);
  const headers = headerValues(request.rawHeaders);
  const authorization = headers.get('authorization');
  const names = new Set(query.map(([name]) => name));
  const isPresigned = names.has('X-Amz-Algorithm') || names.has('X-Amz-Signature');
  const isVersion2 = names.has('AWSAccessKeyId') && names.has('Signature');
  if (Number(authorization !== undefined) + Number(isPresigned) + Number(isVersion2) > 1) {
    throw s3Fault(
      'InvalidArgument',
      'Only one auth mechanism allowed: the query parameters or the Authorization header.',
    );
  }
  const parts = { method: request.method, path, query, headers, hostBucket: request.hostBucket };
  if (isVersion2) return await verifyVersion2(parts, context);
  if (isPresigned) return await verifyPresigned(parts, context);
  return authorization && (await verifyHeader(parts, authorization, context));
}

async function verifyHeader(
  parts: RequestParts,
  authorization: readonly string[],
  context: SignatureContext,
): Promise<Signer> {
  const claim = parseAuthorization(authorization, parts.headers);
  const payload = payloadMode(claim.payloadHash);
  if (!(Math.abs(parseTimestamp(claim.timestamp) - context.now) <= skewMs)) throw s3Fault('RequestTimeTooSkewed');
  const key = await verifyClaim(claim, parts, canonicalPaths(parts.path, true), context);
  return signer(claim, key, payload, new Map());
}

async function verifyPresigned(parts: RequestParts, context: SignatureContext): Promise<Signer> {
  const { claim, expiresS, queryHeaders } = parsePresignedQuery(parts.query, parts.headers);
  const payload = payloadMode(claim.payloadHash);
  checkPresignedTime(parseTimestamp(claim.timestamp), expiresS, context.now, skewMs);
  const query = parts.query.filter(([name]) => name !== 'X-Amz-Signature');
  const key = await verifyClaim(claim, { ...parts, query }, canonicalPaths(parts.path, false), context);
  return { ...signer(claim, key, payload, queryHeaders), isPresigned: true };
}

function signer(claim: Claim, key: Buffer, payload: PayloadMode, queryHeaders: Signer['queryHeaders']): Signer {
  return {
    accessKeyId: claim.accessKeyId,
    region: claim.scope.region,
    isPresigned: false,
    payload,
    chunkSigning: { key, timestamp: claim.timestamp, scope: scopeText(claim.scope), seed: claim.signature },
    queryHeaders,
  };
}

// Returns the signing key, or throws.
async function verifyClaim(
  claim: Claim,
  parts: RequestParts,
  paths: string[],
  context: SignatureContext,
): Promise<Buffer> {
  checkSignedHeaders(claim.signedHeaders, parts.headers);
  const secret = await context.secretOf(claim.accessKeyId);
  if (secret === undefined) throw s3Fault('InvalidAccessKeyId');
  const key = signingKey(secret, claim.scope);
  for (const path of paths) {
    const canonical = canonicalRequest({ ...parts, ...claim, path });
    const text = ['AWS4-HMAC-SHA256', claim.timestamp, scopeText(claim.scope), hashCanonicalRequest(canonical)];
    if (isEqual(sign(key, text.join('\n')), claim.signature)) return key;
  }
  throw s3Fault('SignatureDoesNotMatch');
}

// A header that is not signed could be added or changed in transit.
function checkSignedHeaders(signed: readonly string[], headers: HeaderValues): void {
  const isSigned = new Set(signed);
  if (!isSigned.has('host')) throw s3Fault('AccessDenied', 'The host header must be signed.');
  const unsigned = [...headers.keys()].filter((name) => name.startsWith('x-amz-') && !isSigned.has(name));
  if (unsigned.length > 0) {
    const names = unsigned.slice(0, 10).join(', ');
    throw s3Fault('AccessDenied', `There were headers present in the request which were not signed: ${names}`);
  }
}
