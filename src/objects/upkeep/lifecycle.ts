// Lifecycle rules, once an hour by the region's clock: expired objects, old versions, lone delete markers, and uploads
// that were never completed. Each removal is an ordinary one, so locks, counters and references hold.

import { Fault } from '../../base/fault.ts';
import type { Row } from '../../core/state/engine.ts';
import { successor } from '../../core/state/scan.ts';
import type { Store } from '../../core/store.ts';
import type { StoredBucket } from '../metadata/bucket.ts';
import { dueAfter, enabledRules, expiryBy, matches } from '../metadata/expiration.ts';
import type { Objects } from '../metadata/objects.ts';
import { objectsPlace, versionsPlace } from '../metadata/places.ts';
import type { Uploads } from '../metadata/uploads.ts';
import { isRetained, type ObjectVersion, versionOf } from '../metadata/version.ts';
import { s3Fault } from '../wire/error.ts';
import type { LifecycleFilter, LifecycleRule } from '../wire/xml/lifecycle-document.ts';

export interface LifecycleTools {
  store: Store;
  objects: Objects;
  uploads: Uploads;
  now(): number;
}

export async function applyLifecycle(tools: LifecycleTools, bucket: StoredBucket): Promise<void> {
  const rules = enabledRules(bucket);
  if (rules.length === 0) return;
  await expireCurrent(tools, bucket, rules);
  if (bucket.versioning) await expireOlder(tools, bucket, rules);
  await abortUploads(tools, bucket, rules);
}

async function expireCurrent(tools: LifecycleTools, bucket: StoredBucket, rules: LifecycleRule[]): Promise<void> {
  const expiring = rules.filter(({ expiration }) => expiration && !('expiredObjectDeleteMarker' in expiration));
  for (const rule of expiring)
    for await (const row of rowsOf(tools.store, bucket, objectsPlace(bucket.id), rule.filter)) {
      const version = versionOf(row);
      if (matches(rule.filter, version) && isExpired(rule, version, tools.now()))
        await remove(tools, bucket, version, undefined);
    }
}

const isExpired = (rule: LifecycleRule, version: ObjectVersion, now: number): boolean =>
  now >= (expiryBy(rule, version) ?? Number.POSITIVE_INFINITY);

// The versions of a key come together, newest first; each became noncurrent when the one before it was made.
async function expireOlder(tools: LifecycleTools, bucket: StoredBucket, rules: LifecycleRule[]): Promise<void> {
  const { store, now } = tools;
  for (const rule of rules) {
    const { noncurrentVersionExpiration: noncurrent, expiration } = rule;
    if (!noncurrent && !expiration) continue;
    for await (const versions of versionsByKey(store, bucket, rule.filter)) {
      const [newest] = versions;
      if (!newest) continue;
      const current = await tools.objects.latest(bucket, newest.key);
      const isHidden = current?.order === newest.order; // no current object: the newest is a delete marker
      const isLone = isHidden && versions.length === 1 && newest.isMarker;
      if (isLone && dropsMarker(rule, newest, now()) && matches(rule.filter, newest))
        await remove(tools, bucket, newest, newest.versionId);
      if (!noncurrent) continue;
      const old = isHidden ? versions.slice(1) : versions;
      for (const [at, version] of old.entries()) {
        const successor = at > 0 ? old[at - 1] : current;
        const isKept = at < (noncurrent.newerNoncurrentVersions ?? 0);
        const isDue = now() >= dueAfter(successor?.modified ?? version.modified, noncurrent.noncurrentDays);
        if (!isKept && isDue && matches(rule.filter, version)) await remove(tools, bucket, version, version.versionId);
      }
    }
  }
}

// At once where the rule says so, and else when the marker is as old as objects become.
function dropsMarker(rule: LifecycleRule, marker: ObjectVersion, now: number): boolean {
  const { expiration } = rule;
  if (expiration && 'expiredObjectDeleteMarker' in expiration) return expiration.expiredObjectDeleteMarker;
  return isExpired(rule, marker, now);
}

async function* versionsByKey(
  store: Store,
  bucket: StoredBucket,
  filter: LifecycleFilter,
): AsyncGenerator<ObjectVersion[]> {
  let versions: ObjectVersion[] = [];
  for await (const row of rowsOf(store, bucket, versionsPlace(bucket.id), filter)) {
    const version = versionOf(row);
    if (versions.length > 0 && versions[0]?.key !== version.key) {
      yield versions;
      versions = [];
    }
    versions.push(version);
  }
  if (versions.length > 0) yield versions;
}

async function abortUploads(tools: LifecycleTools, bucket: StoredBucket, rules: LifecycleRule[]): Promise<void> {
  for (const { abortIncompleteMultipartUpload: abort, filter } of rules) {
    if (!abort) continue;
    for await (const { key, uploadId, started } of tools.uploads.list(bucket, filter.prefix ?? '', '', ''))
      if (tools.now() >= dueAfter(started, abort.daysAfterInitiation))
        await harmless(() => tools.uploads.abort(bucket.name, key, uploadId));
  }
}

// Only while it is the version that was found: whatever was put meanwhile is new.
const remove = (tools: LifecycleTools, bucket: StoredBucket, found: ObjectVersion, versionId: string | undefined) =>
  harmless(() =>
    tools.objects.remove(bucket.name, found.key, {
      ...(versionId !== undefined && { versionId }),
      condition(version) {
        if (version?.order !== found.order) throw s3Fault('PreconditionFailed');
      },
      check: (version) => demandUnlocked(version, tools.now()),
    }),
  );

function demandUnlocked(version: ObjectVersion, now: number): void {
  if (version.legalHold === 'ON' || isRetained(version, now)) throw s3Fault('AccessDenied');
}

// What is locked, or went away meanwhile, stays as it is.
async function harmless(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'unavailable') throw error;
  }
}

function rowsOf(
  store: Store,
  { contract }: StoredBucket,
  place: string,
  { prefix }: LifecycleFilter,
): AsyncGenerator<Row> {
  return store.each({ contract, place, ...(prefix && rangeOf(prefix)) }, 'object');
}

function rangeOf(prefix: string): { from: string; to?: string } {
  const to = successor(prefix);
  return { from: prefix, ...(to !== undefined && { to }) };
}
