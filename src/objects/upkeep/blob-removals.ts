// Removes blobs without references. Blobs with readers stay until the last one has finished. During a backup, which
// reads the bytes after the state, all blobs stay; removals beyond the memory limit are left to the sweep.
import type { Log } from '../../base/log.ts';
import type { BlobEngine } from '../engine/engine.ts';

const mostWaiting = 100_000;

export class BlobRemovals {
  readonly #blobs: BlobEngine;
  readonly #log: Log;
  #holds = 0;
  #waiting: string[] = [];
  readonly #reads = new Map<string, number>(); // number of readers by handle
  readonly #removedInUse = new Set<string>(); // handles

  constructor(blobs: BlobEngine, log: Log) {
    this.#blobs = blobs;
    this.#log = log;
  }

  readonly add = (handles: readonly string[]): void => {
    if (this.#holds === 0) this.#remove(handles);
    else if (this.#waiting.length < mostWaiting) this.#waiting.push(...handles);
  };

  get isHeld(): boolean {
    return this.#holds > 0;
  }

  // Holds all blobs until the returned function is called.
  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
      if (this.#holds > 0) return;
      this.#remove(this.#waiting);
      this.#waiting = [];
    };
  }

  isRead(handle: string): boolean {
    return this.#reads.has(handle);
  }

  // Keeps these blobs until the returned function is called.
  reading(handles: readonly string[]): () => void {
    for (const handle of handles) this.#reads.set(handle, (this.#reads.get(handle) ?? 0) + 1);
    return () => {
      const removed = handles.filter((handle) => this.#endRead(handle) && this.#removedInUse.delete(handle));
      if (removed.length > 0) this.add(removed);
    };
  }

  // Returns whether it was the last reader.
  #endRead(handle: string): boolean {
    const left = (this.#reads.get(handle) ?? 1) - 1;
    if (left > 0) this.#reads.set(handle, left);
    else this.#reads.delete(handle);
    return left === 0;
  }

  // A failed removal is left to the sweep.
  #remove(handles: readonly string[]): void {
    for (const handle of handles) if (this.isRead(handle)) this.#removedInUse.add(handle);
    this.#blobs
      .remove(handles.filter((handle) => !this.isRead(handle)))
      .catch((error: unknown) => this.#log.warn('objects: blobs could not be removed', { error }));
  }
}
