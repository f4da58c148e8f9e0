// Access control lists: what the grants of a bucket and of an object allow to those who do not own them.
import type { Caller } from '../../core/access.ts';
import type { StoredBucket } from '../metadata/bucket.ts';
import { s3Fault } from '../wire/error.ts';
import { type Grant, isPublicAcl, type Permission } from '../wire/xml/access-control-document.ts';
import type { Question } from './question.ts';

// The permission that an action needs, and whose grants count.
const onBucket: Readonly<Record<string, Permission>> = {
  's3:ListBucket': 'READ',
  's3:ListBucketVersions': 'READ',
  's3:ListBucketMultipartUploads': 'READ',
  's3:PutObject': 'WRITE',
  's3:DeleteObject': 'WRITE',
  's3:GetBucketAcl': 'READ_ACP',
  's3:PutBucketAcl': 'WRITE_ACP',
};
const onObject: Readonly<Record<string, Permission>> = {
  's3:GetObject': 'READ',
  's3:GetObjectVersion': 'READ',
  's3:GetObjectAttributes': 'READ',
  's3:GetObjectAcl': 'READ_ACP',
  's3:PutObjectAcl': 'WRITE_ACP',
};

export function isGranted(caller: Caller | undefined, { action, bucket, version }: Question): boolean {
  const has = (grants: readonly Grant[], permission: Permission | undefined): boolean =>
    permission !== undefined &&
    countingGrants(bucket, grants).some(
      (grant) => [permission, 'FULL_CONTROL'].includes(grant.permission) && isMeant(grant, caller),
    );
  return has(bucket.grants ?? [], onBucket[action]) || has(version?.grants ?? [], onObject[action]);
}

function isMeant({ grantee }: Grant, caller: Caller | undefined): boolean {
  if ('group' in grantee) return grantee.group === 'AllUsers' || caller !== undefined;
  return caller !== undefined && [String(caller.contract), caller.user].includes(grantee.id);
}

// Without those that the bucket's other settings take the effect from.
export function countingGrants(bucket: StoredBucket, grants: readonly Grant[]): readonly Grant[] {
  if (hasNoLists(bucket)) return [];
  const ignoresPublic = bucket.publicAccessBlock?.ignorePublicAcls === true;
  return ignoresPublic ? grants.filter(({ grantee }) => !('group' in grantee)) : grants;
}

export const grantsOf = ({ grants, contract }: StoredBucket): Grant[] =>
  grants ?? [{ grantee: { id: String(contract) }, permission: 'FULL_CONTROL' }];

// Throws where the bucket does not take such grants for itself or its objects.
export function checkGrants(grants: readonly Grant[], bucket: StoredBucket): void {
  if (isPublicAcl(grants) && bucket.publicAccessBlock?.blockPublicAcls) throw s3Fault('AccessDenied');
  if (hasNoLists(bucket) && !isOwnersAlone(grants, bucket)) throw s3Fault('AccessControlListNotSupported');
}

export const isOwnersAlone = (grants: readonly Grant[], { contract }: StoredBucket): boolean =>
  grants.every(({ grantee }) => 'id' in grantee && grantee.id === String(contract));

const hasNoLists = ({ objectOwnership }: StoredBucket): boolean => objectOwnership === 'BucketOwnerEnforced';
