// All operations on the configurations of a bucket.
import type { Operation } from '../../service/operation.ts';
import { getBucketAcl, putBucketAcl } from './acl.ts';
import { bucketCors, preflights } from './cors.ts';
import { bucketEncryption } from './encryption.ts';
import { bucketLifecycle } from './lifecycle.ts';
import { notConfigured } from './not-configured.ts';
import { objectLockConfiguration } from './object-lock.ts';
import { ownershipControls } from './ownership-controls.ts';
import { bucketPolicy, getBucketPolicyStatus } from './policy.ts';
import { publicAccessBlock } from './public-access-block.ts';
import { bucketTagging } from './tagging.ts';
import { getBucketVersioning, putBucketVersioning } from './versioning.ts';
import { bucketWebsite } from './website.ts';

export const configurations: readonly Operation[] = [
  getBucketAcl,
  putBucketAcl,
  ...bucketCors,
  ...preflights,
  ...bucketEncryption,
  ...bucketLifecycle,
  ...notConfigured,
  ...objectLockConfiguration,
  ...ownershipControls,
  ...bucketPolicy,
  getBucketPolicyStatus,
  ...publicAccessBlock,
  ...bucketTagging,
  getBucketVersioning,
  putBucketVersioning,
  ...bucketWebsite,
];
