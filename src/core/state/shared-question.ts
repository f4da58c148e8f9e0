// One question for all who ask at once. Who asks while an answer is under way gets the next one, never that one: it
// may have been found before they asked.
export class SharedQuestion<T> {
  readonly #ask: () => Promise<T>;
  #current: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  ask(): Promise<T> {
    if (this.#next) return this.#next;
    if (!this.#current) return this.#start();
    this.#next = this.#current.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  #start(): Promise<T> {
    this.#next = undefined;
    const asked = this.#ask();
    this.#current = asked;
    const end = (): void => {
      if (this.#current === asked) this.#current = undefined;
    };
    asked.then(end, end);
    return asked;
  }
}
