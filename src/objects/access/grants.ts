// Access control lists: what the grants of a bucket and of an object allow to those who do not own them.
import type { Caller } from '../../core/access.ts';
import type { Grant, Permission } from '../wire/xml/access-control-document.ts';
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
  const ignoresPublic = bucket.publicAccessBlock?.ignorePublicAcls === true;
  const has = (grants: readonly Grant[] | undefined, permission: Permission | undefined): boolean =>
    permission !== undefined &&
    (grants ?? []).some(
      (grant) =>
        [permission, 'FULL_CONTROL'].includes(grant.permission) &&
        isMeant(grant, caller) &&
        !(ignoresPublic && 'group' in grant.grantee),
    );
  return has(bucket.grants, onBucket[action]) || has(version?.grants, onObject[action]);
}

function isMeant({ grantee }: Grant, caller: Caller | undefined): boolean {
  if ('group' in grantee) return grantee.group === 'AllUsers' || caller !== undefined;
  return caller !== undefined && [String(caller.contract), caller.user].includes(grantee.id);
}
