// Timers for many items with few different delays. Items of the same delay are due in the order they came: one timer
// serves them all, and items that are due at the same time are handed over together.

interface Line<T> {
  readonly ms: number;
  items: T[];
  due: number[]; // by the monotonic clock, one for each item
}

export class TimerBatch<T> {
  readonly #end: (due: T[]) => void;
  readonly #lines = new Map<number, Line<T>>();
  #size = 0;

  constructor(end: (due: T[]) => void) {
    this.#end = end;
  }

  get size(): number {
    return this.#size;
  }

  add(ms: number, item: T): void {
    this.#size += 1;
    let line = this.#lines.get(ms);
    if (!line) {
      line = { ms, items: [], due: [] };
      this.#lines.set(ms, line);
    }
    line.items.push(item);
    line.due.push(performance.now() + ms);
    if (line.items.length === 1) this.#wake(line, ms);
  }

  // A millisecond late, so that those of the same moment are all there.
  #wake(line: Line<T>, ms: number): void {
    if (line.ms === 0) setImmediate(() => this.#ring(line));
    else setTimeout(() => this.#ring(line), ms + 1);
  }

  #ring(line: Line<T>): void {
    const now = performance.now();
    const { items, due } = line;
    let count = 0;
    while (count < due.length && (due[count] as number) <= now) count++;
    line.items = items.slice(count);
    line.due = due.slice(count);
    if (line.due.length > 0) this.#wake(line, (line.due[0] as number) - now);
    this.#size -= count;
    if (count > 0) this.#end(items.slice(0, count));
  }
}
