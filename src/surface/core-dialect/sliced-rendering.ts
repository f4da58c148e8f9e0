// Rendering in slices of a fraction of a millisecond, so that other calls are served in between. Whoever draws many
// things must pause when a slice is due.

const sliceMs = 0.25;

// The text so far, in pieces. At each pause `onPause` may take those that are there.
export class Canvas {
  readonly pieces: string[] = [];
  readonly #onPause: ((pieces: string[]) => Promise<void> | void) | undefined;
  #since = performance.now();

  constructor(onPause?: (pieces: string[]) => Promise<void> | void) {
    this.#onPause = onPause;
  }

  get isDue(): boolean {
    return performance.now() - this.#since > sliceMs;
  }

  async pause(): Promise<void> {
    await this.#onPause?.(this.pieces);
    await new Promise(setImmediate);
    this.#since = performance.now();
  }
}
