// The policy of a bucket, stored and returned as sent, and whether it makes the bucket public.
import { isPublicBucket } from '../../access/public-access.ts';
import { operation } from '../../service/operation.ts';
import { xmlReply } from '../../service/reply.ts';
import { s3Fault } from '../../wire/error.ts';
import { parsePolicy } from '../../wire/policy/document.ts';
import { checkNames } from '../../wire/policy/known-names.ts';
import { isPublicPolicy } from '../../wire/policy/public-policy.ts';
import { configuration } from './configuration.ts';

export const bucketPolicy = configuration({
  name: 'BucketPolicy',
  query: 'policy',
  property: 'policy',
  actions: { get: 's3:GetBucketPolicy', put: 's3:PutBucketPolicy', delete: 's3:DeleteBucketPolicy' },
  missing: 'NoSuchBucketPolicy',
  putStatus: 204,
  isOfOwner: true,
  read: (document) => document.toString('utf8'),
  check(text, bucket) {
    const policy = parsePolicy(text);
    checkNames(policy);
    if (bucket.publicAccessBlock?.blockPublicPolicy && isPublicPolicy(policy)) throw s3Fault('AccessDenied');
  },
  reply: (text) => ({ status: 200, type: 'application/json', body: text }),
});

export const getBucketPolicyStatus = operation({
  name: 'GetBucketPolicyStatus',
  method: 'GET',
  target: 'bucket',
  query: 'policyStatus',
  action: 's3:GetBucketPolicyStatus',
  call: async ({ bucket }) => xmlReply('PolicyStatus', { IsPublic: isPublicBucket(bucket) }),
});
