// Deletes many objects: selected ones, whole folders, or everything in a bucket with all versions and unfinished
// uploads, and then the bucket. It can be cancelled between two calls; deleted objects stay deleted.
import { signal } from '@preact/signals';
import { isAborted } from '../../api.ts';
import { deleteBucket } from '../s3/buckets.ts';
import { type Entry, type ListRequest, listObjects, listUploads, listVersions, type Page } from '../s3/listing.ts';
import { abortUpload, type NotRemoved, type Removable, removeObjects } from '../s3/objects.ts';
import { withRetries } from '../s3/retry.ts';

// The S3 calls that a deletion needs, so that tests can replace them.
export interface DeletionCalls {
  listObjects(request: ListRequest): Promise<Page<Entry>>;
  listVersions(request: ListRequest): Promise<Page<Entry>>;
  listUploads: typeof listUploads;
  removeObjects: typeof removeObjects;
  abortUpload: typeof abortUpload;
  deleteBucket: typeof deleteBucket;
}

const calls: DeletionCalls = { listObjects, listVersions, listUploads, removeObjects, abortUpload, deleteBucket };

export interface DeletionPlan {
  bucket: string;
  objects?: readonly Removable[];
  folders?: readonly string[];
  withVersions?: boolean; // permanently deletes all versions in the folders
  withBucket?: boolean; // deletes the bucket with its content and unfinished uploads
  bypass?: boolean; // bypasses governance retention
}

const mostShown = 100;

export class Deletion {
  readonly plan: DeletionPlan;
  readonly removed = signal(0);
  readonly aborted = signal(0); // unfinished uploads
  readonly failed = signal<readonly NotRemoved[]>([]); // the first failures
  readonly failures = signal(0);
  readonly state = signal<'asks' | 'runs' | 'done' | 'cancelled' | 'failed'>('asks');
  readonly error = signal<unknown>(undefined);
  readonly #calls: DeletionCalls;
  readonly #controller = new AbortController();

  constructor(plan: DeletionPlan, own = calls) {
    this.plan = plan;
    this.#calls = own;
  }

  async run(bypass = this.plan.bypass ?? false): Promise<void> {
    const { objects = [], folders = [], withVersions = false, withBucket = false } = this.plan;
    this.state.value = 'runs';
    try {
      await this.#remove(objects, bypass);
      for (const folder of folders) await this.#removeBelow(folder, withVersions, bypass);
      if (withBucket) await this.#removeBucket(bypass);
      this.state.value = this.failures.value > 0 ? 'failed' : 'done';
    } catch (error) {
      const isCancelled = this.#controller.signal.aborted || isAborted(error);
      if (!isCancelled) this.error.value = error;
      this.state.value = isCancelled ? 'cancelled' : 'failed';
    }
  }

  cancel(): void {
    this.#controller.abort();
  }

  async #removeBucket(bypass: boolean): Promise<void> {
    const { bucket } = this.plan;
    const { signal } = this.#controller;
    await this.#removeBelow('', true, bypass);
    await this.#abortUploads();
    if (this.failures.value > 0) return; // its deletion would only add a less helpful failure
    signal.throwIfAborted();
    await withRetries(() => this.#calls.deleteBucket(bucket, signal), signal);
  }

  // The next page is requested before this one is deleted, because it starts after a version that must still exist.
  async #removeBelow(prefix: string, withVersions: boolean, bypass: boolean): Promise<void> {
    const { bucket } = this.plan;
    const { signal } = this.#controller;
    const list = withVersions ? this.#calls.listVersions : this.#calls.listObjects;
    const page = (after?: string): Promise<Page<Entry>> =>
      withRetries(() => list({ bucket, prefix, isFlat: true, limit: 1000, after, signal }), signal);
    let current: Page<Entry> | undefined = await page();
    while (current) {
      const next: Page<Entry> | undefined = current.next === undefined ? undefined : await page(current.next);
      const items = current.items.flatMap((one) => (one.kind === 'object' ? [one] : []));
      await this.#remove(
        items.map(({ key, versionId }) => ({ key, versionId })),
        bypass,
      );
      current = next;
    }
  }

  async #remove(items: readonly Removable[], bypass: boolean): Promise<void> {
    if (items.length === 0) return;
    const { signal } = this.#controller;
    signal.throwIfAborted();
    const options = { bypass, signal };
    const failed = await withRetries(() => this.#calls.removeObjects(this.plan.bucket, items, options), signal);
    this.removed.value += items.length - failed.length;
    this.failures.value += failed.length;
    this.failed.value = [...this.failed.value, ...failed].slice(0, mostShown);
  }

  async #abortUploads(): Promise<void> {
    const { bucket } = this.plan;
    const { signal } = this.#controller;
    let after: string | undefined;
    do {
      signal.throwIfAborted();
      const page = await withRetries(() => this.#calls.listUploads({ bucket, prefix: '', after, signal }), signal);
      for (const { key, uploadId } of page.items) {
        await withRetries(() => this.#calls.abortUpload(bucket, key, uploadId, signal), signal);
        this.aborted.value++;
      }
      after = page.next;
    } while (after !== undefined);
  }
}
