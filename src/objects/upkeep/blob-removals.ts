// Removes blobs that nothing refers to any more. While a backup is made, which reads the bytes after the state, they
// stay until its end; what would be too much to remember is left to the sweep.
import type { Log } from '../../base/log.ts';
import type { BlobEngine } from '../engine/engine.ts';

const mostWaiting = 100_000;

export class BlobRemovals {
  readonly #blobs: BlobEngine;
  readonly #log: Log;
  #holds = 0;
  #waiting: string[] = [];

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

  // Until the returned function is called.
  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
      if (this.#holds > 0) return;
      this.#remove(this.#waiting);
      this.#waiting = [];
    };
  }

  // A removal that fails is left to the sweep.
  #remove(handles: readonly string[]): void {
    this.#blobs
      .remove(handles)
      .catch((error: unknown) => this.#log.warn('objects: blobs could not be removed', { error }));
  }
}
