// Lists of keys in order, with a prefix, a delimiter and a page size. What lies below a common prefix is skipped by a
// new seek, so a folder with a million objects costs as much as one with ten.
import type { Row } from '../../core/state/engine.ts';
import { compareBytes, successor } from '../../core/state/scan.ts';
import type { Store } from '../../core/store.ts';
import type { StoredBucket } from './bucket.ts';
import { keyEnd, keyPart, objectsPlace, versionRowId, versionsPlace } from './places.ts';
import { type ObjectVersion, versionOf } from './version.ts';

export interface ListRequest {
  prefix: string;
  delimiter: string; // empty: none
  after: string; // keys and common prefixes behind this one; empty: from the beginning
  limit: number;
}

export type Listed = { prefix: string } | { version: ObjectVersion; isLatest: boolean };

export interface Listing {
  items: Listed[];
  isTruncated: boolean;
}

interface Found {
  key: string;
  version: ObjectVersion;
  isLatest: boolean;
}

// Yields from a key on; `from` is inclusive and can be asked for again further on.
type Source = (from: string, limit: number) => Promise<Found[]>;

export const listObjects = (store: Store, bucket: StoredBucket, request: ListRequest): Promise<Listing> =>
  list(request, currentSource(store, bucket, request.prefix), startOf(request), undefined);

// With `afterVersion`, the versions of the key `after` that follow that one come first.
export async function listVersions(
  store: Store,
  bucket: StoredBucket,
  request: ListRequest,
  afterOrder: string | undefined,
): Promise<Listing> {
  const source = versionSource(store, bucket, request.prefix);
  if (afterOrder === undefined || request.after === '') return list(request, source, startOf(request), undefined);
  return list(request, source, maxBytes(request.after, request.prefix), { key: request.after, order: afterOrder });
}

// The first key that may be listed.
function startOf({ prefix, after, delimiter }: ListRequest): string {
  if (after === '' || compareBytes(after, prefix) < 0) return prefix;
  // A marker that is a common prefix, or lies in one, has told of all that is below it.
  const common = delimiter === '' ? undefined : commonPrefix(after, prefix, delimiter);
  if (common !== undefined) return successor(common) ?? after;
  return `${after}\x01`; // no key is between: NUL is not allowed in keys
}

const maxBytes = (a: string, b: string): string => (compareBytes(a, b) > 0 ? a : b);

function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  if (!key.startsWith(prefix)) return undefined;
  const end = key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}

async function list(
  { prefix, delimiter, limit }: ListRequest,
  source: Source,
  start: string,
  marker: { key: string; order: string } | undefined,
): Promise<Listing> {
  const items: Listed[] = [];
  const wanted = limit + 1; // one more tells whether the list goes on
  let from: string | undefined = start;
  while (from !== undefined) {
    const found: Found[] = await source(from, Math.min(1001, wanted - items.length + 1));
    let next: string | undefined;
    let skipped: string | undefined; // the common prefix that was listed last
    for (const one of found) {
      next = one.key;
      if (skipped !== undefined && one.key.startsWith(skipped)) continue;
      if (marker && one.key === marker.key && one.version.order <= marker.order) continue;
      if (items.length === limit) return { items, isTruncated: limit > 0 };
      skipped = delimiter === '' ? undefined : commonPrefix(one.key, prefix, delimiter);
      items.push(skipped === undefined ? { version: one.version, isLatest: one.isLatest } : { prefix: skipped });
    }
    if (found.length === 0 || next === undefined) break;
    from = skipped === undefined ? `${next}\x01` : successor(skipped);
  }
  return { items, isTruncated: false };
}

function currentSource(store: Store, { contract, id }: StoredBucket, prefix: string): Source {
  const to = successor(prefix);
  return async (from, limit) => {
    const scan = { contract, place: objectsPlace(id), from, limit, ...(to !== undefined && { to }) };
    const rows = await store.range(scan, 'object');
    return rows.map((row) => ({ key: row.id, version: versionOf(row), isLatest: true }));
  };
}

// Current versions and older ones, merged by key. All versions of the last key are complete.
function versionSource(store: Store, bucket: StoredBucket, prefix: string): Source {
  const current = currentSource(store, bucket, prefix);
  const { contract, id } = bucket;
  const end = successor(prefix);
  return async (from, limit) => {
    const now = await current(from, limit);
    const scan = {
      contract,
      place: versionsPlace(id),
      from: keyPart(from),
      ...(end !== undefined && { to: keyPart(end) }),
    };
    const rows = await store.range({ ...scan, limit }, 'object');
    const older = rows.map(versionOf);
    const last = lastComplete(now, limit, older, rows, limit);
    if (rows.length === limit && older.length > 0) older.push(...(await restOfKey(store, bucket, older)));
    return merge(now, older, last);
  };
}

// Of the two pages only keys up to the smaller end are known completely.
function lastComplete(
  now: readonly Found[],
  nowLimit: number,
  older: readonly ObjectVersion[],
  rows: readonly Row[],
  olderLimit: number,
): string | undefined {
  const ends = [
    ...(now.length === nowLimit ? [now.at(-1)?.key ?? ''] : []),
    ...(rows.length === olderLimit ? [older.at(-1)?.key ?? ''] : []),
  ];
  return ends.toSorted(compareBytes)[0];
}

async function restOfKey(store: Store, { contract, id }: StoredBucket, older: readonly ObjectVersion[]) {
  const last = older.at(-1) as ObjectVersion;
  const rest: ObjectVersion[] = [];
  const scan = {
    contract,
    place: versionsPlace(id),
    from: `${versionRowId(last.key, last.order)}\x01`,
    to: keyEnd(last.key),
  };
  for await (const row of store.each(scan, 'object')) rest.push(versionOf(row));
  return rest;
}

function merge(now: readonly Found[], older: readonly ObjectVersion[], last: string | undefined): Found[] {
  const byKey = new Map<string, Found[]>(now.map((one) => [one.key, [one]]));
  for (const version of older) {
    const known = byKey.get(version.key) ?? [];
    known.push({ key: version.key, version, isLatest: known.length === 0 });
    byKey.set(version.key, known);
  }
  const keys = [...byKey.keys()].filter((key) => last === undefined || compareBytes(key, last) <= 0);
  return keys.toSorted(compareBytes).flatMap((key) => byKey.get(key) ?? []);
}
