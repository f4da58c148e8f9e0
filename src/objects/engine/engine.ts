// The interface of a blob engine, which stores bytes without knowing their meaning. A blob is written as a whole, never
// changed, and named by a handle that the engine creates. The metadata of objects is in the state; a blob becomes
// visible when a write set refers to its handle. An object of several parts is a list of handles in its metadata.
import type { BlobFigures } from './figures.ts';
import type { ReadBuffers } from './read-buffers.ts';

export interface StoredBlob {
  handle: string; // plain text of at most 100 characters; never used again for another blob
  size: number;
}

// A range within the blob.
export interface ByteRange {
  offset: number;
  length: number;
}

// Returns those of the handles (at most `handlesPerCall`) that the state refers to.
export type FindReferenced = (handles: readonly string[]) => Promise<ReadonlySet<string>>;

// Replaces a handle by another one for the same bytes wherever the state refers to it. False: nothing refers to it
// any more.
export type MoveReference = (from: string, to: string) => Promise<boolean>;

export const handlesPerCall = 500;

export interface BlobEngine {
  // Resolves when the bytes are durable. Memory is bounded for any size; the pieces must not be changed afterwards. If
  // the body or the store fails, nothing is left behind. 'unavailable': the same call may succeed later.
  put(body: AsyncIterable<Uint8Array>, hint?: { size?: number | undefined }): Promise<StoredBlob>;
  // Reads at the pace of the iteration, and holds no resources before or after that. It fails with 'missing' if the
  // blob does not exist, and with 'unavailable' if it is unreadable or damaged; it never ends early without a fault.
  // With buffers, a piece may change as soon as the next one is requested.
  get(handle: string, range?: ByteRange, buffers?: ReadBuffers): AsyncIterable<Uint8Array>;
  // Removes blobs without references. A missing blob is not an error. A crash may restore removed blobs, which the next
  // sweep finds. A running `get` reads to its end; a later one may find the blob missing.
  remove(handles: readonly string[]): Promise<void>;
  // Removes blobs without references that were put before this time (of the machine's clock): torn uploads and lost
  // removals. Blobs whose write set is pending must be younger. Returns the number of removed blobs.
  sweep(beforeMs: number, findReferenced: FindReferenced): Promise<number>;
  // Frees the space of removed small blobs by moving the live ones, a bounded part per call; returns true if there is
  // more to do. The time is the same as for `sweep`. A moved blob stays readable by its old handle for some minutes.
  compact(beforeMs: number, move: MoveReference): Promise<boolean>;
  // Of an engine elsewhere. Rejects with 'refused' if it does not accept the credentials or has no such bucket, and
  // with 'unavailable' if it does not answer.
  probe?(): Promise<void>;
  figures(): Promise<BlobFigures>;
  close(): Promise<void>;
}
