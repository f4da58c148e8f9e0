// Draws many things one after another, in pieces of a fraction of a millisecond: whoever else calls is served between
// them. What is known at once is not made to wait.
import type { Soon } from '../../base/soon.ts';

const sliceMs = 0.25;

// What is drawn, piece by piece. At each pause somebody may take what is there.
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

type Draw<T> = (one: T, at: number) => Soon<void>;

export function inTurn<T>(all: readonly T[], draw: Draw<T>, canvas: Canvas): Soon<void> {
  for (let at = 0; at < all.length; at++) {
    if (canvas.isDue) return rest(all, draw, canvas, at);
    const pending = draw(all[at] as T, at);
    if (pending instanceof Promise) return pending.then(() => rest(all, draw, canvas, at + 1));
  }
}

async function rest<T>(all: readonly T[], draw: Draw<T>, canvas: Canvas, from: number): Promise<void> {
  for (let at = from; at < all.length; at++) {
    if (canvas.isDue) await canvas.pause();
    const pending = draw(all[at] as T, at);
    if (pending instanceof Promise) await pending;
  }
}
