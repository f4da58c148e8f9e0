// Finds the stop sequences of an order in text that arrives in pieces. A possible beginning of a stop sequence is held
// back until it is complete or ruled out; the sequence itself is never sent.

export class StopSequences {
  readonly #stops: readonly string[];
  #held = '';

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((one) => one !== '');
  }

  // The text that can be sent now, and whether a sequence was found: then nothing follows.
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

  // The text that is still held back at the end.
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

// How many of the last characters of the text are the beginning of the stop sequence.
export function longestStart(text: string, stop: string): number {
  for (let size = Math.min(text.length, stop.length - 1); size > 0; size--)
    if (text.endsWith(stop.slice(0, size))) return size;
  return 0;
}
