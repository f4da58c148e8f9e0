// Work that consists of many parts lets others have the event loop between them, once it had it for a slice of time.
const sliceMs = 10;

export class TimeSlice {
  #startedAt = performance.now();

  // Between two parts.
  async pause(): Promise<void> {
    if (performance.now() - this.#startedAt < sliceMs) return;
    await new Promise(setImmediate);
    this.#startedAt = performance.now();
  }
}
