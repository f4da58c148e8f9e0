// The memory budget that all connections of a thread share, either for requests that are being received or handled, or
// for answers that clients have not read. Nothing is dropped: a request or answer without memory waits. While any
// connection waits, connections whose clients delay too long are closed, so memory always becomes free.
export interface MemoryBudgetOptions {
  limitBytes: number;
  stallTimeoutMs: number; // how long a client may hold memory while others wait for it
  now: () => number;
}

// The memory that one connection holds.
export interface MemoryShare {
  bytes: number;
  awaitedSinceMs: number | undefined; // since when we wait for the client; absent: it is our turn
  close(): void;
}

export class MemoryBudget {
  readonly #options: MemoryBudgetOptions;
  readonly #shares = new Set<MemoryShare>(); // connections that hold memory
  readonly #waiting = new Set<() => void>(); // in order of arrival
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

  // Returns false if there is not enough memory. A request larger than half of the budget needs half of it to be free
  // and may then exceed it: otherwise a steady stream of small requests could block it forever.
  tryHold(share: MemoryShare, bytes: number): boolean {
    const { limitBytes } = this.#options;
    if (this.#heldBytes + Math.min(bytes, limitBytes / 2) > limitBytes) {
      this.#closeStalled();
      return false;
    }
    this.hold(share, bytes);
    return true;
  }

  // For bytes that are in memory already, or too few to wait.
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
    if (bytes > 0) this.#notifyWaiting();
  }

  // Sets whether the next move is the client's. Repeating it does not restart the client's time.
  awaitClient(share: MemoryShare, isAwaited: boolean): void {
    if (!isAwaited) share.awaitedSinceMs = undefined;
    else share.awaitedSinceMs ??= this.#options.now();
  }

  // Calls the listener whenever memory is released, until the returned function is called.
  onReleased(listener: () => void): () => void {
    this.#waiting.add(listener);
    this.#timer ??= setInterval(() => this.#closeStalled(), this.#options.stallTimeoutMs / 4).unref();
    return () => {
      this.#waiting.delete(listener);
      if (this.#waiting.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  // The first in the queue tries first; a later, smaller request may fit where the first does not.
  #notifyWaiting(): void {
    if (this.#isTelling || this.#waiting.size === 0) return;
    this.#isTelling = true;
    setImmediate(() => {
      this.#isTelling = false;
      for (const listener of [...this.#waiting]) listener();
    });
  }

  #closeStalled(): void {
    const { now, stallTimeoutMs } = this.#options;
    const before = now() - stallTimeoutMs;
    for (const share of [...this.#shares])
      if (share.awaitedSinceMs !== undefined && share.awaitedSinceMs <= before) share.close();
  }
}
