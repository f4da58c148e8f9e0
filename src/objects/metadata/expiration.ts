// Computes when lifecycle rules of a bucket expire its objects.
import type { LifecycleFilter, LifecycleRule } from '../wire/xml/lifecycle-document.ts';
import type { StoredBucket } from './bucket.ts';
import type { ObjectVersion } from './version.ts';

const dayMs = 86_400_000;
const lastMoment = 8.64e15; // the latest time of a Date

// An action is performed at the midnight after the day on which it became due, as in S3.
export const dueAfter = (since: number, days: number): number => Math.ceil((since + days * dayMs) / dayMs) * dayMs;

export const enabledRules = ({ lifecycle = [] }: StoredBucket): LifecycleRule[] =>
  lifecycle.filter(({ isEnabled }) => isEnabled);

// Undefined: this rule never expires it.
export function expiryBy({ expiration }: LifecycleRule, { modified }: ObjectVersion): number | undefined {
  if (!expiration) return undefined;
  if ('date' in expiration) return expiration.date;
  const due = 'days' in expiration ? dueAfter(modified, expiration.days) : Number.POSITIVE_INFINITY;
  return due <= lastMoment ? due : undefined;
}

export function matches(
  { prefix, tags, sizeGreaterThan, sizeLessThan }: LifecycleFilter,
  version: ObjectVersion,
): boolean {
  return (
    version.key.startsWith(prefix ?? '') &&
    tags.every((tag) => version.tags?.some(({ key, value }) => key === tag.key && value === tag.value)) &&
    (sizeGreaterThan === undefined || version.size > sizeGreaterThan) &&
    (sizeLessThan === undefined || version.size < sizeLessThan)
  );
}

// Returns the rule that expires a current version first.
export function expirationHeaders(bucket: StoredBucket, version: ObjectVersion): string[] {
  const [first] = enabledRules(bucket)
    .filter((rule) => matches(rule.filter, version))
    .flatMap((rule) => {
      const at = expiryBy(rule, version);
      return at === undefined ? [] : [{ at, id: rule.id ?? '' }];
    })
    .sort((a, b) => a.at - b.at);
  if (!first) return [];
  const headerValue = `expiry-date="${new Date(first.at).toUTCString()}", rule-id="${encodeURIComponent(first.id)}"`;
  return ['x-amz-expiration', headerValue];
}
