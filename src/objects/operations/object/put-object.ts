// PutObject: the content is made durable first, and published by one write set.
import { demandAllowed } from '../../access/authorization.ts';
import type { ObjectVersion } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply, storedHeaders } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { checkWriteConditions } from '../../wire/http/preconditions.ts';
import type { PayloadDigest } from '../../wire/payload/payload.ts';
import { objectProperties } from './object-properties.ts';
import { publish, storeContent } from './store-content.ts';

export const putObject = operation({
  name: 'PutObject',
  method: 'PUT',
  target: 'object',
  isData: true,
  async call(request) {
    const { header, bucket, key, tools } = request;
    demandLength(request);
    const properties = objectProperties(request);
    const { tags } = properties;
    demandAllowed(request, { action: 's3:PutObject', bucket, key, ...(tags && { requestTags: tags }) });
    await checkBefore(request);
    const { parts, digest } = await storeContent(request);
    const owner = request.caller?.user ?? '';
    const made = { ...properties, ...contentOf(digest), key, modified: tools.now(), owner, parts };
    const published = tools.objects.put(bucket.name, made, (current) => checkWriteConditions(header, current));
    const version = await publish(tools, parts, published);
    return emptyReply(200, storedHeaders(version, bucket));
  },
});

export function demandLength({ header }: S3Request): void {
  if (header('content-length') === undefined && header('transfer-encoding') === undefined)
    throw s3Fault('MissingContentLength');
}

// A condition that fails is told before the body is taken.
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
