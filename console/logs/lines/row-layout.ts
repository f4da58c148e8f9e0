// The positions of the rows of a long list, so that only visible ones are drawn. A row that was not drawn yet counts
// with the height of a plain row.

export class RowLayout {
  readonly #offsets: Float64Array; // the top of each row, and the end of the last

  constructor(ids: readonly number[], plainPx: number, measured: ReadonlyMap<number, number>) {
    this.#offsets = new Float64Array(ids.length + 1);
    let top = 0;
    for (const [at, id] of ids.entries()) {
      this.#offsets[at] = top;
      top += measured.get(id) ?? plainPx;
    }
    this.#offsets[ids.length] = top;
  }

  get totalPx(): number {
    return this.#offsets.at(-1) ?? 0;
  }

  topOf(row: number): number {
    return this.#offsets[row] ?? this.totalPx;
  }

  // The row at this height.
  rowAt(topPx: number): number {
    let [low, high] = [0, Math.max(0, this.#offsets.length - 2)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#offsets[middle] ?? 0) <= topPx) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // The visible rows, and some more on both sides.
  visible(topPx: number, heightPx: number, more: number): [from: number, to: number] {
    const count = this.#offsets.length - 1;
    return [Math.max(0, this.rowAt(topPx) - more), Math.min(count, this.rowAt(topPx + heightPx) + 1 + more)];
  }
}
