// Object storage tools: buckets, their settings, and objects by what is told about them. No tool reads the bytes of an
// object.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { decode } from '../../core/s3-signature/percent-encoding.ts';
import { listIn } from '../client/storage-api.ts';
import { fittingItems } from '../result.ts';
import { id, input, numberOf, optional, type Sight, type Tool, text, textOf, whole } from '../tool.ts';

const bucket = id('The name of the bucket');
const key = id('The key of the object');

const settings: readonly [name: string, query: string, what: string][] = [
  ['cors', 'cors', 'the CORS rules'],
  ['encryption', 'encryption', 'the default encryption'],
  ['lifecycle', 'lifecycle', 'the lifecycle rules'],
  ['policy_status', 'policyStatus', 'whether the policy makes it public'],
  ['replication', 'replication', 'the replication'],
  ['tagging', 'tagging', 'the tags'],
  ['public_access_block', 'publicAccessBlock', 'what public access is blocked'],
  ['lock_configuration', 'object-lock', 'the object lock'],
];

const ofObject: readonly [name: string, query: string, what: string][] = [
  ['tagging', 'tagging', 'the tags'],
  ['retention', 'retention', 'until when it is retained'],
  ['legal_hold', 'legal-hold', 'whether there is a legal hold on it'],
];

const tool = (
  name: string,
  description: string,
  args: Record<string, Values>,
  read: (args: Values, sight: Sight) => Promise<Json>,
): Tool => ({ name, group: 'objectstorage', description, input: input(args), read });

export const storageTools: readonly Tool[] = [
  tool('list_object_storage_buckets', 'List the buckets of the key.', {}, async (_, { storage }) => {
    const told = await storage.get({});
    const buckets = listIn(isObject(told.Buckets) ? told.Buckets.Bucket : undefined);
    return { count: buckets.length, buckets: buckets.map(({ Name, CreationDate }) => plain({ Name, CreationDate })) };
  }),
  tool('get_object_storage_bucket_location', 'The region of a bucket.', { bucket }, async (args, { storage }) => {
    const { value } = await storage.get({ bucket: String(args.bucket), query: { location: '' } });
    return { LocationConstraint: value ?? null };
  }),
  tool(
    'head_object_storage_bucket',
    'Whether a bucket exists and may be read.',
    { bucket },
    async (args, { storage }) => {
      const headers = await storage.head({ bucket: String(args.bucket) });
      return { exists: true, ...chosen(headers) };
    },
  ),
  tool('get_object_storage_bucket_policy', 'The policy of a bucket.', { bucket }, (args, { storage }) =>
    storage.json({ bucket: String(args.bucket), query: { policy: '' } }),
  ),
  tool(
    'get_object_storage_bucket_versioning',
    'Show whether versions are kept in a bucket.',
    { bucket },
    async (args, { storage }) => {
      const told = await storage.get({ bucket: String(args.bucket), query: { versioning: '' } });
      if (told.Status !== undefined) return told;
      return { Status: 'Disabled', note: 'Versioning was never enabled: a new object replaces the old one.' };
    },
  ),
  ...settings.map(([name, query, what]) =>
    tool(`get_object_storage_bucket_${name}`, `Show ${what} of a bucket.`, { bucket }, (args, { storage }) =>
      storage.get({ bucket: String(args.bucket), query: { [query]: '' } }),
    ),
  ),
  tool(
    'list_object_storage_objects',
    'List the objects of a bucket by key, a page at a time.',
    {
      bucket,
      prefix: optional(text('Only keys that begin with it')),
      continuation_token: optional(text('From the page before')),
      max_keys: optional(whole('How many at most; 100 by default', 1, 1000)),
    },
    listObjects,
  ),
  tool(
    'list_object_storage_object_versions',
    'List the versions and delete markers of the objects of a bucket by key, a page of at most 100 at a time.',
    {
      bucket,
      prefix: optional(text('Only keys that begin with it')),
      key_marker: optional(text('From the page before')),
      version_id_marker: optional(text('From the page before')),
    },
    (args, sight) => listVersions(args, sight),
  ),
  tool(
    'head_object_storage_object',
    'What is told about an object: size, type, dates, its own metadata. Not its bytes.',
    { bucket, key },
    async (args, { storage }) => chosen(await storage.head({ bucket: String(args.bucket), key: String(args.key) })),
  ),
  ...ofObject.map(([name, query, what]) =>
    tool(`get_object_storage_object_${name}`, `Show ${what} of an object.`, { bucket, key }, (args, { storage }) =>
      storage.get({ bucket: String(args.bucket), key: String(args.key), query: { [query]: '' } }),
    ),
  ),
];

async function listObjects(args: Values, sight: Sight): Promise<Json> {
  const query = {
    'list-type': 2,
    'encoding-type': 'url',
    'max-keys': numberOf(args, 'max_keys', 100),
    prefix: textOf(args, 'prefix'),
    'continuation-token': textOf(args, 'continuation_token'),
  };
  const told = await sight.storage.get({ bucket: String(args.bucket), query });
  const objects = listIn(told.Contents).map(({ Key, Size, LastModified, StorageClass }) =>
    plain({ Key: decoded(told, Key), Size: Number(Size), LastModified, StorageClass }),
  );
  // A token goes on after the whole page: what does not fit is asked for again as a shorter one.
  const fitting = fittingItems(objects);
  if (fitting < objects.length) return listObjects({ ...args, max_keys: fitting }, sight);
  const next = told.NextContinuationToken;
  return { count: objects.length, objects, ...(next !== undefined && { next_continuation_token: next }) };
}

async function listVersions(args: Values, sight: Sight, most = 100): Promise<Json> {
  const query = {
    versions: '',
    'encoding-type': 'url',
    'max-keys': most,
    prefix: textOf(args, 'prefix'),
    'key-marker': textOf(args, 'key_marker'),
    'version-id-marker': textOf(args, 'version_id_marker'),
  };
  const told = await sight.storage.get({ bucket: String(args.bucket), query });
  const shown = (one: Values): Values =>
    plain({
      Key: decoded(told, one.Key),
      VersionId: one.VersionId,
      IsLatest: one.IsLatest === 'true',
      LastModified: one.LastModified,
    });
  const versions = listIn(told.Version).map((one) => ({ ...shown(one), Size: Number(one.Size) }));
  const deleteMarkers = listIn(told.DeleteMarker).map(shown);
  const all = [...versions, ...deleteMarkers];
  const fitting = fittingItems(all); // as in listObjects
  if (fitting < all.length) return listVersions(args, sight, fitting);
  const truncated = told.IsTruncated === 'true';
  const next = {
    next_key_marker: decoded(told, told.NextKeyMarker),
    next_version_id_marker: told.NextVersionIdMarker,
  };
  return { versions, deleteMarkers, truncated, ...(truncated && plain(next)) };
}

// XML can't hold every character that a key may have, so the keys of a list are asked for percent-encoded.
function decoded({ EncodingType }: Values, key: Json | undefined): Json | undefined {
  return EncodingType === 'url' && typeof key === 'string' ? decode(key.replaceAll('+', ' ')) : key;
}

const plain = (values: { [name: string]: Json | undefined }): Values =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined));

// What the headers of an answer tell of a bucket or an object.
function chosen(headers: Readonly<Record<string, string>>): Values {
  const wanted =
    /^(?:content-(?:length|type|encoding|disposition|language)|cache-control|etag|last-modified|x-amz-.+)$/;
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => wanted.test(name) && !/^x-amz-(?:request-id|id-2)$/.test(name)),
  );
}
