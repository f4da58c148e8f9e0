// Tasks beside the reconciler: one per key, a limited number at once. The caller waits for them a limited time only, so
// that one slow target or heavy query does not delay the others.

export class LimitedTasks {
  #running = new Map<string, Promise<void>>();
  #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#running.size;
  }

  // False: a task of this key is running, or there are too many; the caller tries again later.
  start(key: string, work: () => Promise<void>): boolean {
    if (this.#running.has(key) || this.#running.size >= this.#most) return false;
    const running = work().finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return true;
  }

  // Waits until all running tasks have ended, or for so long. Tasks handle their own errors.
  async settled(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([Promise.allSettled(this.#running.values()), promise]);
    clearTimeout(timer);
  }
}
