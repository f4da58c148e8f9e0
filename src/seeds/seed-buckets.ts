// Creates the buckets of a seed, with their files, through S3.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Fault } from '../base/fault.ts';
import { fileError } from '../base/file-error.ts';
import type { Values } from '../base/json.ts';
import { S3Client } from '../core/s3-client/client.ts';
import { s3Error } from '../core/s3-client/error.ts';
import { bucketDocuments } from '../surface/docs/seed-buckets.ts';
import type { SeedRun } from './apply-seed.ts';
import { ownerWord, tagged, textAt } from './bucket-texts.ts';
import type { SeedBucket } from './plan/bucket-plan.ts';
import type { SeedClient } from './seed-client.ts';
import { problem } from './seed-problems.ts';
import { type Undo, undoneIfItFails } from './undo.ts';

const keys = '/objectstorage-management/accesskeys';
export const bucketScheme = 's3://'; // in front of the name of a created bucket
const mb = 1024 * 1024;
export const mostFileBytes = 256 * mb; // a file is in memory as a whole

export interface StorageAddress {
  url: string;
  region: string; // whose name is part of the signature
  now(): number;
}

// Then the rest, which may need them: a flow log names one. If that is refused, they are removed again.
export async function seedBuckets<T>(
  buckets: readonly SeedBucket[],
  client: SeedClient,
  storage: StorageAddress,
  run: Pick<SeedRun, 'applied' | 'onMade' | 'demandUncancelled'>,
  seedOthers: () => Promise<T>,
): Promise<T> {
  if (buckets.length === 0) return seedOthers();
  return withStorage(client, storage, (s3) =>
    undoneIfItFails(async (undo) => {
      for (const bucket of buckets) {
        run.demandUncancelled();
        await seedBucket(bucket, { s3, applied: run.applied, onMade: run.onMade, undo });
      }
      return seedOthers();
    }),
  );
}

// With a key that is deleted afterwards.
export async function withStorage<T>(
  client: SeedClient,
  storage: StorageAddress,
  use: (s3: S3Client) => Promise<T>,
): Promise<T> {
  const { status, body } = await client.call('POST', keys, { properties: { description: 'seed' } });
  if (status >= 300) throw new Fault('unavailable', 'The region did not create an object storage key for the seed.');
  const { accessKey, secretKey } = body.properties as { accessKey: string; secretKey: string };
  const credentials = { accessKey, secretKey, region: storage.region };
  const s3 = new S3Client({ origin: storage.url, credentials, now: storage.now });
  try {
    return await use(s3);
  } finally {
    await client.call('DELETE', `${keys}/${body.id}`);
  }
}

interface BucketTools {
  s3: S3Client;
  applied: SeedRun['applied'];
  onMade: SeedRun['onMade'];
  undo: Undo;
}

async function seedBucket(bucket: SeedBucket, tools: BucketTools): Promise<void> {
  const { s3, applied, onMade, undo } = tools;
  const { name, region, placeholder } = bucket;
  const location = region === undefined ? '' : createConfiguration(region);
  // Recorded before the creation, so that it is also deleted if this process ends in between.
  if (onMade && (await s3.call({ method: 'HEAD', bucket: name })).status === 404)
    await onMade(`${bucketScheme}${name}`, true);
  const made = await s3.call({ method: 'PUT', bucket: name, body: location });
  const text = await made.text();
  if (!made.ok && !text.includes('BucketAlreadyOwnedByYou'))
    throw problem(bucket, ['name'], `the bucket ${name}: ${s3Error(text).message || made.status}`);
  applied[made.ok ? 'created' : 'existing'] += 1;
  if (made.ok && placeholder !== undefined) applied.placeholders.push({ what: `bucket ${name}`, reason: placeholder });
  if (made.ok) undo.add(`bucket ${name}`, () => isTakenBack(s3.call({ method: 'DELETE', bucket: name })));
  await setUp(bucket, tools);
  for (const { key, content, contentType } of bucket.objects)
    await put(bucket, tools, key, Buffer.from(content), contentType ?? typeOf(key));
  for (const [key, file] of filesOf(bucket)) await put(bucket, tools, key, bytesOf(bucket, file), typeOf(key));
}

// Versioning first: object lock requires it.
async function setUp(bucket: SeedBucket, { s3, undo }: BucketTools): Promise<void> {
  const { name, versioning, policy, documents } = bucket;
  const set = async (what: string, query: string, body: string, back: () => Promise<Response>): Promise<void> => {
    const answer = await s3.call({ method: 'PUT', bucket: name, query: { [query]: '' }, body });
    const reason = s3Error(await answer.text()).message;
    if (!answer.ok)
      throw problem(bucket, [what], `the object storage refused the ${what} with ${answer.status}: ${reason}`);
    undo.add(`${what} of the bucket ${name}`, () => isTakenBack(back()));
  };
  const isVersioned = tagged(await textAt(s3, { bucket: name, query: { versioning: '' } }), 'Status') === 'Enabled';
  if (versioning && !isVersioned)
    await set('versioning', 'versioning', versioned, () =>
      s3.call({ method: 'PUT', bucket: name, query: { versioning: '' }, body: suspended }),
    );
  const replace = async (what: string, query: string, body: string): Promise<void> => {
    const document = { bucket: name, query: { [query]: '' } };
    const before = await s3.call({ ...document, method: 'GET' });
    const old = await before.text();
    if (before.ok && old === body) return;
    await set(what, query, body, () =>
      s3.call(before.ok ? { ...document, method: 'PUT', body: old } : { ...document, method: 'DELETE' }),
    );
  };
  if (policy !== undefined && policy !== null)
    await replace('policy', 'policy', typeof policy === 'string' ? policy : JSON.stringify(policy));
  for (const [what, query] of Object.entries(bucketDocuments)) {
    const document = documents[what];
    if (document === undefined) continue;
    await replace(what, query, what === 'acl' ? await withOwner(s3, name, document) : document);
  }
}

async function put(
  bucket: SeedBucket,
  { s3, applied, undo }: BucketTools,
  key: string,
  bytes: Buffer,
  type: string,
): Promise<void> {
  const object = { bucket: bucket.name, key };
  const there = await s3.call({ ...object, method: 'HEAD' });
  if (there.headers.get('etag') === `"${createHash('md5').update(bytes).digest('hex')}"`) {
    applied.existing += 1;
    return;
  }
  const old = there.ok ? await s3.call({ ...object, method: 'GET' }) : undefined;
  const oldBytes = old && new Uint8Array(await old.arrayBuffer());
  const { ok, status, headers } = await s3.call({
    ...object,
    method: 'PUT',
    headers: { 'content-type': type },
    body: new Uint8Array(bytes),
  });
  if (!ok) throw problem(bucket, ['files'], `${key} was refused with ${status}.`);
  applied.created += 1;
  const version = headers.get('x-amz-version-id') ?? 'null';
  undo.add(`object ${key} of the bucket ${bucket.name}`, () => {
    if (version !== 'null') return isTakenBack(s3.call({ ...object, method: 'DELETE', query: { versionId: version } }));
    return isTakenBack(
      old?.ok && oldBytes
        ? s3.call({ ...object, method: 'PUT', headers: keptHeaders(old), body: oldBytes })
        : s3.call({ ...object, method: 'DELETE' }),
    );
  });
}

// The metadata of an object.
const keptHeaders = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name === 'content-type' || name.startsWith('x-amz-meta-')));

async function isTakenBack(answer: Promise<Response>): Promise<string | undefined> {
  const { ok, status } = await answer;
  return ok || status === 404 ? undefined : `the object storage returned ${status}.`;
}

// The folder of its files, if it names one. A seed may come from an untrusted source, so only files next to it are
// used.
export function demandFolder(bucket: SeedBucket): string | undefined {
  if (bucket.files === undefined) return undefined;
  const folder = resolve(bucket.source.folder, bucket.files);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw problem(bucket, ['files'], `the folder ${folder} does not exist.`);
  demandInside(bucket, folder);
  return folder;
}

function demandInside(bucket: SeedBucket, path: string): void {
  const way = relative(realpathSync(bucket.source.folder), realpathSync(path));
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
    throw problem(bucket, ['files'], `${path} is not in the folder of the seed. Copy it there.`);
}

function filesOf(bucket: SeedBucket): Map<string, string> {
  const found = new Map<string, string>();
  const folder = demandFolder(bucket);
  if (folder === undefined) return found;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    const there = statSync(path, { throwIfNoEntry: false });
    if (there?.isFile()) demandInside(bucket, path); // it may be a link
    if (!there || there.isFile()) found.set(relative(folder, path).split(sep).join('/'), path);
  }
  return found;
}

function bytesOf(bucket: SeedBucket, file: string): Buffer {
  const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (size > mostFileBytes)
    throw problem(bucket, ['files'], `${file} has more than ${mostFileBytes / mb} MB. Upload it with an S3 client.`);
  try {
    return readFileSync(file);
  } catch (error) {
    throw problem(bucket, ['files'], `${file} can't be read: ${fileError(error)}.`);
  }
}

// Grants to the owner name another one in each contract.
async function withOwner(s3: S3Client, bucket: string, acl: string): Promise<string> {
  const owner = tagged(await textAt(s3, { bucket, query: { acl: '' } }), 'ID');
  return acl.replaceAll(`<ID>${ownerWord}</ID>`, `<ID>${owner}</ID>`);
}

const versioned = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
const suspended = versioned.replace('Enabled', 'Suspended'); // S3 can't switch a bucket back to unversioned
const createConfiguration = (region: string): string =>
  `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`;

const types: Values = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.txt': 'text/plain',
  '.csv': 'text/csv',
  '.xml': 'application/xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.svg': 'image/svg+xml',
  '.pdf': 'application/pdf',
};
const typeOf = (key: string): string => String(types[extname(key).toLowerCase()] ?? 'binary/octet-stream');
