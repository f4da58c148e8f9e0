// Buckets: one row each, with all configurations in its body. A claim makes the name unique in the region. Every change
// of a bucket's content guards its row, so nothing is ever stored in a bucket that is being removed.
import { uuid } from '../../base/ids.ts';
import { claimKey, claimRow } from '../../core/operation/reservations.ts';
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { s3Fault } from '../wire/error.ts';
import type { CorsRule } from '../wire/http/cors.ts';
import type { Tag } from '../wire/http/tags.ts';
import type { Grant } from '../wire/xml/access-control-document.ts';
import type { EncryptionConfiguration, PublicAccessBlock } from '../wire/xml/bucket-documents.ts';
import type { LifecycleRule } from '../wire/xml/lifecycle-document.ts';
import type { ObjectLockConfiguration } from '../wire/xml/object-documents.ts';
import type { WebsiteConfiguration } from '../wire/xml/website-document.ts';
import { bucketsPlace } from './places.ts';

export interface Bucket {
  id: string; // not its name: a bucket that is created again is empty
  ownership: 'contract' | 'user'; // who owns it: the contract, or the user alone
  region: string;
  versioning?: 'Enabled' | 'Suspended';
  mfaDelete?: 'Disabled'; // returned only if the client has sent it
  objectLock?: ObjectLockConfiguration; // present: locking is enabled, with or without a default retention
  objectOwnership?: string;
  tags?: Tag[];
  cors?: CorsRule[];
  policy?: string; // the JSON text as sent
  lifecycle?: LifecycleRule[];
  encryption?: EncryptionConfiguration;
  website?: WebsiteConfiguration;
  publicAccessBlock?: PublicAccessBlock;
  grants?: Grant[]; // absent: only the owner's
}

export type BucketChange = { [P in keyof Bucket]?: Bucket[P] | undefined };

export interface StoredBucket extends Bucket {
  row: Row;
  name: string;
  contract: number;
  owner: string; // the user who created it
  isInherited: boolean; // its user is deleted, so it belongs to the administrators
  created: number;
}

export const bucketPath = ({ name }: Pick<StoredBucket, 'name'>): string => `${bucketsPlace}/${name}`;

const claimOf = (name: string): string => `bucket ${name}`;

export const objectCounter = (bucket: StoredBucket): string => `objects in ${bucket.name}`; // versions and markers
export const byteCounter = (bucket: StoredBucket): string => `object bytes in ${bucket.name}`;
export const isContentCounter = (name: string): boolean => /^object(s| bytes) in /.test(name);

// Whether the user still exists in the contract.
type HasUser = (user: string, contract: number) => Promise<boolean>;

export class Buckets {
  readonly #store: Store;
  readonly #hasUser: HasUser;

  constructor(store: Store, hasUser: HasUser) {
    this.#store = store;
    this.#hasUser = hasUser;
  }

  async find(name: string): Promise<StoredBucket | undefined> {
    const claimed = await this.#store.claimed(claimOf(name));
    const row = claimed && (await this.#store.get(claimed.contract, bucketsPlace, name, 'object'));
    return row && this.ofRow(row);
  }

  async demand(name: string): Promise<StoredBucket> {
    return (await this.find(name)) ?? missing();
  }

  async list(contract: number): Promise<StoredBucket[]> {
    const buckets: StoredBucket[] = [];
    for await (const rows of this.#store.pages({ contract, place: bucketsPlace }, 'object'))
      for (const row of rows) buckets.push(await this.ofRow(row));
    return buckets;
  }

  // Yields the buckets of every contract, for reconcilers.
  async *all(contracts: readonly number[]): AsyncGenerator<StoredBucket> {
    for (const contract of contracts) yield* await this.list(contract);
  }

  // `isOwn`: whether the caller owns an existing bucket of this name.
  create(
    made: Pick<StoredBucket, 'name' | 'contract' | 'owner' | 'created'> & Omit<Bucket, 'id'>,
    isOwn: (other: StoredBucket) => boolean,
  ): Promise<void> {
    const { name, contract, owner, created, ...bucket } = made;
    const body = JSON.stringify({ id: uuid(), ...bucket });
    const row = rowOf({ contract, place: bucketsPlace, id: name, kind: 'bucket', time: created, owner, body });
    return this.#store.change(() => ({
      writes: [
        { op: 'insert', table: 'claim', row: claimRow(claimOf(name), contract, `${bucketsPlace}/${name}`) },
        { op: 'insert', table: 'object', row },
      ],
      value: undefined,
      refuse: async () => {
        const other = await this.find(name);
        return s3Fault(other && isOwn(other) ? 'BucketAlreadyOwnedByYou' : 'BucketAlreadyExists');
      },
    }));
  }

  // `change` returns the new values of the bucket; an undefined property is removed.
  update(name: string, change: (bucket: StoredBucket) => BucketChange): Promise<void> {
    return this.#store.change(async () => {
      const stored = await this.demand(name);
      const body = JSON.stringify({ ...bodyOf(stored), ...change(stored) });
      return { writes: [{ op: 'update', table: 'object', row: { ...stored.row, body } }], value: undefined };
    });
  }

  // Refused while the bucket contains anything but unfinished uploads.
  remove(name: string, more: (bucket: StoredBucket) => Promise<Write[]>): Promise<void> {
    return this.#store.change(async () => {
      const bucket = await this.demand(name);
      const { contract, row } = bucket;
      const counter = objectCounter(bucket);
      return {
        writes: [
          { op: 'count', contract, name: counter, add: 1, max: 1 },
          { op: 'count', contract, name: counter, add: -1 },
          { op: 'remove', table: 'object', key: row, version: row.version },
          { op: 'remove', table: 'claim', key: claimKey(claimOf(name)), loose: true },
          ...(await more(bucket)),
        ],
        value: undefined,
        refuse: ({ why }) => (why === 'limit' ? s3Fault('BucketNotEmpty') : undefined),
      };
    });
  }

  async ofRow(row: Row): Promise<StoredBucket> {
    const { id: name, contract, owner, time: created } = row;
    const bucket = JSON.parse(row.body) as Bucket;
    const isInherited = bucket.ownership === 'user' && !(await this.#hasUser(owner, contract));
    return { ...bucket, row, name, contract, owner, isInherited, created };
  }
}

export const guardOf = ({ row }: StoredBucket): Write => ({
  op: 'guard',
  table: 'object',
  key: row,
  version: row.version,
});

function bodyOf({
  row: _row,
  name: _name,
  contract: _contract,
  owner: _owner,
  isInherited: _isInherited,
  created: _created,
  ...bucket
}: StoredBucket) {
  return bucket;
}

function missing(): never {
  throw s3Fault('NoSuchBucket');
}
