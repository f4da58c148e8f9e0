// The memory of requests that are being received or handled, or of answers that clients have not taken, of all
// connections of a thread together. Nothing is dropped: what does not fit waits. While something waits, a connection
// whose client keeps us waiting for too long is closed, so memory always comes back.
export interface MemoryBudgetOptions {
  limitBytes: number;
  patienceMs: number; // for which a client may keep memory while others wait for it
  now: () => number;
}

// What one connection has.
export interface MemoryShare {
  bytes: number;
  awaitedSinceMs: number | undefined; // since when the client is to act; absent: it is our turn
  close(): void;
}

export class MemoryBudget {
  readonly #options: MemoryBudgetOptions;
  readonly #shares = new Set<MemoryShare>(); // that have some
  readonly #waiting = new Set<() => void>(); // in the order in which they came
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #isTelling = false;

  constructor(options: MemoryBudgetOptions) {
    this.#options = options;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get leftBytes(): number {
    return Math.max(0, this.#options.limitBytes - this.#heldBytes);
  }

  // False: there is not so much left. What is larger than half of the whole needs half of it to be free, and may then
  // exceed it: otherwise a steady stream of small requests could keep it out forever.
  tryHold(share: MemoryShare, bytes: number): boolean {
    const { limitBytes } = this.#options;
    if (this.#heldBytes + Math.min(bytes, limitBytes / 2) > limitBytes) {
      this.#closeStalled();
      return false;
    }
    this.hold(share, bytes);
    return true;
  }

  // Of what is in memory already, or too small to wait.
  hold(share: MemoryShare, bytes: number): void {
    share.bytes += bytes;
    this.#heldBytes += bytes;
    if (share.bytes > 0) this.#shares.add(share);
    if (this.#heldBytes > this.#options.limitBytes) this.#closeStalled();
  }

  release(share: MemoryShare, bytes: number): void {
    share.bytes -= bytes;
    this.#heldBytes -= bytes;
    if (share.bytes <= 0) this.#shares.delete(share);
    if (bytes > 0) this.#tell();
  }

  // Whether the next move is the client's. Saying so again does not begin its time anew.
  awaitClient(share: MemoryShare, isAwaited: boolean): void {
    if (!isAwaited) share.awaitedSinceMs = undefined;
    else share.awaitedSinceMs ??= this.#options.now();
  }

  // Calls back whenever memory was released, until the returned function is called.
  onReleased(listener: () => void): () => void {
    this.#waiting.add(listener);
    this.#timer ??= setInterval(() => this.#closeStalled(), this.#options.patienceMs / 4).unref();
    return () => {
      this.#waiting.delete(listener);
      if (this.#waiting.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  // The first in line tries first; a later one that is smaller may fit where the first does not.
  #tell(): void {
    if (this.#isTelling || this.#waiting.size === 0) return;
    this.#isTelling = true;
    setImmediate(() => {
      this.#isTelling = false;
      for (const listener of [...this.#waiting]) listener();
    });
  }

  #closeStalled(): void {
    const { now, patienceMs } = this.#options;
    const before = now() - patienceMs;
    for (const share of [...this.#shares])
      if (share.awaitedSinceMs !== undefined && share.awaitedSinceMs <= before) share.close();
  }
}
