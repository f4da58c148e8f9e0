// Wakes callers that wait for the completion of any operation of a contract. Completions are counted, so that none is
// missed between reading the state and beginning to wait.
export class CompletionSignal {
  #counts = new Map<number, number>();
  #waiting = new Map<number, Set<() => void>>();

  of(contract: number): number {
    return this.#counts.get(contract) ?? 0;
  }

  add(contract: number): void {
    this.#counts.set(contract, this.of(contract) + 1);
    for (const done of this.#waiting.get(contract) ?? []) done();
  }

  // Until there are more completions than were seen, or for ms.
  wait(contract: number, seen: number, ms: number): Promise<void> {
    if (this.of(contract) !== seen) return Promise.resolve();
    return new Promise((resolve) => {
      const set = this.#waiting.get(contract) ?? new Set();
      this.#waiting.set(contract, set);
      const done = (): void => {
        clearTimeout(timer);
        set.delete(done);
        if (set.size === 0) this.#waiting.delete(contract);
        resolve();
      };
      const timer = setTimeout(done, ms);
      set.add(done);
    });
  }
}
