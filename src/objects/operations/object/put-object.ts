// PutObject: the content is made durable first, and published by one write set.
import { demandAllowed } from '../../access/authorization.ts';
import type { ObjectProperties, ObjectVersion } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply, storedHeaders } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { checkWriteConditions } from '../../wire/http/preconditions.ts';
import type { PayloadDigest } from '../../wire/payload/payload.ts';
import { objectProperties, withDefaultRetention, withEncryption } from './object-properties.ts';
import { publish, storeContent } from './store-content.ts';

export const putObject = operation({
  name: 'PutObject',
  method: 'PUT',
  target: 'object',
  isData: true,
  async call(request) {
    const { header, bucket, key, tools } = request;
    const requested = objectProperties(request);
    demandPut(request, key, requested);
    const { properties, customerKey } = withEncryption(requested, request);
    demandLength(request);
    demandWhole(request);
    await checkBefore(request);
    const { parts, digest } = await storeContent(request, customerKey);
    const owner = request.caller?.user ?? '';
    const kept = withDefaultRetention(properties, bucket, tools.now());
    const made = { ...kept, ...contentOf(digest), key, modified: tools.now(), owner, parts };
    const published = tools.objects.put(bucket.name, made, (current) => checkWriteConditions(header, current));
    const version = await publish(tools, parts, published);
    return emptyReply(200, storedHeaders(version, bucket, customerKey));
  },
});

// Properties of an upload need the same rights as setting them on an existing object. The access control list of a
// bucket permits all of them except locks.
export function demandPut(request: S3Request, key: string, properties: ObjectProperties): void {
  const { tags, grants, retention, legalHold } = properties;
  const about = { bucket: request.bucket, key, ...(tags && { requestTags: tags }) };
  const listed = 's3:PutObject';
  demandAllowed(request, { ...about, action: 's3:PutObject' });
  if (tags?.length) demandAllowed(request, { ...about, action: 's3:PutObjectTagging', listed });
  if (grants) demandAllowed(request, { ...about, action: 's3:PutObjectAcl', listed });
  if (retention) demandAllowed(request, { ...about, action: 's3:PutObjectRetention' });
  if (legalHold) demandAllowed(request, { ...about, action: 's3:PutObjectLegalHold' });
}

export function demandLength({ header }: S3Request): void {
  if (header('content-length') === undefined && header('transfer-encoding') === undefined)
    throw s3Fault('MissingContentLength');
}

// A body for appending would otherwise replace the object.
function demandWhole({ header }: S3Request): void {
  if (header('x-amz-write-offset-bytes') !== undefined)
    throw s3Fault('NotImplemented', 'Appending to an object is not supported.');
}

// Reports a failed condition before the body is received.
export async function checkBefore({ header, bucket, key, tools }: S3Request): Promise<void> {
  if (header('if-match') === undefined && header('if-none-match') === undefined) return;
  const latest = await tools.objects.latest(bucket, key);
  checkWriteConditions(header, latest?.isMarker ? undefined : latest);
}

export const contentOf = ({
  size,
  md5,
  checksum,
}: PayloadDigest): Pick<ObjectVersion, 'size' | 'etag' | 'checksum'> => ({
  size,
  etag: md5.toString('hex'),
  ...(checksum && { checksum: { ...checksum, type: 'FULL_OBJECT' as const } }),
});
