// The policy of a bucket, parsed once per request: DeleteObjects evaluates it a thousand times.
import type { StoredBucket } from '../metadata/bucket.ts';
import { type Policy, parsePolicy } from '../wire/policy/document.ts';

const known = new WeakMap<StoredBucket, Policy>();

export function policyOf(bucket: StoredBucket): Policy | undefined {
  if (bucket.policy === undefined) return undefined;
  const policy = known.get(bucket) ?? parsePolicy(bucket.policy);
  known.set(bucket, policy);
  return policy;
}
