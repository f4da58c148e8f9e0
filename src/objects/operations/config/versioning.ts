// Versioning of a bucket: once enabled it can be suspended, but not while objects may be locked.
import { operation } from '../../service/operation.ts';
import { xmlReply } from '../../service/reply.ts';
import { s3Fault } from '../../wire/error.ts';
import { readVersioningConfiguration } from '../../wire/xml/bucket-documents.ts';
import { putConfiguration } from './configuration.ts';

// Terraform recognizes this text.
const lockedMessage = 'bucket versioning cannot be disabled on buckets with object lock enabled';

export const putBucketVersioning = putConfiguration({
  name: 'BucketVersioning',
  query: 'versioning',
  property: 'versioning',
  actions: { get: 's3:GetBucketVersioning', put: 's3:PutBucketVersioning' },
  read: (document) => readVersioningConfiguration(document).status,
  check(status, { objectLock }) {
    if (status === 'Suspended' && objectLock) throw s3Fault('InvalidBucketState', lockedMessage);
  },
});

// A bucket that never had versioning answers with an empty document.
export const getBucketVersioning = operation({
  name: 'GetBucketVersioning',
  method: 'GET',
  target: 'bucket',
  query: 'versioning',
  action: 's3:GetBucketVersioning',
  call: async ({ bucket }) => xmlReply('VersioningConfiguration', { Status: bucket.versioning }),
});
