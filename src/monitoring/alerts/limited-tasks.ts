// Background tasks of a reconciler: one per key, with a limit for all and one for each group. The caller waits for them
// for a limited time, so that one slow target or heavy query does not delay the others.

export class LimitedTasks {
  #running = new Map<string, Promise<void>>();
  #groups = new Map<string, number>(); // running tasks of each
  #most: number;
  #mostOfGroup: number;

  constructor(most: number, mostOfGroup = most) {
    this.#most = most;
    this.#mostOfGroup = mostOfGroup;
  }

  get size(): number {
    return this.#running.size;
  }

  // Returns false if a task of this key is running, or the limit is reached; the caller tries again later.
  start(key: string, work: () => Promise<void>, group = ''): boolean {
    const beside = this.#groups.get(group) ?? 0;
    if (this.#running.has(key) || this.#running.size >= this.#most || beside >= this.#mostOfGroup) return false;
    this.#groups.set(group, beside + 1);
    const running = work().finally(() => {
      this.#running.delete(key);
      this.#groups.set(group, (this.#groups.get(group) ?? 1) - 1);
      if (this.#groups.get(group) === 0) this.#groups.delete(group);
    });
    this.#running.set(key, running);
    return true;
  }

  // Waits until all running tasks have ended, or until the time is up. Tasks handle their own errors.
  async settled(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([Promise.allSettled(this.#running.values()), promise]);
    clearTimeout(timer);
  }
}
