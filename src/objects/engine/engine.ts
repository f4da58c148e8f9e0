// The interface of a blob engine: it keeps bytes, and nothing about what they are. A blob is written whole, never
// changed, and named by a handle that the engine makes. The metadata of objects is in the state; a blob counts from the
// moment that a write set refers to its handle, and until then nobody can see it. An object of several parts is a list
// of handles in its metadata.
import type { BlobFigures } from './figures.ts';

export interface StoredBlob {
  handle: string; // plain text of at most 100 characters; never used again for another blob
  size: number;
}

// Must lie within the blob.
export interface ByteRange {
  offset: number;
  length: number;
}

// Returns those of the handles (at most `handlesPerCall`) that the state refers to.
export type FindReferenced = (handles: readonly string[]) => Promise<ReadonlySet<string>>;

// Replaces a handle by another of the same bytes wherever the state refers to it. False: nothing refers to it any more.
export type MoveReference = (from: string, to: string) => Promise<boolean>;

export const handlesPerCall = 500;

export interface BlobEngine {
  // Resolves when the bytes are durable. Memory is bounded whatever the size; the pieces must not be changed
  // afterwards. If the body or the store fails, nothing of it is left. 'unavailable': the same call may work later.
  put(body: AsyncIterable<Uint8Array>, hint?: { size?: number | undefined }): Promise<StoredBlob>;
  // Reads only as fast as it is iterated, and holds nothing before or after that. It fails with 'missing' if there is
  // no such blob, and with 'unavailable' if it can't be read or is damaged; never does it end early without a fault.
  get(handle: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  // For blobs that nothing refers to any more. One that is not there is no error. A crash may bring blobs back, which
  // the next sweep finds. A `get` that has begun reads to its end; one that begins later may find the blob missing.
  remove(handles: readonly string[]): Promise<void>;
  // Removes blobs that were put before the moment (of the machine's clock) and that nothing refers to: torn uploads
  // and lost removals. Blobs that wait for their write set must be younger. Returns how many it removed.
  sweep(beforeMs: number, findReferenced: FindReferenced): Promise<number>;
  // Frees the space of removed small blobs by moving their neighbours, a bounded slice per call: true if there is more.
  // The same moment as for `sweep`. A moved blob can be read by its old handle for some minutes.
  compact(beforeMs: number, move: MoveReference): Promise<boolean>;
  figures(): Promise<BlobFigures>;
  close(): Promise<void>;
}
