// Work that goes on beside the reconciler: each piece once at a time, few pieces at once, and whoever starts them waits
// a while for their end but not longer. So one slow target or one heavy query holds up nobody else's.

export class LimitedTasks {
  #running = new Map<string, Promise<void>>();
  #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#running.size;
  }

  // False: it is running already, or there is no room; it comes again.
  start(key: string, work: () => Promise<void>): boolean {
    if (this.#running.has(key) || this.#running.size >= this.#most) return false;
    const running = work().finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return true;
  }

  // Until all that runs now has ended, or for so long. Work sees to its own errors.
  async settled(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([Promise.allSettled(this.#running.values()), promise]);
    clearTimeout(timer);
  }
}
