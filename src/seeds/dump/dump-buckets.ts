// The buckets of a dump, with their settings, and with their objects where they are wanted.
import { Fault } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import type { S3Client } from '../../core/s3-client/client.ts';
import { bucketDocuments } from '../../surface/docs/seed-buckets.ts';
import { ownerWord, tagged, textAt } from '../bucket-texts.ts';
import type { ObjectFolder } from './object-folder.ts';

export interface BucketSource {
  clients: readonly { s3: S3Client; region?: string }[]; // one for each address of the storage
  isPartial?: boolean; // what can't be read becomes a note instead of a failure
  objects?: ObjectFolder | undefined;
  signal?: AbortSignal | undefined; // ends it
}

export interface StoredBuckets {
  buckets: Values[];
  notes: string[];
  unread: string[]; // names of buckets; an empty name means all
}

export async function dumpBuckets(source: BucketSource): Promise<StoredBuckets> {
  const found = new Map<string, Values>();
  const notes: string[] = [];
  const unread: string[] = [];
  const noted = async (bucket: string, work: () => Promise<void>): Promise<void> => {
    source.signal?.throwIfAborted();
    try {
      await work();
    } catch (error) {
      if (!source.isPartial || source.signal?.aborted) throw error;
      unread.push(bucket);
      const what = bucket === '' ? 'Buckets were' : `The bucket ${bucket} was`;
      notes.push(`${what} not read: ${error instanceof Fault ? error.message : 'the object storage did not answer.'}`);
    }
  };
  for (const { s3: lister } of source.clients)
    await noted('', async () => {
      for (const [, bucket = ''] of (await textAt(lister, {})).matchAll(/<Bucket>(.*?)<\/Bucket>/gs)) {
        const name = tagged(bucket, 'Name');
        if (found.has(name)) continue;
        const region = tagged(bucket, 'BucketRegion');
        const s3 = source.clients.find((one) => one.region === region)?.s3 ?? lister;
        await noted(name, async () => {
          const item: Values = { name, ...(region !== '' && { region }), ...(await settingsOf(s3, name)) };
          found.set(name, item);
          const files = await source.objects?.download(s3, name);
          if (files !== undefined) item.files = files;
        });
      }
    });
  return { buckets: [...found.values()], notes: [...notes, ...(source.objects?.notes ?? [])], unread };
}

// Empty buckets for those that flow logs name and that were not read.
export function replacedBuckets(seed: Json, read: readonly Values[]): Values[] {
  const names = new Set(flowLogsIn(seed).map(({ bucket }) => String(bucket).split('/')[0] ?? ''));
  for (const { name } of read) names.delete(String(name));
  return [...names].sort().map((name) => ({ name, placeholder: 'An empty bucket replaces one that was not read' }));
}

function flowLogsIn(value: Json): Values[] {
  if (Array.isArray(value)) return value.flatMap(flowLogsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === 'flowlogs' && Array.isArray(one) ? one.filter(isObject) : flowLogsIn(one),
  );
}

async function settingsOf(s3: S3Client, bucket: string): Promise<Values> {
  const versioning = tagged(await textAt(s3, { bucket, query: { versioning: '' } }), 'Status') === 'Enabled';
  const policy = await s3.call({ method: 'GET', bucket, query: { policy: '' } });
  const text = await policy.text();
  return {
    ...(versioning && { versioning }),
    ...(policy.ok && { policy: JSON.parse(text) as Json }),
    ...(await documentsOf(s3, bucket)),
  };
}

async function documentsOf(s3: S3Client, bucket: string): Promise<Values> {
  const found: Values = {};
  for (const [name, query] of Object.entries(bucketDocuments)) {
    const answer = await s3.call({ method: 'GET', bucket, query: { [query]: '' } });
    const text = await answer.text();
    const document = name === 'acl' && answer.ok ? aclOf(text) : text;
    if (answer.ok && document !== undefined) found[name] = document;
    else if (!answer.ok && answer.status !== 404)
      throw new Fault(
        'unavailable',
        `The object storage returned ${answer.status} for the ${name} of bucket ${bucket}.`,
      );
  }
  return found;
}

// Undefined for the usual list, which grants the owner everything and nothing to others.
function aclOf(xml: string): string | undefined {
  const grants = [...xml.matchAll(/<Grant>.*?<\/Grant>/gs)].map(([grant]) => grant);
  const owner = tagged(xml, 'ID');
  if (grants.every((grant) => tagged(grant, 'ID') === owner)) return undefined;
  return xml
    .replaceAll(`<ID>${owner}</ID>`, `<ID>${ownerWord}</ID>`)
    .replaceAll(/<DisplayName>[^<]*<\/DisplayName>/g, '');
}
