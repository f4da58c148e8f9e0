// The policy of a bucket, read once for all questions of a request: DeleteObjects asks a thousand of them.
import type { StoredBucket } from '../metadata/bucket.ts';
import { type Policy, parsePolicy } from '../wire/policy/document.ts';

const known = new WeakMap<StoredBucket, Policy>();

export function policyOf(bucket: StoredBucket): Policy | undefined {
  if (bucket.policy === undefined) return undefined;
  const policy = known.get(bucket) ?? parsePolicy(bucket.policy, bucket.name);
  known.set(bucket, policy);
  return policy;
}
