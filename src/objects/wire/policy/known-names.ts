// The names that a policy may contain when it is set: a typo in an action or a principal would silently never match.
import { isUuid } from '../../../base/ids.ts';
import { s3Fault } from '../error.ts';
import type { Policy } from './document.ts';
import { matchesPattern } from './pattern.ts';

// The actions of S3, including those of unsupported parts: existing policies name them.
const bucketParts = [
  'Acl CORS Logging Notification ObjectLockConfiguration OwnershipControls Policy PublicAccessBlock RequestPayment',
  'Tagging Versioning Website',
].flatMap((line) => line.split(' '));
const bucketConfigurations =
  'Accelerate Analytics Encryption IntelligentTiering Inventory Lifecycle Metrics Replication'.split(' ');
const getAndPut = (names: readonly string[]): string[] => names.flatMap((name) => [`Get${name}`, `Put${name}`]);

const knownActions = [
  ...getAndPut(bucketParts.map((part) => `Bucket${part}`)),
  ...getAndPut(bucketConfigurations.map((name) => `${name}Configuration`)),
  ...getAndPut(['Object', 'ObjectAcl', 'ObjectTagging', 'ObjectLegalHold', 'ObjectRetention']),
  ...getAndPut(['ObjectVersionAcl', 'ObjectVersionTagging', 'AccountPublicAccessBlock']),
  ...'CreateBucket DeleteBucket DeleteBucketPolicy DeleteBucketWebsite GetBucketLocation'.split(' '),
  ...'ListAllMyBuckets ListBucket ListBucketVersions ListBucketMultipartUploads ListMultipartUploadParts'.split(' '),
  ...'AbortMultipartUpload BypassGovernanceRetention DeleteObject DeleteObjectTagging DeleteObjectVersion'.split(' '),
  ...'DeleteObjectVersionTagging GetObjectAttributes GetObjectTorrent GetObjectVersion'.split(' '),
  ...'GetObjectVersionAttributes GetObjectVersionForReplication GetObjectVersionTorrent'.split(' '),
  ...'InitiateReplication ObjectOwnerOverrideToBucketOwner ReplicateDelete ReplicateObject ReplicateTags'.split(' '),
  ...'RestoreObject CreateSession UpdateObjectEncryption GetBucketAbac GetBucketPolicyStatus PutBucketAbac'.split(' '),
].map((name) => `s3:${name}`.toLowerCase());

// Throws MalformedPolicy if a name is unknown. Stored policies are not checked again.
export function checkNames({ statements }: Policy): void {
  for (const { actions, principal } of statements) {
    const action = actions.find((pattern) => !knownActions.some((known) => matchesPattern(pattern, known)));
    if (action !== undefined) throw s3Fault('MalformedPolicy', `Policy has invalid action: ${action.slice(0, 80)}`);
    const name = principal.names.find((one) => !isPrincipal(one));
    if (name !== undefined) throw s3Fault('MalformedPolicy', `Invalid principal in policy: ${name.slice(0, 80)}`);
  }
}

// A contract, a user, or an ARN of one of them; roles exist only in AWS, and match no one here.
const isPrincipal = (name: string): boolean =>
  /^(?:\d{1,12}|[0-9a-f]{32}|[0-9a-f]{64})$/.test(name) ||
  isUuid(name) ||
  /^arn:aws:iam::[\w-]*:(?:root|(?:user|role)\/.+)$/.test(name);
