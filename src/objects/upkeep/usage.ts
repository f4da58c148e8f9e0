// The billed usage: stored bytes, from sample to sample, and requests and transferred bytes.
import { GatheredUsage } from '../../core/metering/gathered-usage.ts';
import { usageMark } from '../../core/metering/meter.ts';
import type { Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { type Buckets, bucketPath, byteCounter, type StoredBucket } from '../metadata/bucket.ts';

interface Traffic {
  requests: number;
  bytesIn: number;
  bytesOut: number;
}

const none: Traffic = { requests: 0, bytesIn: 0, bytesOut: 0 };

export class StorageUsage {
  readonly #store: Store;
  readonly #buckets: Buckets;
  readonly #now: () => number;
  readonly #traffic: GatheredUsage;
  readonly #stored = new Map<string, number>(); // by path: the last recorded value
  readonly #totals = new Map<string, Traffic>(); // by path: since this node has started

  constructor(store: Store, buckets: Buckets, now: () => number) {
    this.#store = store;
    this.#buckets = buckets;
    this.#now = now;
    this.#traffic = new GatheredUsage(store, now);
  }

  // Everything is billed to the owner of the bucket, not to the caller.
  count(bucket: StoredBucket, requests: number, bytesIn: number, bytesOut: number): void {
    const [path, amounts] = [bucketPath(bucket), { requests, bytesIn, bytesOut }];
    this.#traffic.add(bucket.contract, { path, kind: 'bucket', amounts });
    const before = this.totalsOf(path);
    this.#totals.set(path, {
      requests: before.requests + requests,
      bytesIn: before.bytesIn + bytesIn,
      bytesOut: before.bytesOut + bytesOut,
    });
  }

  totalsOf(path: string): Traffic {
    return this.#totals.get(path) ?? none;
  }

  flush(): Promise<void> {
    return this.#traffic.flush();
  }

  // Records the stored bytes of every bucket that changed since the last sample.
  async sample(contracts: readonly number[]): Promise<void> {
    const seen = new Set<string>();
    for await (const bucket of this.#buckets.all(contracts)) {
      seen.add(bucketPath(bucket));
      await this.#sampleOne(bucket);
    }
    for (const known of [this.#stored, this.#totals])
      for (const path of known.keys()) if (!seen.has(path)) known.delete(path);
  }

  async #sampleOne(bucket: StoredBucket): Promise<void> {
    const path = bucketPath(bucket);
    const storedBytes = await this.#store.counted(bucket.contract, byteCounter(bucket));
    if (this.#stored.get(path) === storedBytes) return;
    await this.#store.must([this.#mark(bucket, storedBytes, bucket.name)]);
    this.#stored.set(path, storedBytes);
  }

  // A removed bucket stores nothing from now on.
  ending(bucket: StoredBucket): Write {
    return this.#mark(bucket, 0);
  }

  // A record without a name means that the bucket is removed; an empty bucket has its name.
  #mark(bucket: StoredBucket, storedBytes: number, name?: string): Write {
    const mark = {
      path: bucketPath(bucket),
      kind: 'bucket',
      meters: { storedBytes },
      ...(name !== undefined && { name }),
    };
    return usageMark(bucket.contract, mark, this.#now());
  }
}
