// Reads large documents in a separate thread.
import { WorkerPool } from '../../../core/threads/worker-pool.ts';
import { readAccessControlPolicy } from './access-control-document.ts';
import { readCorsConfiguration } from './bucket-documents.ts';
import { readLifecycleConfiguration } from './lifecycle-document.ts';
import { readCompleteMultipartUpload, readDelete } from './object-documents.ts';
import { readWebsiteConfiguration } from './website-document.ts';

// The documents that may have more elements than the default limit.
const readers = {
  acl: readAccessControlPolicy,
  cors: readCorsConfiguration,
  deletes: readDelete,
  lifecycle: readLifecycleConfiguration,
  parts: readCompleteMultipartUpload,
  website: readWebsiteConfiguration,
};

type Kind = keyof typeof readers;
type Content<K extends Kind> = ReturnType<(typeof readers)[K]>;

export const documentCalls = {
  read: ({ kind, body }: { kind: Kind; body: Uint8Array }) => readers[kind](body),
};

const mostHere = 16 * 1024; // bytes that take a few milliseconds
const idleMs = 20_000;
const deadlineMs = 60_000;

export class LargeDocuments {
  readonly #pool = new WorkerPool<typeof documentCalls>({
    name: 'The reader of XML documents',
    module: new URL('./thread.ts', import.meta.url),
    threads: 2,
    sharedThreads: 1,
    callsPerThread: 1,
    idleMs,
  });

  // `contract`: documents of different contracts take turns.
  async read<K extends Kind>(kind: K, body: Uint8Array, contract: number): Promise<Content<K>> {
    const document = { kind, body };
    if (body.length <= mostHere) return documentCalls.read(document) as Content<K>;
    return (await this.#pool.call('read', document, { group: String(contract), deadlineMs })) as Content<K>;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
