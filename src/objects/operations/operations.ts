// All S3 operations, one line each.
import type { Operation } from '../service/operation.ts';
import { deleteBucket, getBucketLocation, headBucket, listBuckets } from './bucket/buckets.ts';
import { createBucket } from './bucket/create-bucket.ts';
import { listObjectsV1, listObjectsV2 } from './list/list-objects.ts';
import { deleteObject } from './object/delete-object.ts';
import { getObject, headObject } from './object/get-object.ts';
import { putObject } from './object/put-object.ts';

export const operations: readonly Operation[] = [
  listBuckets,
  createBucket,
  headBucket,
  deleteBucket,
  getBucketLocation,
  listObjectsV1,
  listObjectsV2,
  putObject,
  getObject,
  headObject,
  deleteObject,
];
