// Whether a bucket is public: by its policy, or by its access control list.
import type { StoredBucket } from '../metadata/bucket.ts';
import { parsePolicy } from '../wire/policy/document.ts';
import { isPublicPolicy } from '../wire/policy/public-policy.ts';
import { isPublicAcl } from '../wire/xml/access-control-document.ts';
import { countingGrants, grantsOf } from './grants.ts';

export const isPublicBucket = (bucket: StoredBucket): boolean =>
  (bucket.policy !== undefined && isPublicPolicy(parsePolicy(bucket.policy))) ||
  isPublicAcl(countingGrants(bucket, grantsOf(bucket)));
