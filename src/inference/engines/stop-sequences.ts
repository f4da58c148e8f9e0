// Finds the stop sequences of an order in text that comes piece by piece. What may be the beginning of one is held
// back until it is known not to be; the sequence itself is never told.

export class StopSequences {
  readonly #stops: readonly string[];
  #held = '';

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((one) => one !== '');
  }

  // What can be told now, and whether a sequence was found: then nothing follows.
  take(piece: string): { text: string; isStopped: boolean } {
    const text = this.#held + piece;
    const found = this.#stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
    if (found.length > 0) {
      this.#held = '';
      return { text: text.slice(0, Math.min(...found)), isStopped: true };
    }
    const kept = Math.max(0, ...this.#stops.map((stop) => longestStart(text, stop)));
    this.#held = text.slice(text.length - kept);
    return { text: text.slice(0, text.length - kept), isStopped: false };
  }

  // What was held back, at the end of the text.
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

// How many of the last characters of the text are the first ones of the stop sequence.
export function longestStart(text: string, stop: string): number {
  for (let size = Math.min(text.length, stop.length - 1); size > 0; size--)
    if (text.endsWith(stop.slice(0, size))) return size;
  return 0;
}
