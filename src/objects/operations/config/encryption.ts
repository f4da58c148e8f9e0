// The default encryption of a bucket.
import { xmlReply } from '../../service/reply.ts';
import { readEncryptionConfiguration } from '../../wire/xml/bucket-documents.ts';
import { configuration } from './configuration.ts';

export const bucketEncryption = configuration({
  name: 'BucketEncryption',
  query: 'encryption',
  property: 'encryption',
  actions: { get: 's3:GetEncryptionConfiguration', put: 's3:PutEncryptionConfiguration' },
  missing: 'ServerSideEncryptionConfigurationNotFoundError',
  read: readEncryptionConfiguration,
  reply: ({ algorithm, bucketKeyEnabled }) =>
    xmlReply('ServerSideEncryptionConfiguration', {
      Rule: {
        ApplyServerSideEncryptionByDefault: { SSEAlgorithm: algorithm },
        BucketKeyEnabled: bucketKeyEnabled ?? false,
      },
    }),
});
