// Object lock: it needs versioning, may be enabled later, and can never be disabled.
import { xmlReply } from '../../service/reply.ts';
import { s3Fault } from '../../wire/error.ts';
import { readObjectLockConfiguration } from '../../wire/xml/object-documents.ts';
import { type Configuration, getConfiguration, putConfiguration } from './configuration.ts';

const facts: Configuration<'objectLock'> = {
  name: 'ObjectLockConfiguration',
  query: 'object-lock',
  property: 'objectLock',
  actions: { get: 's3:GetBucketObjectLockConfiguration', put: 's3:PutBucketObjectLockConfiguration' },
  missing: 'ObjectLockConfigurationNotFoundError',
  read: readObjectLockConfiguration,
  check(_configuration, { versioning }) {
    if (versioning !== 'Enabled')
      throw s3Fault(
        'InvalidBucketState',
        "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration",
      );
  },
  reply: ({ defaultRetention: retention }) =>
    xmlReply('ObjectLockConfiguration', {
      ObjectLockEnabled: 'Enabled',
      Rule: retention && {
        DefaultRetention: { Mode: retention.mode, Days: retention.days, Years: retention.years },
      },
    }),
};

export const objectLockConfiguration = [getConfiguration(facts), putConfiguration(facts)];
