// Lists of a bucket, page by page: what is below a prefix, with its folders; all versions; uploads that are not
// complete. Keys come encoded, as XML can't write all of them.
import { s3Document } from './s3.ts';
import type { XmlNode } from './xml.ts';

export interface ObjectEntry {
  kind: 'object';
  key: string;
  size: number;
  modified: string;
  etag: string;
  versionId?: string; // in a list of versions
  isLatest?: boolean;
  isMarker?: boolean; // the object was deleted then
}

export interface FolderEntry {
  kind: 'folder';
  key: string; // ends with the slash
}

export type Entry = ObjectEntry | FolderEntry;

export interface Page<T> {
  items: T[];
  next: string | undefined; // for the next page; undefined: there is none
}

export interface ListRequest {
  bucket: string;
  prefix: string;
  isFlat?: boolean; // without folders
  after?: string | undefined; // `next` of the page before
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
  // Of one key the newest comes first, which only the time and the mark of the latest tell across the two kinds.
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
