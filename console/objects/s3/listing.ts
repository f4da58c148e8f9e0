// Lists of a bucket in pages: objects and folders below a prefix, all versions, and unfinished uploads. Keys are
// URL-encoded, because XML can't contain all characters.
import { s3Document } from './s3.ts';
import type { XmlNode } from './xml.ts';

export interface ObjectEntry {
  kind: 'object';
  key: string;
  size: number;
  modified: string;
  etag: string;
  versionId?: string; // in lists of versions
  isLatest?: boolean;
  isMarker?: boolean; // a delete marker
}

export interface FolderEntry {
  kind: 'folder';
  key: string; // ends with a slash
}

export type Entry = ObjectEntry | FolderEntry;

export interface Page<T> {
  items: T[];
  next: string | undefined; // token of the next page; undefined: none
}

export interface ListRequest {
  bucket: string;
  prefix: string;
  isFlat?: boolean; // without folders
  after?: string | undefined; // `next` of the previous page
  limit?: number;
  signal?: AbortSignal | undefined;
}

const usualLimit = 250;

export async function listObjects(request: ListRequest): Promise<Page<Entry>> {
  const { bucket, after, signal } = request;
  const query = { 'list-type': '2', 'continuation-token': after, ...common(request) };
  const document = await s3Document({ bucket }, query, signal);
  const items = [...foldersIn(document), ...document.all('Contents').map(objectIn)].sort(byKey);
  return { items, next: document.is('IsTruncated') ? document.text('NextContinuationToken') : undefined };
}

export async function listVersions(request: ListRequest): Promise<Page<Entry>> {
  const { bucket, after, signal } = request;
  const [key, version] = markersIn(after);
  const query = { versions: '', 'key-marker': key, 'version-id-marker': version, ...common(request) };
  const document = await s3Document({ bucket }, query, signal);
  const versions = document.all('Version').map((one) => ({ ...objectIn(one), ...versionIn(one) }));
  const markers = document.all('DeleteMarker').map((one) => ({ ...objectIn(one), ...versionIn(one), isMarker: true }));
  // The newest version of a key comes first. Versions and delete markers are separate lists, so they are merged by
  // time.
  const items = [...foldersIn(document), ...versions, ...markers].sort(byKeyAndTime);
  const next = [decoded(document, 'NextKeyMarker'), document.text('NextVersionIdMarker') ?? ''];
  return { items, next: document.is('IsTruncated') ? JSON.stringify(next) : undefined };
}

export interface UploadEntry {
  key: string;
  uploadId: string;
  started: string;
}

export async function listUploads({ bucket, prefix, after, signal }: ListRequest): Promise<Page<UploadEntry>> {
  const [key, upload] = markersIn(after);
  const query = { uploads: '', prefix, 'encoding-type': 'url', 'key-marker': key, 'upload-id-marker': upload };
  const document = await s3Document({ bucket }, query, signal);
  const next = [decoded(document, 'NextKeyMarker'), document.text('NextUploadIdMarker') ?? ''];
  return {
    items: document.all('Upload').map((one) => ({
      key: decoded(one, 'Key'),
      uploadId: one.text('UploadId') ?? '',
      started: one.text('Initiated') ?? '',
    })),
    next: document.is('IsTruncated') ? JSON.stringify(next) : undefined,
  };
}

const common = ({ prefix, isFlat, limit = usualLimit }: ListRequest) => ({
  prefix,
  delimiter: isFlat ? undefined : '/',
  'max-keys': String(limit),
  'encoding-type': 'url',
});

const markersIn = (after: string | undefined): (string | undefined)[] =>
  after === undefined ? [] : (JSON.parse(after) as string[]).map((one) => one || undefined);

const decoded = (node: XmlNode, name: string): string =>
  decodeURIComponent((node.text(name) ?? '').replaceAll('+', ' '));

const foldersIn = (document: XmlNode): FolderEntry[] =>
  document.all('CommonPrefixes').map((one) => ({ kind: 'folder', key: decoded(one, 'Prefix') }));

const objectIn = (one: XmlNode): ObjectEntry => ({
  kind: 'object',
  key: decoded(one, 'Key'),
  size: one.number('Size') ?? 0,
  modified: one.text('LastModified') ?? '',
  etag: (one.text('ETag') ?? '').replaceAll('"', ''),
});

const versionIn = (one: XmlNode) => ({ versionId: one.text('VersionId') ?? '', isLatest: one.is('IsLatest') });

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byKey = (a: Entry, b: Entry): number => compare(a.key, b.key);

function byKeyAndTime(a: Entry, b: Entry): number {
  if (a.key !== b.key || a.kind === 'folder' || b.kind === 'folder') return compare(a.key, b.key);
  if (a.isLatest !== b.isLatest) return a.isLatest ? -1 : 1;
  return compare(b.modified, a.modified);
}
