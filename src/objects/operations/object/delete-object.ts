// DeleteObject: removes a version permanently, or adds a delete marker if the bucket has versioning.
import { demandAllowed, isAllowed } from '../../access/authorization.ts';
import type { StoredBucket } from '../../metadata/bucket.ts';
import type { Removed } from '../../metadata/objects.ts';
import { isRetained, type ObjectVersion } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { namesEntityTag } from '../../wire/http/entity-tag.ts';
import { checkObjectKey } from '../../wire/http/object-key.ts';

// The conditions that the removed or hidden version must meet.
export interface DeleteConditions {
  etag: string | undefined;
  size: string | undefined;
  lastModified: string | undefined;
}

export const deleteObject = operation({
  name: 'DeleteObject',
  method: 'DELETE',
  target: 'object',
  isData: true,
  async call(request) {
    const { header } = request;
    const removed = await removeObject(request, request.key, request.versionId, {
      etag: header('if-match'),
      size: header('x-amz-if-match-size'),
      lastModified: header('x-amz-if-match-last-modified-time'),
    });
    return emptyReply(204, removedHeaders(removed));
  },
});

function removedHeaders({ versionId, isMarker }: Removed): string[] {
  const headers = versionId === undefined ? [] : ['x-amz-version-id', versionId];
  if (isMarker) headers.push('x-amz-delete-marker', 'true');
  return headers;
}

export function removeObject(
  request: S3Request,
  key: string,
  versionId: string | undefined,
  conditions: DeleteConditions,
): Promise<Removed> {
  const { bucket, tools } = request;
  checkObjectKey(key);
  const action = versionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion';
  demandAllowed(request, { action, bucket, key });
  return tools.objects.remove(bucket.name, key, {
    ...(versionId !== undefined && { versionId }),
    condition: (version) => checkConditions(conditions, version),
    check: (version) => demandUnlocked(request, version),
  });
}

function checkConditions({ etag, size, lastModified }: DeleteConditions, version: ObjectVersion | undefined): void {
  if (!version) return; // a missing version counts as removed
  const isSameTime = (text: string): boolean =>
    Math.floor(Date.parse(text) / 1000) === Math.floor(version.modified / 1000);
  const holds =
    (etag === undefined || namesEntityTag(etag, version.etag)) &&
    (size === undefined || Number(size) === version.size) &&
    (lastModified === undefined || isSameTime(lastModified));
  if (!holds) throw s3Fault('PreconditionFailed');
}

// No caller may remove a locked version, except in governance mode those who may bypass it and request that.
function demandUnlocked(request: S3Request, version: ObjectVersion): void {
  const { legalHold, retention, key } = version;
  const isBypassed = retention?.mode === 'GOVERNANCE' && bypassesGovernance(request, request.bucket, key);
  if (legalHold === 'ON' || (isRetained(version, request.tools.now()) && !isBypassed))
    throw s3Fault('AccessDenied', 'Access Denied because object protected by object lock.');
}

export const bypassesGovernance = (request: S3Request, bucket: StoredBucket, key: string): boolean =>
  request.header('x-amz-bypass-governance-retention')?.toLowerCase() === 'true' &&
  isAllowed(request, { action: 's3:BypassGovernanceRetention', bucket, key });
