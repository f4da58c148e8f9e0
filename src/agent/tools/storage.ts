// Object storage tools: buckets, their settings, and the metadata of objects. No tool reads the bytes of an object.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { decode } from '../../core/s3-signature/percent-encoding.ts';
import { listIn } from '../client/storage-api.ts';
import { fittingItems } from '../result.ts';
import { id, input, numberOf, optional, type Tool, type ToolContext, text, textOf, whole } from '../tool.ts';

const bucket = id('The name of the bucket');
const key = id('The key of the object');

const settings: readonly [name: string, query: string, what: string][] = [
  ['cors', 'cors', 'the CORS rules'],
  ['encryption', 'encryption', 'the default encryption'],
  ['lifecycle', 'lifecycle', 'the lifecycle rules'],
  ['policy_status', 'policyStatus', 'the policy status (public or not)'],
  ['replication', 'replication', 'the replication'],
  ['tagging', 'tagging', 'the tags'],
  ['public_access_block', 'publicAccessBlock', 'the blocked kinds of public access'],
  ['lock_configuration', 'object-lock', 'the object lock'],
];

const ofObject: readonly [name: string, query: string, what: string][] = [
  ['tagging', 'tagging', 'the tags'],
  ['retention', 'retention', 'the retention date'],
  ['legal_hold', 'legal-hold', 'the legal hold status'],
];

const tool = (
  name: string,
  description: string,
  args: Record<string, Values>,
  read: (args: Values, context: ToolContext) => Promise<Json>,
): Tool => ({ name, group: 'objectstorage', description, input: input(args), read });

export const storageTools: readonly Tool[] = [
  tool('list_object_storage_buckets', "List the buckets of the key's owner.", {}, async (_, { storage }) => {
    const answer = await storage.get({});
    const buckets = listIn(isObject(answer.Buckets) ? answer.Buckets.Bucket : undefined);
    return { count: buckets.length, buckets: buckets.map(({ Name, CreationDate }) => plain({ Name, CreationDate })) };
  }),
  tool('get_object_storage_bucket_location', 'Show the region of a bucket.', { bucket }, async (args, { storage }) => {
    const { value } = await storage.get({ bucket: String(args.bucket), query: { location: '' } });
    return { LocationConstraint: value ?? null };
  }),
  tool(
    'head_object_storage_bucket',
    'Check whether a bucket exists and may be read.',
    { bucket },
    async (args, { storage }) => {
      const headers = await storage.head({ bucket: String(args.bucket) });
      return { exists: true, ...chosen(headers) };
    },
  ),
  tool('get_object_storage_bucket_policy', 'Show the policy of a bucket.', { bucket }, (args, { storage }) =>
    storage.json({ bucket: String(args.bucket), query: { policy: '' } }),
  ),
  tool(
    'get_object_storage_bucket_versioning',
    'Show whether a bucket keeps versions.',
    { bucket },
    async (args, { storage }) => {
      const answer = await storage.get({ bucket: String(args.bucket), query: { versioning: '' } });
      if (answer.Status !== undefined) return answer;
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
      prefix: optional(text('Only keys with this prefix')),
      continuation_token: optional(text('The token of the previous page')),
      max_keys: optional(whole('Maximum number of objects; 100 by default', 1, 1000)),
    },
    listObjects,
  ),
  tool(
    'list_object_storage_object_versions',
    'List the versions and delete markers of the objects of a bucket by key, a page of at most 100 at a time.',
    {
      bucket,
      prefix: optional(text('Only keys with this prefix')),
      key_marker: optional(text('The marker of the previous page')),
      version_id_marker: optional(text('The marker of the previous page')),
    },
    (args, context) => listVersions(args, context),
  ),
  tool(
    'head_object_storage_object',
    'Show the metadata of an object: size, type, dates and user metadata. Not its bytes.',
    { bucket, key },
    async (args, { storage }) => chosen(await storage.head({ bucket: String(args.bucket), key: String(args.key) })),
  ),
  ...ofObject.map(([name, query, what]) =>
    tool(`get_object_storage_object_${name}`, `Show ${what} of an object.`, { bucket, key }, (args, { storage }) =>
      storage.get({ bucket: String(args.bucket), key: String(args.key), query: { [query]: '' } }),
    ),
  ),
];

async function listObjects(args: Values, context: ToolContext): Promise<Json> {
  const query = {
    'list-type': 2,
    'encoding-type': 'url',
    'max-keys': numberOf(args, 'max_keys', 100),
    prefix: textOf(args, 'prefix'),
    'continuation-token': textOf(args, 'continuation_token'),
  };
  const answer = await context.storage.get({ bucket: String(args.bucket), query });
  const objects = listIn(answer.Contents).map(({ Key, Size, LastModified, StorageClass }) =>
    plain({ Key: decoded(answer, Key), Size: Number(Size), LastModified, StorageClass }),
  );
  // A token continues after the whole page, so a page that does not fit is requested again as a shorter one.
  const fitting = fittingItems(objects);
  if (fitting < objects.length) return listObjects({ ...args, max_keys: fitting }, context);
  const next = answer.NextContinuationToken;
  return { count: objects.length, objects, ...(next !== undefined && { next_continuation_token: next }) };
}

async function listVersions(args: Values, context: ToolContext, most = 100): Promise<Json> {
  const query = {
    versions: '',
    'encoding-type': 'url',
    'max-keys': most,
    prefix: textOf(args, 'prefix'),
    'key-marker': textOf(args, 'key_marker'),
    'version-id-marker': textOf(args, 'version_id_marker'),
  };
  const answer = await context.storage.get({ bucket: String(args.bucket), query });
  const shown = (one: Values): Values =>
    plain({
      Key: decoded(answer, one.Key),
      VersionId: one.VersionId,
      IsLatest: one.IsLatest === 'true',
      LastModified: one.LastModified,
    });
  const versions = listIn(answer.Version).map((one) => ({ ...shown(one), Size: Number(one.Size) }));
  const deleteMarkers = listIn(answer.DeleteMarker).map(shown);
  const all = [...versions, ...deleteMarkers];
  const fitting = fittingItems(all); // as in listObjects
  if (fitting < all.length) return listVersions(args, context, fitting);
  const truncated = answer.IsTruncated === 'true';
  const next = {
    next_key_marker: decoded(answer, answer.NextKeyMarker),
    next_version_id_marker: answer.NextVersionIdMarker,
  };
  return { versions, deleteMarkers, truncated, ...(truncated && plain(next)) };
}

// XML can't represent every character of a key, so lists request percent-encoded keys.
function decoded({ EncodingType }: Values, key: Json | undefined): Json | undefined {
  return EncodingType === 'url' && typeof key === 'string' ? decode(key.replaceAll('+', ' ')) : key;
}

const plain = (values: { [name: string]: Json | undefined }): Values =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined));

// The metadata that the headers of an answer have about a bucket or an object.
function chosen(headers: Readonly<Record<string, string>>): Values {
  const wanted =
    /^(?:content-(?:length|type|encoding|disposition|language)|cache-control|etag|last-modified|x-amz-.+)$/;
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => wanted.test(name) && !/^x-amz-(?:request-id|id-2)$/.test(name)),
  );
}
