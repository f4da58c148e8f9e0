// DeleteObject: a version for good, or a delete marker where the bucket keeps versions.
import { demandAllowed, isAllowed } from '../../access/authorization.ts';
import type { Removed } from '../../metadata/objects.ts';
import type { ObjectVersion } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { checkObjectKey } from '../../wire/http/object-key.ts';
import { checkWriteConditions } from '../../wire/http/preconditions.ts';

export const deleteObject = operation({
  name: 'DeleteObject',
  method: 'DELETE',
  target: 'object',
  isData: true,
  async call(request) {
    const removed = await removeObject(request, request.key, request.versionId, (version) =>
      checkWriteConditions(request.header, version),
    );
    return emptyReply(204, removedHeaders(removed));
  },
});

export function removedHeaders({ versionId, isMarker }: Removed): string[] {
  const headers = versionId === undefined ? [] : ['x-amz-version-id', versionId];
  if (isMarker) headers.push('x-amz-delete-marker', 'true');
  return headers;
}

export async function removeObject(
  request: S3Request,
  key: string,
  versionId: string | undefined,
  condition: (version: ObjectVersion | undefined) => void,
): Promise<Removed> {
  const { bucket, tools } = request;
  checkObjectKey(key);
  const action = versionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion';
  demandAllowed(request, { action, bucket, key });
  return tools.objects.remove(bucket.name, key, {
    ...(versionId !== undefined && { versionId }),
    condition,
    check: (version) => demandUnlocked(request, version),
  });
}

// A locked version is removed by nobody; in governance mode by those who may bypass it and say so.
export function demandUnlocked(request: S3Request, { legalHold, retention, key }: ObjectVersion): void {
  const { bucket, header, tools } = request;
  const locked = (): never => {
    throw s3Fault('AccessDenied', 'Access Denied because object protected by object lock.');
  };
  if (legalHold === 'ON') locked();
  if (!retention || retention.retainUntil <= tools.now()) return;
  const bypasses =
    retention.mode === 'GOVERNANCE' &&
    header('x-amz-bypass-governance-retention')?.toLowerCase() === 'true' &&
    isAllowed(request, { action: 's3:BypassGovernanceRetention', bucket, key });
  if (!bypasses) locked();
}
