// Rendering in slices of a fraction of a millisecond, so that other calls are served in between. Code that renders many
// rows pauses when a slice is due.
import { TimeSlice } from '../../core/threads/time-slice.ts';

const sliceMs = 0.25;

// The text so far, in pieces. At each pause `onPause` may take those that are there.
export class Canvas {
  readonly pieces: string[] = [];
  readonly #slice = new TimeSlice({ ms: sliceMs });
  readonly #onPause: ((pieces: string[]) => Promise<void> | void) | undefined;

  constructor(onPause?: (pieces: string[]) => Promise<void> | void) {
    this.#onPause = onPause;
  }

  get isDue(): boolean {
    return this.#slice.isDue;
  }

  async pause(): Promise<void> {
    await this.#onPause?.(this.pieces);
    await this.#slice.rest();
  }
}
