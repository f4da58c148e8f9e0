// Reads the bytes of all objects and reports missing and modified ones: by their size, and by the MD5 that entity tags
// are made of. For encrypted content the MD5 of the encrypted bytes is stored.
import { createHash } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Count, DataCheck } from '../../surface/product-data.ts';
import { sealedSize } from '../encryption/sealed-content.ts';
import { DamagedBlob } from '../engine/byte-range.ts';
import type { BlobEngine } from '../engine/engine.ts';
import { bucketsPlace } from '../metadata/places.ts';
import { type StoredPart, versionOf } from '../metadata/version.ts';

// `value`: versions of objects and parts of uploads that were read.
export const objectCount = (value: number): Count => ({
  key: 'objects',
  value,
  text: `the bytes of ${value} objects`,
});

const mostDamage = 100; // maximum number of reports
const readsAtOnce = 16;

interface Damage {
  bucketId: string;
  what: string; // description, after the name of the bucket
}

// The rows may change during the check: a suspicious object is checked again.
export async function checkObjects(store: Store, blobs: BlobEngine): Promise<DataCheck> {
  const trouble = await troubleOf(blobs);
  if (trouble !== undefined) return { damage: [], notes: [`The bytes of objects were not checked. ${trouble}`] };
  const names = new Map<string, string>(); // bucket names by id
  const damage: Damage[] = [];
  let objects = 0;
  for await (const rows of store.pages({ below: '' }, 'object')) {
    for (const { kind, place, id, body } of rows)
      if (kind === 'bucket' && place === bucketsPlace) names.set((JSON.parse(body) as { id: string }).id, id);
    const read = rows.filter(({ kind }) => kind === 'object' || kind === 'part');
    objects += read.length;
    for (let first = 0; first < read.length && damage.length < mostDamage; first += readsAtOnce) {
      const some = read.slice(first, first + readsAtOnce);
      damage.push(...(await Promise.all(some.map((row) => damageOf(store, blobs, row)))).flat());
    }
  }
  const listed = damage.slice(0, mostDamage);
  return {
    count: objectCount(objects),
    damage: listed.map(({ bucketId, what }) => `object ${names.get(bucketId) ?? bucketId}/${what}`),
  };
}

// Why an engine elsewhere can't be read at all.
async function troubleOf(blobs: BlobEngine): Promise<string | undefined> {
  try {
    await blobs.probe?.();
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.message;
  }
}

async function damageOf(store: Store, blobs: BlobEngine, row: Row): Promise<Damage[]> {
  const why = await firstDamage(blobs, contentOf(row));
  if (why === undefined) return [];
  const now = await store.get(row.contract, row.place, row.id, 'object');
  const again = now && (now.version === row.version ? why : await firstDamage(blobs, contentOf(now)));
  if (again === undefined) return [];
  const [bucketId = ''] = row.place.split('/');
  return [{ bucketId, what: `${nameOf(row)}: its bytes are ${again}` }];
}

interface Content {
  part: StoredPart;
  md5: string | undefined;
}

function contentOf(row: Row): Content[] {
  if (row.kind === 'part') return [withSum(JSON.parse(row.body) as StoredPart)];
  const { parts, etag } = versionOf(row);
  return parts.map((part) => withSum(part, parts.length === 1 ? etag : undefined));
}

function withSum(part: StoredPart, etag?: string): Content {
  const sum = part.sealed?.md5 ?? part.etag ?? etag;
  return { part, md5: sum !== undefined && /^[0-9a-f]{32}$/.test(sum) ? sum : undefined };
}

function nameOf(row: Row): string {
  if (row.kind === 'part') return ` part ${Number(row.id)} of the upload ${row.place.split('/').at(-1)}`;
  const { key, versionId } = versionOf(row);
  return row.place.endsWith('/versions') ? `${key} (version ${versionId})` : key;
}

async function firstDamage(blobs: BlobEngine, content: readonly Content[]): Promise<string | undefined> {
  for (const { part, md5 } of content) {
    const found = await damageIn(blobs, part, md5);
    if (found !== undefined) return `${found} (blob ${part.handle})`;
  }
  return undefined;
}

async function damageIn(
  blobs: BlobEngine,
  { handle, size, sealed }: StoredPart,
  md5: string | undefined,
): Promise<string | undefined> {
  const hash = createHash('md5');
  let bytes = 0;
  try {
    for await (const piece of blobs.get(handle)) {
      hash.update(piece);
      bytes += piece.length;
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error instanceof DamagedBlob) return 'damaged';
    return error.kind === 'missing' ? 'missing' : `unreadable (${error.message})`;
  }
  const stored = sealed ? sealedSize(size) : size;
  return bytes !== stored || (md5 !== undefined && hash.digest('hex') !== md5) ? 'damaged' : undefined;
}
