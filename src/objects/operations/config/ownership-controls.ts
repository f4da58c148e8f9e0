// The owner of objects that other contracts upload. Here it is always the bucket's contract, so the rule decides only
// one question: BucketOwnerEnforced disables access control lists.
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
