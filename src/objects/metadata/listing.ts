// Ordered lists of keys with a prefix, a delimiter and a page size. Many keys below a common prefix are skipped by a
// new seek, so a folder with a million objects costs as much as one with ten.
import type { Row } from '../../core/state/engine.ts';
import { compareBytes, successor } from '../../core/state/scan.ts';
import type { Store } from '../../core/store.ts';
import type { StoredBucket } from './bucket.ts';
import { keyPart, objectsPlace, versionRowId, versionsPlace } from './places.ts';
import { type ObjectVersion, versionOf } from './version.ts';

export interface ListRequest {
  prefix: string;
  delimiter: string; // empty: none
  after: string; // keys and common prefixes after this one; empty: from the beginning
  limit: number;
}

export type Listed = { prefix: string } | { version: ObjectVersion; isLatest: boolean };

export interface Listing {
  items: Listed[];
  isTruncated: boolean;
}

interface Found {
  key: string;
  row: Row;
  isLatest: boolean;
}

// The first key to list; with an order, only versions of this key that are older.
interface Start {
  key: string;
  order?: string;
}

type Source = (start: Start, page: number) => AsyncGenerator<Found>;

export const listObjects = (store: Store, bucket: StoredBucket, request: ListRequest): Promise<Listing> =>
  list(request, (start, page) => currentVersions(store, bucket, request.prefix, start, page), startOf(request));

// With `afterOrder`, the list starts with the versions of the key `after` that are older; an empty order means all of
// them.
export function listVersions(
  store: Store,
  bucket: StoredBucket,
  request: ListRequest,
  afterOrder: string | undefined,
): Promise<Listing> {
  const source: Source = (start, page) => allVersions(store, bucket, request.prefix, start, page);
  const isWithin = afterOrder !== undefined && request.after.startsWith(request.prefix);
  return list(request, source, isWithin ? { key: request.after, order: afterOrder } : startOf(request));
}

function startOf({ prefix, after, delimiter }: ListRequest): Start {
  if (after === '' || compareBytes(after, prefix) < 0) return { key: prefix };
  // If the marker is a common prefix, everything below it was listed already.
  const isCommon = delimiter !== '' && commonPrefix(after, prefix, delimiter) === after;
  return { key: (isCommon ? successor(after) : undefined) ?? behind(after) };
}

// The next possible key: NUL is not allowed in keys.
const behind = (key: string): string => `${key}\x01`;

function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined;
  const end = key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}

const fewRows = 16; // of the first page, if a common prefix may make the rest of it useless
const mostPassed = 8; // keys below a common prefix before a new seek

async function list({ prefix, delimiter, limit }: ListRequest, source: Source, start: Start): Promise<Listing> {
  const items: Listed[] = [];
  for (let from: Start | undefined = start; from && limit > 0; ) {
    let next: Start | undefined;
    let common: string | undefined; // the one that was listed last
    let passed = 0;
    for await (const { key, row, isLatest } of source(from, delimiter === '' ? limit + 1 : fewRows)) {
      if (common !== undefined && key.startsWith(common)) {
        const end = ++passed > mostPassed ? successor(common) : undefined;
        if (end === undefined) continue;
        next = { key: end };
        break;
      }
      if (items.length === limit) return { items, isTruncated: true };
      common = commonPrefix(key, prefix, delimiter);
      passed = 0;
      items.push(common === undefined ? { version: versionOf(row), isLatest } : { prefix: common });
    }
    from = next;
  }
  return { items, isTruncated: false };
}

async function* currentVersions(
  store: Store,
  { contract, id }: StoredBucket,
  prefix: string,
  { key, order }: Start,
  page: number,
): AsyncGenerator<Found> {
  const to = successor(prefix);
  const scan = { contract, place: objectsPlace(id), from: key, ...(to !== undefined && { to }) };
  // The current version of the key was listed already, unless newer versions were removed since then.
  const isListed = (row: Row): boolean => order !== undefined && row.id === key && versionOf(row).order <= order;
  for await (const rows of growingPages(store, scan, page))
    for (const row of rows) if (!isListed(row)) yield { key: row.id, row, isLatest: true };
}

// Yields older versions and delete markers. The first one of a key counts as the latest: the caller knows whether it
// is.
async function* olderVersions(
  store: Store,
  { contract, id }: StoredBucket,
  prefix: string,
  { key, order }: Start,
  page: number,
): AsyncGenerator<Found> {
  const to = successor(keyPart(prefix));
  const from = order === undefined ? keyPart(key) : behind(versionRowId(key, order));
  const scan = { contract, place: versionsPlace(id), from, ...(to !== undefined && { to }) };
  let last = order === undefined ? undefined : key;
  for await (const rows of growingPages(store, scan, page))
    for (const row of rows) {
      const found = versionOf(row).key;
      yield { key: found, row, isLatest: found !== last };
      last = found;
    }
}

// Merges current and older versions by key.
async function* allVersions(
  store: Store,
  bucket: StoredBucket,
  prefix: string,
  start: Start,
  page: number,
): AsyncGenerator<Found> {
  const current = currentVersions(store, bucket, prefix, start, page);
  const older = olderVersions(store, bucket, prefix, start, page);
  let now = await current.next();
  let old = await older.next();
  let lastCurrent: string | undefined;
  while (!now.done || !old.done) {
    if (!now.done && (old.done || compareBytes(now.value.key, old.value.key) <= 0)) {
      lastCurrent = now.value.key;
      yield now.value;
      now = await current.next();
    } else if (!old.done) {
      const { key, row, isLatest } = old.value;
      yield { key, row, isLatest: isLatest && key !== lastCurrent };
      old = await older.next();
    }
  }
}

// The first page has the requested size, and later ones are larger.
async function* growingPages(
  store: Store,
  scan: { contract: number; place: string; from: string; to?: string },
  first: number,
): AsyncGenerator<Row[]> {
  let after: Row | undefined;
  for (let limit = first; ; limit = Math.min(1000, limit * 4)) {
    const rows: Row[] = await store.range({ ...scan, limit, ...(after && { after }) }, 'object');
    yield rows;
    after = rows.at(-1);
    if (!after || rows.length < limit) return;
  }
}
