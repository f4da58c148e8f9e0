// Signature Version 2 in the query, which aws-cli uses by default for a presigned URL: HMAC-SHA1 over the method, the
// expiry date and the resource. It is not accepted in the Authorization header.
import { createHmac } from 'node:crypto';
import { canonicalPaths } from '../../../core/s3-signature/canonical-request.ts';
import { isEqual } from '../../../core/s3-signature/signing-key.ts';
import { s3Fault } from '../error.ts';
import type { RequestParts, SignatureContext, Signer } from './signer.ts';

// Only these parameters are signed, in alphabetical order.
const subresources = new Set(
  (
    'accelerate acl analytics cors defaultObjectAcl delete encryption intelligent-tiering inventory lifecycle ' +
    'location logging metrics notification object-lock ownershipControls partNumber policy policyStatus ' +
    'publicAccessBlock replication requestPayment response-cache-control response-content-disposition ' +
    'response-content-encoding response-content-language response-content-type response-expires restore retention ' +
    'select select-type legal-hold tagging torrent uploadId uploads versionId versioning versions website'
  ).split(' '),
);

export async function verifyVersion2(parts: RequestParts, context: SignatureContext): Promise<Signer> {
  const parameter = (name: string): string => {
    const values = parts.query.filter(([each]) => each === name);
    if (values.length === 1 && values[0]?.[1]) return values[0][1];
    throw s3Fault('AccessDenied', `Query-string authentication requires the parameter ${name} once.`);
  };
  const expires = parameter('Expires');
  if (!/^\d{1,12}$/.test(expires)) throw s3Fault('AccessDenied', 'Invalid date (should be seconds since epoch)');
  if (context.now > Number(expires) * 1000) throw s3Fault('AccessDenied', 'Request has expired');
  const accessKeyId = parameter('AWSAccessKeyId');
  const secret = await context.secretOf(accessKeyId);
  if (secret === undefined) throw s3Fault('InvalidAccessKeyId');
  const given = parameter('Signature');
  const isGiven = resources(parts).some((resource) => isEqual(signature(secret, parts, expires, resource), given));
  if (!isGiven) throw s3Fault('SignatureDoesNotMatch');
  return {
    accessKeyId,
    region: undefined,
    isPresigned: true,
    payload: { kind: 'unsigned' },
    chunkSigning: undefined,
    queryHeaders: new Map(),
  };
}

function signature(secret: string, parts: RequestParts, expires: string, resource: string): string {
  const header = (name: string): string => parts.headers.get(name)?.[0]?.trim() ?? '';
  const amz = [...parts.headers.keys()].filter((name) => name.startsWith('x-amz-')).sort();
  const text = [
    parts.method,
    header('content-md5'),
    header('content-type'),
    expires,
    ...amz.map((name) => `${name}:${(parts.headers.get(name) ?? []).map((value) => value.trim()).join(',')}`),
    resource,
  ];
  return createHmac('sha1', secret).update(text.join('\n')).digest('base64');
}

// A bucket in the host name is signed as the first part of the path. The host itself is not signed, so the path alone
// must not be accepted then: it would be valid for another bucket.
function resources({ path, query, hostBucket }: RequestParts): string[] {
  const signed = query.filter(([name]) => subresources.has(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  const suffix = signed.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&');
  const bucket = hostBucket === undefined ? '' : `/${hostBucket}`;
  return canonicalPaths(path, false).map((each) => `${bucket}${each}${suffix ? `?${suffix}` : ''}`);
}
