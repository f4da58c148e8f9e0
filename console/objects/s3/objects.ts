// S3 calls for objects: facts, content, tags, lock and versions of one; deletion of many.
import { ApiError } from '../../api.ts';
import { documentOf, type Place, s3, s3Document, unless } from './s3.ts';
import { isWritable, writeXml } from './xml.ts';

export interface ObjectFacts {
  size: number;
  type: string;
  etag: string;
  modified: string; // ISO
  versionId: string | undefined;
  headers: Readonly<Record<string, string>>; // stored headers, such as Cache-Control
  meta: Readonly<Record<string, string>>;
  lockMode: string | undefined;
  lockUntil: string | undefined;
  legalHold: boolean;
  encryption: string | undefined;
  expiration: string | undefined; // by a lifecycle rule
}

export const storedHeaders = [
  'Cache-Control',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Expires',
];

export interface Named extends Place {
  key: string;
  versionId?: string | undefined;
}

export async function objectFacts({ versionId, ...place }: Named, signal?: AbortSignal): Promise<ObjectFacts> {
  const { headers } = await s3('HEAD', place, { query: { versionId }, signal }).catch(explained);
  const header = (name: string): string | undefined => headers.get(name) ?? undefined;
  const modified = header('last-modified');
  return {
    size: Number(header('content-length') ?? 0),
    type: header('content-type') ?? '',
    etag: (header('etag') ?? '').replaceAll('"', ''),
    modified: modified === undefined ? '' : new Date(modified).toISOString(),
    versionId: header('x-amz-version-id'),
    headers: Object.fromEntries(
      storedHeaders.flatMap((name) => (headers.has(name) ? [[name, header(name) ?? '']] : [])),
    ),
    meta: Object.fromEntries(
      [...headers].flatMap(([name, value]) =>
        name.startsWith('x-amz-meta-') ? [[name.slice('x-amz-meta-'.length), fromHeader(value)]] : [],
      ),
    ),
    lockMode: header('x-amz-object-lock-mode'),
    lockUntil: header('x-amz-object-lock-retain-until-date'),
    legalHold: header('x-amz-object-lock-legal-hold') === 'ON',
    encryption: header('x-amz-server-side-encryption'),
    expiration: header('x-amz-expiration'),
  };
}

// A HEAD answer has no message. Without a key in the request, this status means that the object needs one.
function explained(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 400) throw error;
  const message =
    'This object is encrypted with a customer key (SSE-C), which the console does not have. ' +
    'Read it with a client that sends the key, such as aws s3 cp --sse-c.';
  throw new ApiError(400, [{ errorCode: 'InvalidRequest', message }]);
}

// Browsers decode header values as Latin-1, but clients write UTF-8.
function fromHeader(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(value, (sign) => sign.charCodeAt(0)));
  } catch {
    return value;
  }
}

const toHeader = (value: string): string => String.fromCharCode(...new TextEncoder().encode(value));

export async function readRange({ versionId, ...place }: Named, bytes: number, signal?: AbortSignal): Promise<Blob> {
  const headers = { Range: `bytes=0-${bytes - 1}` };
  return (await s3('GET', place, { query: { versionId }, headers, signal })).blob();
}

export const putEmpty = async (place: Place): Promise<void> => {
  await s3('PUT', place, { body: '' });
};

// Changes headers and metadata by copying the object onto itself.
export async function setHeaders(
  { bucket, key }: Named,
  type: string,
  headers: Readonly<Record<string, string>>,
  meta: Readonly<Record<string, string>>,
): Promise<void> {
  const sent = Object.entries(meta).map(([name, value]) => [`x-amz-meta-${name}`, toHeader(value)]);
  await copy({ bucket, key }, `${bucket}/${key}`, {
    'x-amz-metadata-directive': 'REPLACE',
    'Content-Type': type,
    ...headers,
    ...Object.fromEntries(sent),
  });
}

// Makes an older version the latest again.
export const restoreVersion = ({ bucket, key, versionId = '' }: Named): Promise<void> =>
  copy({ bucket, key }, `${bucket}/${key}`, {}, versionId);

async function copy(to: Place, from: string, headers: Record<string, string>, versionId = ''): Promise<void> {
  const version = versionId === '' ? '' : `?versionId=${encodeURIComponent(versionId)}`;
  const response = await s3('PUT', to, {
    headers: { ...headers, 'x-amz-copy-source': encodeURIComponent(from) + version },
  });
  await response.text();
}

export type Tags = Readonly<Record<string, string>>;

export async function readTags({ versionId, ...place }: Omit<Named, 'key'> & Place): Promise<Tags> {
  const document = await unless('NoSuchTagSet', s3Document(place, { tagging: '', versionId }));
  const tags = document?.child('TagSet')?.all('Tag') ?? [];
  return Object.fromEntries(tags.map((tag) => [tag.text('Key') ?? '', tag.text('Value') ?? '']));
}

export async function setTags({ versionId, ...place }: Omit<Named, 'key'> & Place, tags: Tags): Promise<void> {
  const query = { tagging: '', versionId };
  const pairs = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  if (pairs.length === 0) await s3('DELETE', place, { query });
  else await s3('PUT', place, { query, body: writeXml('Tagging', { TagSet: { Tag: pairs } }) });
}

export async function setRetention(
  { versionId, ...place }: Named,
  mode: string,
  until: string,
  bypass: boolean,
): Promise<void> {
  const headers = bypass ? { 'x-amz-bypass-governance-retention': 'true' } : {};
  const body = writeXml('Retention', mode === '' ? {} : { Mode: mode, RetainUntilDate: until });
  await s3('PUT', place, { query: { retention: '', versionId }, headers, body });
}

export const setLegalHold = async ({ versionId, ...place }: Named, isOn: boolean): Promise<void> => {
  const body = writeXml('LegalHold', { Status: isOn ? 'ON' : 'OFF' });
  await s3('PUT', place, { query: { 'legal-hold': '', versionId }, body });
};

export interface Removable {
  key: string;
  versionId?: string | undefined;
}

export interface NotRemoved extends Removable {
  message: string;
}

const mostAtOnce = 1000;

// Deletes up to a thousand at once. Keys that XML can't contain are deleted one by one.
export async function removeObjects(
  bucket: string,
  all: readonly Removable[],
  { bypass = false, signal }: { bypass?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<NotRemoved[]> {
  const headers: Record<string, string> = bypass ? { 'x-amz-bypass-governance-retention': 'true' } : {};
  const failed: NotRemoved[] = [];
  const together = all.filter(({ key }) => isWritable(key));
  for (let at = 0; at < together.length; at += mostAtOnce) {
    const objects = together
      .slice(at, at + mostAtOnce)
      .map(({ key, versionId }) => ({ Key: key, VersionId: versionId }));
    const body = writeXml('Delete', { Quiet: true, Object: objects });
    const response = await s3('POST', { bucket }, { query: { delete: '' }, headers, body, signal });
    for (const error of documentOf(await response.text()).all('Error'))
      failed.push({
        key: error.text('Key') ?? '',
        versionId: error.text('VersionId'),
        message: error.text('Message') ?? error.text('Code') ?? '',
      });
  }
  for (const { key, versionId } of all.filter((one) => !isWritable(one.key)))
    await s3('DELETE', { bucket, key }, { query: { versionId }, headers, signal }).catch((error: Error) => {
      if (signal?.aborted) throw error;
      failed.push({ key, versionId, message: error.message });
    });
  return failed;
}

export const abortUpload = async (
  bucket: string,
  key: string,
  uploadId: string,
  signal?: AbortSignal,
): Promise<void> => {
  await s3('DELETE', { bucket, key }, { query: { uploadId }, signal });
};
