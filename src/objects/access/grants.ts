// Access control lists: the rights that the grants of a bucket or object give to callers who do not own it.
import type { StoredBucket } from '../metadata/bucket.ts';
import { s3Fault } from '../wire/error.ts';
import { type Grant, isPublicAcl, type Permission } from '../wire/xml/access-control-document.ts';
import type { StorageCaller } from './access-keys.ts';
import type { Question } from './question.ts';

const ownersList = 'bucket-owner-full-control';

// The permission that an action needs, on the bucket or on the object.
const onBucket: Readonly<Record<string, Permission>> = {
  's3:ListBucket': 'READ',
  's3:ListBucketVersions': 'READ',
  's3:ListBucketMultipartUploads': 'READ',
  's3:PutObject': 'WRITE',
  's3:DeleteObject': 'WRITE',
  's3:AbortMultipartUpload': 'WRITE',
  's3:ListMultipartUploadParts': 'WRITE',
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

export function isGranted(caller: StorageCaller | undefined, question: Question): boolean {
  const { bucket, version, listed: action = question.action } = question;
  const has = (grants: readonly Grant[], permission: Permission | undefined): boolean =>
    permission !== undefined &&
    countingGrants(bucket, grants).some(
      (grant) => [permission, 'FULL_CONTROL'].includes(grant.permission) && isMeant(grant, caller),
    );
  return has(bucket.grants ?? [], onBucket[action]) || has(version?.grants ?? [], onObject[action]);
}

function isMeant({ grantee }: Grant, caller: StorageCaller | undefined): boolean {
  if ('group' in grantee) return grantee.group === 'AllUsers' || caller !== undefined;
  return caller !== undefined && [String(caller.contract), caller.user, caller.canonicalUserId].includes(grantee.id);
}

// Returns the grants that are not disabled by other settings of the bucket.
export function countingGrants(bucket: StoredBucket, grants: readonly Grant[]): readonly Grant[] {
  if (hasNoLists(bucket)) return [];
  const ignoresPublic = bucket.publicAccessBlock?.ignorePublicAcls === true;
  return ignoresPublic ? grants.filter(({ grantee }) => !('group' in grantee)) : grants;
}

export const grantsOf = ({ grants, contract }: StoredBucket): Grant[] =>
  grants ?? [{ grantee: { id: String(contract) }, permission: 'FULL_CONTROL' }];

// Throws if the bucket does not accept such grants for itself or its objects. With lists disabled, it accepts only
// grants to its owner, and of the canned ACLs (`canned`, if the request names one) only the one for that.
export function checkGrants(grants: readonly Grant[], bucket: StoredBucket, canned: string | undefined): void {
  if (isPublicAcl(grants) && bucket.publicAccessBlock?.blockPublicAcls) throw s3Fault('AccessDenied');
  const isOwners = (canned ?? ownersList) === ownersList && isOwnersAlone(grants, bucket);
  if (hasNoLists(bucket) && !isOwners) throw s3Fault('AccessControlListNotSupported');
}

export const isOwnersAlone = (grants: readonly Grant[], { contract }: StoredBucket): boolean =>
  grants.every(({ grantee }) => 'id' in grantee && grantee.id === String(contract));

const hasNoLists = ({ objectOwnership }: StoredBucket): boolean => objectOwnership === 'BucketOwnerEnforced';
