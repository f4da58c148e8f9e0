// Token buckets. A bucket that was not used for a while is full again, so it is dropped.

export interface Bucket {
  tokens: number;
  at: number;
}

const mostBuckets = 10_000;

export class Throttle {
  readonly perMinute: number;
  readonly burst: number;
  #now: () => number;
  #buckets = new Map<string | number, Bucket>();

  constructor(perMinute: number, burst: number, now: () => number) {
    this.perMinute = perMinute;
    this.burst = burst;
    this.#now = now;
  }

  // Takes a token, or several, and returns how many are left. Negative: there were not enough, and none was taken; its
  // absolute value is the seconds until there are.
  take(key: string | number, count = 1): number {
    const bucket = this.#bucket(key);
    if (bucket.tokens < count) return -Math.max(1, Math.ceil(((count - bucket.tokens) * 60) / this.perMinute));
    bucket.tokens -= count;
    return bucket.tokens;
  }

  // Returns tokens that were taken for a call without cost.
  giveBack(key: string | number): void {
    const bucket = this.#bucket(key);
    bucket.tokens = Math.min(this.burst, bucket.tokens + 1);
  }

  // How many are left, without taking one.
  left(key: string | number): number {
    return this.#buckets.has(key) ? this.#bucket(key).tokens : this.burst;
  }

  #bucket(key: string | number): Bucket {
    const now = this.#now();
    let bucket = this.#buckets.get(key);
    if (!bucket) {
      if (this.#buckets.size >= mostBuckets) this.#forget(now);
      bucket = { tokens: this.burst, at: now };
      this.#buckets.set(key, bucket);
      return bucket;
    }
    const passedMs = Math.max(0, now - bucket.at); // a clock that jumps back must take nothing away
    bucket.tokens = Math.min(this.burst, bucket.tokens + (passedMs * this.perMinute) / 60_000);
    bucket.at = now;
    return bucket;
  }

  #forget(now: number): void {
    const refillMs = (this.burst * 60_000) / this.perMinute;
    for (const [key, bucket] of this.#buckets) if (now - bucket.at > refillMs) this.#buckets.delete(key);
    // Still too many: an attack from very many addresses. The oldest are dropped, many at once: this search takes time.
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size <= mostBuckets * 0.9) return;
      this.#buckets.delete(key);
    }
  }
}
