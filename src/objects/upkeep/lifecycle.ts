// Applies lifecycle rules once an hour by the region's clock: expired objects, old versions, lone delete markers, and
// unfinished uploads. Each removal is an ordinary one, so locks, counters and references hold.

import { Fault } from '../../base/fault.ts';
import { successor } from '../../core/state/scan.ts';
import type { Store } from '../../core/store.ts';
import type { StoredBucket } from '../metadata/bucket.ts';
import { dueAfter, enabledRules, expiryBy, matches } from '../metadata/expiration.ts';
import type { Objects } from '../metadata/objects.ts';
import { objectsPlace, versionsPlace } from '../metadata/places.ts';
import type { Uploads } from '../metadata/uploads.ts';
import { isRetained, type ObjectVersion, versionOf } from '../metadata/version.ts';
import { s3Fault } from '../wire/error.ts';
import { isOfObjects, type LifecycleRule } from '../wire/xml/lifecycle-document.ts';

export interface LifecycleTools {
  store: Store;
  objects: Objects;
  uploads: Uploads;
  now(): number;
}

// Reads the objects of all rules once, one version at a time: neither many rules nor many versions of a key need memory
// or a second pass.
export async function applyLifecycle(tools: LifecycleTools, bucket: StoredBucket): Promise<void> {
  const rules = enabledRules(bucket);
  await expireCurrent(tools, bucket, rules);
  if (bucket.versioning) await expireOlder(tools, bucket, rules);
  await abortUploads(tools, bucket, rules);
}

async function expireCurrent(tools: LifecycleTools, bucket: StoredBucket, rules: LifecycleRule[]): Promise<void> {
  const expiring = rules.filter(({ expiration }) => expiration && !('expiredObjectDeleteMarker' in expiration));
  for await (const version of versionsOf(tools.store, bucket, objectsPlace(bucket.id), expiring))
    if (expiring.some((rule) => matches(rule.filter, version) && isExpired(rule, version, tools.now())))
      await remove(tools, bucket, version, undefined);
}

const isExpired = (rule: LifecycleRule, version: ObjectVersion, now: number): boolean =>
  now >= (expiryBy(rule, version) ?? Number.POSITIVE_INFINITY);

// The versions of a key come together, newest first; each became noncurrent when the next newer one was created. If no
// version is current, the first one is a delete marker, which may be removed when no version is left below it.
async function expireOlder(tools: LifecycleTools, bucket: StoredBucket, rules: LifecycleRule[]): Promise<void> {
  const ending = rules.filter(
    ({ noncurrentVersionExpiration, expiration }) => noncurrentVersionExpiration ?? expiration,
  );
  const removeIf = async (version: ObjectVersion, isDue: (rule: LifecycleRule) => boolean): Promise<boolean> =>
    ending.some((rule) => matches(rule.filter, version) && isDue(rule)) &&
    (await remove(tools, bucket, version, version.versionId));
  let above: ObjectVersion | undefined; // the next newer version of the key
  let newer = 0; // noncurrent versions of the key that were above this one
  let marker: ObjectVersion | undefined; // the marker that hides the key, while no version is left below it
  const endKey = async (): Promise<void> => {
    const lone = marker;
    if (lone) await removeIf(lone, (rule) => dropsMarker(rule, lone, tools.now()));
  };
  for await (const version of versionsOf(tools.store, bucket, versionsPlace(bucket.id), ending)) {
    if (above?.key !== version.key) {
      await endKey();
      above = await tools.objects.latest(bucket, version.key);
      newer = 0;
      marker = above?.order === version.order && version.isMarker ? version : undefined;
    }
    if (above?.order !== version.order) {
      const [since, count] = [above?.modified ?? version.modified, newer];
      if (!(await removeIf(version, (rule) => endsNoncurrent(rule, count, since, tools.now())))) marker = undefined;
      newer += 1;
    }
    above = version;
  }
  await endKey();
}

// Immediately if the rule says so, otherwise when the marker has reached the age of expiring objects.
function dropsMarker(rule: LifecycleRule, marker: ObjectVersion, now: number): boolean {
  const { expiration } = rule;
  if (expiration && 'expiredObjectDeleteMarker' in expiration) return expiration.expiredObjectDeleteMarker;
  return isExpired(rule, marker, now);
}

function endsNoncurrent(
  { noncurrentVersionExpiration: rule }: LifecycleRule,
  newer: number,
  since: number,
  now: number,
) {
  if (!rule || newer < (rule.newerNoncurrentVersions ?? 0)) return false;
  return now >= dueAfter(since, rule.noncurrentDays);
}

async function abortUploads(tools: LifecycleTools, bucket: StoredBucket, rules: LifecycleRule[]): Promise<void> {
  for (const { abortIncompleteMultipartUpload: abort, filter } of rules) {
    if (!abort || isOfObjects(filter)) continue;
    for await (const { key, uploadId, started } of tools.uploads.list(bucket, filter.prefix ?? '', '', ''))
      if (tools.now() >= dueAfter(started, abort.daysAfterInitiation))
        await harmless(() => tools.uploads.abort(bucket.name, key, uploadId));
  }
}

// Removes the version only if it is unchanged: a version created since then is new. False: it stays.
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

// Locked and already removed versions are skipped.
async function harmless(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'unavailable') throw error;
    return false;
  }
}

async function* versionsOf(
  store: Store,
  { contract }: StoredBucket,
  place: string,
  rules: readonly LifecycleRule[],
): AsyncGenerator<ObjectVersion> {
  for (const prefix of widestPrefixes(rules))
    for await (const row of store.each({ contract, place, ...(prefix && rangeOf(prefix)) }, 'object'))
      yield versionOf(row);
}

// Omits prefixes within another one.
function widestPrefixes(rules: readonly LifecycleRule[]): string[] {
  const widest: string[] = [];
  for (const prefix of rules.map(({ filter }) => filter.prefix ?? '').sort()) {
    const last = widest.at(-1);
    if (last === undefined || !prefix.startsWith(last)) widest.push(prefix);
  }
  return widest;
}

function rangeOf(prefix: string): { from: string; to?: string } {
  const to = successor(prefix);
  return { from: prefix, ...(to !== undefined && { to }) };
}
