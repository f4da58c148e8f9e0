// Incomplete multipart uploads and their parts. A part counts when its row is committed; a part that is uploaded again
// replaces the earlier one.
import { randomHex } from '../../base/ids.ts';
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import { successor } from '../../core/state/scan.ts';
import type { Store } from '../../core/store.ts';
import { s3Fault } from '../wire/error.ts';
import type { ChecksumAlgorithm } from '../wire/payload/checksum.ts';
import type { ChecksumType } from '../wire/payload/multipart-checksum.ts';
import { refer, unrefer } from './blob-references.ts';
import { type Buckets, guardOf, type StoredBucket } from './bucket.ts';
import { keyPart, partRowId, partsPlace, uploadsPlace, versionRowId } from './places.ts';
import type { ObjectProperties, StoredPart } from './version.ts';

export interface Upload {
  key: string;
  uploadId: string;
  started: number;
  owner: string;
  properties: ObjectProperties;
  algorithm?: ChecksumAlgorithm;
  checksumType?: ChecksumType;
}

// Every part has a blob, even an empty one.
export interface UploadPart extends StoredPart {
  number: number;
  etag: string;
  modified: number;
}

const uploadOf = (row: Row): Upload => JSON.parse(row.body) as Upload;
const partOf = (row: Row): UploadPart => JSON.parse(row.body) as UploadPart;

export class Uploads {
  readonly #store: Store;
  readonly #buckets: Buckets;
  readonly #release: (handles: string[]) => void;

  constructor(store: Store, buckets: Buckets, release: (handles: string[]) => void) {
    this.#store = store;
    this.#buckets = buckets;
    this.#release = release;
  }

  // Later uploads have greater ids: uploads of one key are listed in the order of their start.
  async start(bucketName: string, upload: Omit<Upload, 'uploadId'>): Promise<string> {
    const uploadId = `${upload.started.toString(16).padStart(12, '0')}${randomHex(10)}`;
    await this.#store.change(async () => {
      const bucket = await this.#buckets.demand(bucketName);
      return { writes: [guardOf(bucket), insert(uploadRow(bucket, { ...upload, uploadId }))], value: undefined };
    });
    return uploadId;
  }

  async find(bucket: StoredBucket, key: string, uploadId: string): Promise<Upload> {
    return uploadOf(await this.#row(bucket, key, uploadId));
  }

  async #row({ contract, id }: StoredBucket, key: string, uploadId: string): Promise<Row> {
    const isId = /^[0-9a-f]{32}$/.test(uploadId);
    const row = isId && (await this.#store.get(contract, uploadsPlace(id), versionRowId(key, uploadId), 'object'));
    if (row) return row;
    throw s3Fault('NoSuchUpload');
  }

  async putPart(bucketName: string, key: string, uploadId: string, part: UploadPart): Promise<void> {
    const decide = async () => {
      const bucket = await this.#buckets.demand(bucketName);
      const upload = await this.#row(bucket, key, uploadId);
      const row = partRow(bucket, uploadId, part);
      const there = await this.#store.get(row.contract, row.place, row.id, 'object');
      const { contract, id: bucketId } = bucket;
      const writes: Write[] = [
        // Every part gives the upload a new version, so completing or aborting it cannot miss a part.
        { op: 'update', table: 'object', row: upload },
        there ? { op: 'update', table: 'object', row: { ...row, version: there.version } } : insert(row),
        ...refer([part], { contract, bucketId, uploadId, part: part.number }),
        ...(there ? unrefer([partOf(there)]) : []),
      ];
      return { writes, value: there ? [partOf(there)] : [] };
    };
    this.#free(await this.#store.change(decide, `upload ${uploadId}`));
  }

  // Returns the parts after this number, in order.
  async parts(bucket: StoredBucket, uploadId: string, after: number, limit: number): Promise<UploadPart[]> {
    return (await this.#partRows(bucket, uploadId, after, limit)).map(partOf);
  }

  #partRows({ contract, id }: StoredBucket, uploadId: string, after: number, limit: number): Promise<Row[]> {
    const scan = { contract, place: partsPlace(id, uploadId), from: partRowId(after + 1), limit };
    return this.#store.range(scan, 'object');
  }

  async abort(bucketName: string, key: string, uploadId: string): Promise<void> {
    const decide = async () => {
      const bucket = await this.#buckets.demand(bucketName);
      const { writes, parts } = await this.removal(bucket, key, uploadId);
      return { writes: [...writes, ...unrefer(parts)], value: parts };
    };
    this.#free(await this.#store.change(decide, `upload ${uploadId}`));
  }

  // Returns the writes that remove the upload and its parts; the caller removes the references to their blobs.
  async removal(
    bucket: StoredBucket,
    key: string,
    uploadId: string,
  ): Promise<{ writes: Write[]; parts: UploadPart[] }> {
    const row = await this.#row(bucket, key, uploadId);
    const rows = await this.#partRows(bucket, uploadId, 0, 10_000);
    const writes = [row, ...rows].map(
      (one): Write => ({
        op: 'remove',
        table: 'object',
        key: one,
        version: one.version,
      }),
    );
    return { writes, parts: rows.map(partOf) };
  }

  // Ordered by key, then by start. Yields keys after `after`, and of that key the uploads after `afterId`.
  async *list(bucket: StoredBucket, prefix: string, after: string, afterId: string): AsyncGenerator<Upload> {
    const { contract, id } = bucket;
    const end = successor(keyPart(prefix));
    const start = after === '' ? keyPart(prefix) : versionRowId(after, afterId === '' ? '\x7f' : `${afterId}\x01`);
    const scan = { contract, place: uploadsPlace(id), from: start, ...(end !== undefined && { to: end }) };
    for await (const row of this.#store.each(scan, 'object'))
      if (row.id.startsWith(keyPart(prefix))) yield uploadOf(row);
  }

  // Called when a bucket is removed.
  async removeAll(bucket: StoredBucket): Promise<Write[]> {
    const writes: Write[] = [];
    for await (const { key, uploadId } of this.list(bucket, '', '', '')) {
      const { writes: removal, parts } = await this.removal(bucket, key, uploadId);
      writes.push(...removal, ...unrefer(parts));
    }
    return writes;
  }

  #free(parts: readonly StoredPart[]): void {
    if (parts.length > 0) this.#release(parts.map(({ handle }) => handle));
  }
}

const insert = (row: Row): Write => ({ op: 'insert', table: 'object', row });

const uploadRow = ({ contract, id }: StoredBucket, upload: Upload): Row =>
  rowOf({
    contract,
    place: uploadsPlace(id),
    id: versionRowId(upload.key, upload.uploadId),
    kind: 'upload',
    time: upload.started,
    owner: upload.owner,
    body: JSON.stringify(upload),
  });

const partRow = ({ contract, id }: StoredBucket, uploadId: string, part: UploadPart): Row =>
  rowOf({
    contract,
    place: partsPlace(id, uploadId),
    id: partRowId(part.number),
    kind: 'part',
    time: part.modified,
    body: JSON.stringify(part),
  });
