// Who owns what others put into a bucket. Here that is always the bucket's contract, so the rule decides one thing:
// with BucketOwnerEnforced, access control lists are switched off.
import { grantsOf, isOwnersAlone } from '../../access/grants.ts';
import { xmlReply } from '../../service/reply.ts';
import { s3Fault } from '../../wire/error.ts';
import { readOwnershipControls } from '../../wire/xml/bucket-documents.ts';
import { configuration } from './configuration.ts';

export const ownershipControls = configuration({
  name: 'BucketOwnershipControls',
  query: 'ownershipControls',
  property: 'objectOwnership',
  actions: { get: 's3:GetBucketOwnershipControls', put: 's3:PutBucketOwnershipControls' },
  missing: 'OwnershipControlsNotFoundError',
  read: readOwnershipControls,
  check(rule, bucket) {
    if (rule === 'BucketOwnerEnforced' && !isOwnersAlone(grantsOf(bucket), bucket))
      throw s3Fault('InvalidBucketAclWithObjectOwnership');
  },
  reply: (rule) => xmlReply('OwnershipControls', { Rule: { ObjectOwnership: rule } }),
});
