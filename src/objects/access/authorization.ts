// Rights in a bucket: of its owners, and of callers that its policy or its grants allow. An explicit deny of the policy
// overrides everything except an administrator's right to change the policy itself.
import { type Caller, isAdmin } from '../../core/access.ts';
import type { StoredBucket } from '../metadata/bucket.ts';
import type { S3Request } from '../service/request.ts';
import { s3Fault } from '../wire/error.ts';
import type { Policy } from '../wire/policy/document.ts';
import { evaluatePolicy, type Verdict } from '../wire/policy/evaluation.ts';
import { isPublicPolicy } from '../wire/policy/public-policy.ts';
import { requestContext } from '../wire/policy/request-context.ts';
import type { StorageCaller } from './access-keys.ts';
import { policyOf } from './bucket-policy.ts';
import { isGranted } from './grants.ts';
import type { Question } from './question.ts';

const policyActions = ['s3:GetBucketPolicy', 's3:PutBucketPolicy', 's3:DeleteBucketPolicy'];

export function demandAllowed(request: S3Request, question: Question): void {
  if (!isAllowed(request, question)) throw s3Fault('AccessDenied');
}

export function isAllowed(request: S3Request, question: Question): boolean {
  const { bucket, action } = question;
  const { caller } = request;
  const isOwner = caller !== undefined && ownsBucket(caller, bucket);
  const policy = policyOf(bucket);
  const verdict = policy ? verdictOf(policy, request, question) : 'none';
  if (verdict === 'deny') return isOwner && isAdmin(caller) && policyActions.includes(action);
  if (isOwner) return true;
  if (verdict === 'allow' && policy && !isRestricted(policy, bucket, caller)) return true;
  return isGranted(caller, question);
}

// Owners of a contract's bucket are the administrators and all users with the privilege; the owner of a user's bucket
// is that user, or the administrators once the user is deleted.
export const ownsBucket = (caller: Caller, bucket: StoredBucket): boolean =>
  mayUseStorage(caller) && isOpenTo(caller, bucket);

export const mayUseStorage = (caller: Caller): boolean => isAdmin(caller) || caller.privileges.has('s3Privilege');

// Whether the bucket belongs to the contract or to the caller, whatever the privileges are.
export function isOpenTo(caller: Caller, bucket: StoredBucket): boolean {
  if (caller.contract !== bucket.contract) return false;
  return bucket.ownership === 'contract' || caller.user === bucket.owner || (bucket.isInherited && isAdmin(caller));
}

// If public access is blocked, a public policy admits only the bucket's own contract.
const isRestricted = (policy: Policy, bucket: StoredBucket, caller: Caller | undefined): boolean =>
  bucket.publicAccessBlock?.restrictPublicBuckets === true &&
  isPublicPolicy(policy) &&
  caller?.contract !== bucket.contract;

function verdictOf(policy: Policy, request: S3Request, question: Question): Verdict {
  const { caller, signer, x, query, header } = request;
  const { bucket, action, key, prefix, version, requestTags } = question;
  return evaluatePolicy(policy, {
    principals: caller ? principalsOf(caller) : [],
    action,
    resource: key === undefined ? bucket.name : `${bucket.name}/${key}`,
    context: requestContext({
      now: request.tools.now(),
      sourceIp: x.address.replace(/^::ffff:/, ''),
      isSecure: x.secure,
      userId: caller?.user,
      userName: caller?.email,
      isPresigned: signer?.isPresigned ?? false,
      header,
      query: prefix === undefined ? query : [...query, ['prefix', prefix]],
      ...(version?.tags && { existingTags: version.tags }),
      ...(requestTags && { requestTags }),
    }),
  });
}

// All names by which a policy can refer to the caller.
const principalsOf = ({ contract, user, email, canonicalUserId }: StorageCaller): string[] => [
  String(contract),
  user,
  ...(canonicalUserId === undefined ? [] : [canonicalUserId]),
  `arn:aws:iam::${contract}:root`,
  `arn:aws:iam::${contract}:user/${user}`,
  `arn:aws:iam::${contract}:user/${email}`,
  `arn:aws:iam:::user/${contract}:${user}`,
];
