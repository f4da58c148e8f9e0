// Versioning of a bucket: once enabled it can be suspended, but not while objects may be locked.
import { operation } from '../../service/operation.ts';
import { emptyReply, xmlReply } from '../../service/reply.ts';
import { s3Fault } from '../../wire/error.ts';
import { readVersioningConfiguration } from '../../wire/xml/bucket-documents.ts';

// Terraform recognizes this text.
const lockedMessage = 'bucket versioning cannot be disabled on buckets with object lock enabled';

export const putBucketVersioning = operation({
  name: 'PutBucketVersioning',
  method: 'PUT',
  target: 'bucket',
  query: 'versioning',
  action: 's3:PutBucketVersioning',
  async call(request) {
    const { status, ...mfaDelete } = readVersioningConfiguration(await request.document());
    await request.tools.buckets.update(request.bucketName, ({ objectLock }) => {
      if (status === 'Suspended' && objectLock) throw s3Fault('InvalidBucketState', lockedMessage);
      return { versioning: status, ...mfaDelete };
    });
    return emptyReply(200);
  },
});

// A bucket that never had versioning answers with an empty document.
export const getBucketVersioning = operation({
  name: 'GetBucketVersioning',
  method: 'GET',
  target: 'bucket',
  query: 'versioning',
  action: 's3:GetBucketVersioning',
  call: async ({ bucket: { versioning, mfaDelete } }) =>
    xmlReply('VersioningConfiguration', { Status: versioning, MfaDelete: mfaDelete }),
});
