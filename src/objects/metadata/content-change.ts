// Collects the writes of one change, its effect on the counters of the bucket, and the blobs that it makes unused.
import type { Row, Write } from '../../core/state/engine.ts';
import type { Decision } from '../../core/store.ts';
import { unrefer } from './blob-references.ts';
import { byteCounter, guardOf, objectCounter, type StoredBucket } from './bucket.ts';
import { currentRow, type ObjectVersion, olderRow, type StoredPart } from './version.ts';

export interface Outcome<T> {
  value: T;
  released: StoredPart[]; // to be removed after the commit
}

export class ContentChange {
  readonly #bucket: StoredBucket;
  readonly #writes: Write[];
  readonly #released: StoredPart[] = [];
  #objects = 0;
  #bytes = 0;

  constructor(bucket: StoredBucket) {
    this.#bucket = bucket;
    this.#writes = [guardOf(bucket)];
  }

  add(writes: readonly Write[]): void {
    this.#writes.push(...writes);
  }

  count(objects: number, bytes: number): void {
    this.#objects += objects;
    this.#bytes += bytes;
  }

  insertCurrent(version: ObjectVersion): void {
    this.#writes.push({ op: 'insert', table: 'object', row: currentRow(this.#bucket, version) });
    this.count(1, version.size);
  }

  // The caller handles the version that was current.
  replaceCurrent({ version: stored }: Row, version: ObjectVersion): void {
    const row = { ...currentRow(this.#bucket, version), version: stored };
    this.#writes.push({ op: 'update', table: 'object', row });
    this.count(1, version.size);
  }

  // The caller handles the version's content.
  removeRow(row: Row): void {
    this.#writes.push({ op: 'remove', table: 'object', key: row, version: row.version });
  }

  // The version is counted already.
  insertOlder(version: ObjectVersion): void {
    this.#writes.push({ op: 'insert', table: 'object', row: olderRow(this.#bucket, version) });
  }

  // Removes a version and releases its content.
  forget(version: ObjectVersion): void {
    this.#writes.push(...unrefer(version.parts));
    this.#released.push(...version.parts);
    this.count(-1, -version.size);
  }

  // Releases parts of an upload that no version uses.
  release(parts: readonly StoredPart[]): void {
    this.#writes.push(...unrefer(parts));
    this.#released.push(...parts);
  }

  outcome<T>(value: T): Decision<Outcome<T>> {
    const { contract } = this.#bucket;
    const writes = [...this.#writes];
    if (this.#objects !== 0)
      writes.push({ op: 'count', contract, name: objectCounter(this.#bucket), add: this.#objects });
    if (this.#bytes !== 0) writes.push({ op: 'count', contract, name: byteCounter(this.#bucket), add: this.#bytes });
    return { writes, value: { value, released: this.#released } };
  }
}
