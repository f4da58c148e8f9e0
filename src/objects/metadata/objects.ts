// The objects of a bucket and their versions. Every change is one write set that guards the bucket, so versioning can't
// be switched and the bucket can't be removed while an object is stored. Blobs that a change makes unused are passed to
// `release` after the commit.
import type { Row, Write } from '../../core/state/engine.ts';
import type { Decision, Store } from '../../core/store.ts';
import { s3Fault } from '../wire/error.ts';
import type { Tag } from '../wire/http/tags.ts';
import type { Grant } from '../wire/xml/access-control-document.ts';
import type { Retention } from '../wire/xml/object-documents.ts';
import { refer, referInstead, versionReferrer } from './blob-references.ts';
import { type Buckets, guardOf, type StoredBucket } from './bucket.ts';
import { ContentChange, type Outcome } from './content-change.ts';
import { keyEnd, keyStart, objectsPlace, versionRowId, versionsPlace } from './places.ts';
import {
  currentRow,
  newVersionId,
  nextOrder,
  nullVersion,
  type ObjectVersion,
  orderOf,
  type StoredPart,
  versionOf,
} from './version.ts';

export type NewVersion = Omit<ObjectVersion, 'versionId' | 'order'>;

// Throws if the conditions of the request do not hold for the existing object; `current` is never a delete marker.
export type WriteCheck = (current: ObjectVersion | undefined) => void;

// A version whose content was uploaded in parts.
export interface Assembled {
  made: NewVersion;
  writes: Write[]; // for the same write set
  unused: StoredPart[]; // uploaded, but not part of the version
}

// The properties of a version that can be changed in place; undefined removes one.
export interface VersionChange {
  tags?: Tag[] | undefined;
  retention?: Retention | undefined;
  legalHold?: 'ON' | 'OFF';
  grants?: Grant[];
}

export interface Removal {
  versionId?: string;
  // Throws if the version must not be removed permanently.
  check?(version: ObjectVersion): void;
  // Throws if a condition of the request does not hold for the version that is removed or hidden, which may be a
  // marker.
  condition?(version: ObjectVersion | undefined): void;
}

export interface Removed {
  versionId: string | undefined; // of the created marker or the removed version
  isMarker: boolean; // a marker was created or removed
}

export class Objects {
  readonly #store: Store;
  readonly #buckets: Buckets;
  readonly #now: () => number;
  readonly #release: (handles: string[]) => void;

  constructor(store: Store, buckets: Buckets, now: () => number, release: (handles: string[]) => void) {
    this.#store = store;
    this.#buckets = buckets;
    this.#now = now;
    this.#release = release;
  }

  // Returns the newest version, which may be a delete marker.
  async latest(bucket: StoredBucket, key: string): Promise<ObjectVersion | undefined> {
    const row = (await this.#currentRow(bucket, key)) ?? (await this.#newestOlder(bucket, key));
    return row && versionOf(row);
  }

  async find(bucket: StoredBucket, key: string, versionId: string): Promise<ObjectVersion | undefined> {
    const row = await this.#rowOf(bucket, key, versionId);
    return row && versionOf(row);
  }

  // Publishes content that is already durable.
  put(bucketName: string, made: NewVersion, check: WriteCheck): Promise<ObjectVersion> {
    return this.#change(bucketName, made.key, async (bucket) => {
      const change = new ContentChange(bucket);
      const version = await this.#publish(change, bucket, made, check);
      change.add(refer(version.parts, versionReferrer(bucket, version)));
      return change.outcome(version);
    });
  }

  // Publishes the parts of an upload, which have references already. If an earlier or concurrent call has done so, the
  // result is the version of that call.
  complete(
    bucketName: string,
    key: string,
    uploadId: string,
    assemble: (bucket: StoredBucket) => Promise<Assembled>,
    check: WriteCheck,
  ): Promise<ObjectVersion> {
    return this.#change(bucketName, key, async (bucket) => {
      const change = new ContentChange(bucket);
      const latest = await this.latest(bucket, key);
      if (latest?.uploadId === uploadId) return change.outcome(latest);
      const { made, writes, unused } = await assemble(bucket);
      // The parts are removed before the version is written. Its row has up to 10,000 of them, which is 1.5 MB; SQLite
      // reads all of that whenever it searches an adjacent row, and the rows of the parts are adjacent.
      change.add(writes);
      const version = await this.#publish(change, bucket, made, check);
      change.add(referInstead(version.parts, versionReferrer(bucket, version)));
      change.release(unused);
      return change.outcome(version);
    });
  }

  async #publish(change: ContentChange, bucket: StoredBucket, made: NewVersion, check: WriteCheck) {
    const { key } = made;
    const current = await this.#currentRow(bucket, key);
    check(current && versionOf(current));
    const newest = current ?? (await this.#newestOlder(bucket, key));
    const order = nextOrder(this.#now(), newest && versionOf(newest));
    const versionId = bucket.versioning === 'Enabled' ? newVersionId(order) : nullVersion;
    const version: ObjectVersion = { ...made, versionId, order };
    if (current) await this.#makeRoom(change, bucket, versionOf(current));
    else if (bucket.versioning === 'Suspended') await this.#dropNull(change, bucket, key);
    if (current) change.replaceCurrent(current, version);
    else change.insertCurrent(version);
    return version;
  }

  remove(bucketName: string, key: string, removal: Removal): Promise<Removed> {
    return this.#change(bucketName, key, (bucket) =>
      removal.versionId === undefined && bucket.versioning
        ? this.#hide(bucket, key, removal)
        : this.#removeVersion(bucket, key, removal),
    );
  }

  // Changes metadata of one version in place: tags, locks, grants.
  update(
    bucketName: string,
    key: string,
    versionId: string | undefined,
    change: (version: ObjectVersion) => VersionChange,
  ): Promise<ObjectVersion> {
    return this.#change(bucketName, key, async (bucket) => {
      const row = await this.#rowOf(bucket, key, versionId);
      if (!row) throw s3Fault(versionId === undefined ? 'NoSuchKey' : 'NoSuchVersion');
      const version = versionOf(row);
      if (version.isMarker) throw s3Fault('MethodNotAllowed');
      const body = JSON.stringify({ ...version, ...change(version) });
      const writes: Write[] = [guardOf(bucket), { op: 'update', table: 'object', row: { ...row, body } }];
      return { writes, value: { value: versionOf({ ...row, body }), released: [] } };
    });
  }

  // Changes of one key are serialized, so that concurrent ones do not have to decide again and again.
  async #change<T>(
    bucketName: string,
    key: string,
    decide: (bucket: StoredBucket) => Promise<Decision<Outcome<T>>>,
  ): Promise<T> {
    const { value, released } = await this.#store.change(
      async () => decide(await this.#buckets.demand(bucketName)),
      `object ${bucketName}/${key}`,
    );
    if (released.length > 0) this.#release(released.map(({ handle }) => handle));
    return value;
  }

  // The current version becomes an older one; a null version that another one replaces is removed.
  async #makeRoom(change: ContentChange, bucket: StoredBucket, current: ObjectVersion): Promise<void> {
    const isReplaced = bucket.versioning !== 'Enabled' && current.versionId === nullVersion;
    if (isReplaced) {
      change.forget(current);
      return;
    }
    change.insertOlder(current);
    if (bucket.versioning === 'Suspended') await this.#dropNull(change, bucket, current.key);
  }

  // While versioning is suspended a key has at most one null version.
  async #dropNull(change: ContentChange, bucket: StoredBucket, key: string): Promise<void> {
    const older = await this.#olderNull(bucket, key);
    if (!older) return;
    change.removeRow(older);
    change.forget(versionOf(older));
  }

  // Adds a delete marker as the newest version.
  async #hide(bucket: StoredBucket, key: string, { condition }: Removal): Promise<Decision<Outcome<Removed>>> {
    const current = await this.#currentRow(bucket, key);
    const newest = current ?? (await this.#newestOlder(bucket, key));
    condition?.(newest && versionOf(newest));
    const order = nextOrder(this.#now(), newest && versionOf(newest));
    const versionId = bucket.versioning === 'Enabled' ? newVersionId(order) : nullVersion;
    const change = new ContentChange(bucket);
    if (current) {
      await this.#makeRoom(change, bucket, versionOf(current));
      change.removeRow(current);
    } else if (bucket.versioning === 'Suspended') await this.#dropNull(change, bucket, key);
    change.insertOlder({
      key,
      versionId,
      order,
      modified: this.#now(),
      owner: bucket.owner,
      isMarker: true,
      size: 0,
      etag: '',
      parts: [],
      headers: {},
      meta: {},
    });
    change.count(1, 0);
    return change.outcome({ versionId, isMarker: true });
  }

  // Removes a version permanently. A missing version counts as removed.
  async #removeVersion(bucket: StoredBucket, key: string, removal: Removal): Promise<Decision<Outcome<Removed>>> {
    const { versionId, check, condition } = removal;
    const row = await this.#rowOf(bucket, key, versionId);
    const version = row && versionOf(row);
    condition?.(version);
    if (!row || !version) return { writes: [], value: { value: { versionId, isMarker: false }, released: [] } };
    check?.(version);
    const change = new ContentChange(bucket);
    change.forget(version);
    change.removeRow(row);
    const isNewest = row.place === objectsPlace(bucket.id) || !(await this.#currentRow(bucket, key));
    if (isNewest && bucket.versioning) await this.#promote(change, bucket, key, version);
    return change.outcome({ versionId, isMarker: version.isMarker === true });
  }

  // The next older version becomes the current one, unless it is a marker.
  async #promote(change: ContentChange, bucket: StoredBucket, key: string, removed: ObjectVersion): Promise<void> {
    const rows = await this.#olderRows(bucket, key, 2);
    const next = rows.find((row) => versionOf(row).order !== removed.order);
    if (!next || versionOf(next).order < removed.order || versionOf(next).isMarker) return;
    change.removeRow(next);
    change.add([{ op: 'insert', table: 'object', row: currentRow(bucket, versionOf(next)) }]);
  }

  async #rowOf(bucket: StoredBucket, key: string, versionId: string | undefined): Promise<Row | undefined> {
    const current = await this.#currentRow(bucket, key);
    if (versionId === undefined || (current && versionOf(current).versionId === versionId)) return current;
    if (versionId === nullVersion) return this.#olderNull(bucket, key);
    const order = orderOf(versionId);
    const row = order && (await this.#get(bucket, versionsPlace(bucket.id), versionRowId(key, order)));
    return row && versionOf(row).versionId === versionId ? row : undefined;
  }

  #currentRow(bucket: StoredBucket, key: string): Promise<Row | undefined> {
    return this.#get(bucket, objectsPlace(bucket.id), key);
  }

  #get({ contract }: StoredBucket, place: string, id: string): Promise<Row | undefined> {
    return this.#store.get(contract, place, id, 'object');
  }

  async #newestOlder(bucket: StoredBucket, key: string): Promise<Row | undefined> {
    if (!bucket.versioning) return undefined;
    return (await this.#olderRows(bucket, key, 1))[0];
  }

  #olderRows({ contract, id }: StoredBucket, key: string, limit: number): Promise<Row[]> {
    const scan = { contract, place: versionsPlace(id), from: keyStart(key), to: keyEnd(key), limit };
    return this.#store.range(scan, 'object');
  }

  async #olderNull({ contract, id }: StoredBucket, key: string): Promise<Row | undefined> {
    const scan = { contract, place: versionsPlace(id), from: keyStart(key), to: keyEnd(key) };
    for await (const row of this.#store.each(scan, 'object')) if (versionOf(row).versionId === nullVersion) return row;
    return undefined;
  }
}
