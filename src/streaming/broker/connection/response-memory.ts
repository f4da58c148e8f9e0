// The memory of one answer, reserved before the answer is built and kept until the client has read it.
import type { MemoryBudget, MemoryShare } from './memory-budget.ts';

const leastBytes = 1024 * 1024; // the largest batch of most topics

export class ResponseMemory {
  readonly #memory: MemoryBudget;
  readonly #share: MemoryShare;
  #bytes = 0;

  constructor(memory: MemoryBudget, share: MemoryShare) {
    this.#memory = memory;
    this.#share = share;
  }

  // Returns how large the answer may be; 0 if there is no memory now. It gets at most an eighth of the free memory, so
  // that many slow readers make answers smaller long before other clients get none.
  reserve(wantedBytes: number): number {
    this.settle(0);
    const bytes = Math.min(wantedBytes, Math.max(leastBytes, Math.floor(this.#memory.leftBytes / 8)));
    if (!this.#memory.tryHold(this.#share, bytes)) return 0;
    this.#bytes = bytes;
    return bytes;
  }

  // Reduces the reservation to the real size of the answer.
  settle(bytes: number): void {
    const more = bytes - this.#bytes;
    this.#bytes = bytes;
    if (more > 0) this.#memory.hold(this.#share, more);
    else this.#memory.release(this.#share, -more);
  }

  onReleased(listener: () => void): () => void {
    return this.#memory.onReleased(listener);
  }
}
