// Tasks beside the reconciler: one per key, a limited number at once, of all and of each group. The caller waits for
// them a limited time only, so that one slow target or heavy query does not delay the others.

export class LimitedTasks {
  #running = new Map<string, Promise<void>>();
  #groups = new Map<string, number>(); // how many of each are running
  #most: number;
  #mostOfGroup: number;

  constructor(most: number, mostOfGroup = most) {
    this.#most = most;
    this.#mostOfGroup = mostOfGroup;
  }

  get size(): number {
    return this.#running.size;
  }

  // False: a task of this key is running, or there are too many; the caller tries again later.
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

  // Waits until all running tasks have ended, or for so long. Tasks handle their own errors.
  async settled(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([Promise.allSettled(this.#running.values()), promise]);
    clearTimeout(timer);
  }
}
