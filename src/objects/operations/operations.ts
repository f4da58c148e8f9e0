// All S3 operations, one line each.
import type { Operation } from '../service/operation.ts';
import { deleteBucket, getBucketLocation, headBucket, listBuckets } from './bucket/buckets.ts';
import { createBucket } from './bucket/create-bucket.ts';
import { configurations } from './config/configurations.ts';
import { listObjectsV1, listObjectsV2 } from './list/list-objects.ts';
import { listObjectVersions } from './list/list-versions.ts';
import { abortUpload } from './multipart/abort-upload.ts';
import { completeUpload } from './multipart/complete-upload.ts';
import { createUpload } from './multipart/create-upload.ts';
import { listParts } from './multipart/list-parts.ts';
import { listUploads } from './multipart/list-uploads.ts';
import { uploadPart, uploadPartCopy } from './multipart/upload-part.ts';
import { copyObject } from './object/copy-object.ts';
import { deleteObject } from './object/delete-object.ts';
import { deleteObjects } from './object/delete-objects.ts';
import { getObject, headObject } from './object/get-object.ts';
import { getObjectAcl, putObjectAcl } from './object/object-acl.ts';
import { getObjectAttributes } from './object/object-attributes.ts';
import {
  getObjectLegalHold,
  getObjectRetention,
  putObjectLegalHold,
  putObjectRetention,
} from './object/object-lock.ts';
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from './object/object-tagging.ts';
import { postObject, postObjectAt } from './object/post-object.ts';
import { putObject } from './object/put-object.ts';

export const operations: readonly Operation[] = [
  listBuckets,
  createBucket,
  headBucket,
  deleteBucket,
  getBucketLocation,
  ...configurations,
  listObjectsV1,
  listObjectsV2,
  listObjectVersions,
  putObject,
  copyObject,
  postObject,
  postObjectAt,
  getObject,
  headObject,
  getObjectAttributes,
  deleteObject,
  deleteObjects,
  getObjectTagging,
  putObjectTagging,
  deleteObjectTagging,
  getObjectAcl,
  putObjectAcl,
  getObjectRetention,
  putObjectRetention,
  getObjectLegalHold,
  putObjectLegalHold,
  createUpload,
  uploadPart,
  uploadPartCopy,
  completeUpload,
  abortUpload,
  listParts,
  listUploads,
];
