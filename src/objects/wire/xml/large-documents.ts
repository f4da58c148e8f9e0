// Large documents are read in a separate thread.
import { WorkerPool } from '../../../core/threads/worker-pool.ts';
import { type LifecycleRule, readLifecycleConfiguration } from './lifecycle-document.ts';
import { type CompletedPart, type DeleteRequest, readCompleteMultipartUpload, readDelete } from './object-documents.ts';

export const documentReaders = {
  parts: readCompleteMultipartUpload,
  deletes: readDelete,
  lifecycle: readLifecycleConfiguration,
};

const mostHere = 32 * 1024; // bytes that take a few milliseconds
const idleMs = 20_000;
const deadlineMs = 60_000;

export class LargeDocuments {
  readonly #pool = new WorkerPool<typeof documentReaders>({
    name: 'The reader of XML documents',
    module: new URL('./thread.ts', import.meta.url),
    threads: 2,
    sharedThreads: 1,
    callsPerThread: 1,
    idleMs,
  });

  // `contract`: documents of different contracts take turns.
  async parts(body: Uint8Array, contract: number): Promise<CompletedPart[]> {
    if (body.length <= mostHere) return readCompleteMultipartUpload(body);
    return this.#pool.call('parts', body, { group: String(contract), deadlineMs });
  }

  async deletes(body: Uint8Array, contract: number): Promise<DeleteRequest> {
    if (body.length <= mostHere) return readDelete(body);
    return this.#pool.call('deletes', body, { group: String(contract), deadlineMs });
  }

  async lifecycle(body: Uint8Array, contract: number): Promise<LifecycleRule[]> {
    if (body.length <= mostHere) return readLifecycleConfiguration(body);
    return this.#pool.call('lifecycle', body, { group: String(contract), deadlineMs });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
