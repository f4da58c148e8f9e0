// Bounds how many calls run at once.
export class CallSlots {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  // A slot that becomes free is handed to the call that has waited longest.
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
