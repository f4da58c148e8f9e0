// Shows the progress of long work on standard error: a changing line on a terminal, otherwise a new line every few
// seconds. Quick work shows nothing.
import type { DumpPage } from '../../core/state/engine.ts';

const terminalMs = 100;
const lineMs = 3000;
const barWidth = 24;
const count = new Intl.NumberFormat('en');

export class Progress {
  readonly #isTerminal = process.stderr.isTTY === true;
  #doing = '';
  #rows = 0;
  #of = 0;
  #shownAt = performance.now();
  #isShown = false;

  // Begins a part of the work; `of` is its number of rows, if known.
  begin(doing: string, of = 0): void {
    this.#doing = doing;
    this.#of = of;
    this.#rows = 0;
  }

  readonly page = ({ rows }: DumpPage): void => this.to(this.#rows + rows.length);

  to(rows: number): void {
    this.#rows = rows;
    this.#show(
      () => `${this.#doing}: ${count.format(rows)}${this.#of > 0 ? ` of ${count.format(this.#of)}` : ''} rows`,
    );
  }

  // A part of known size gets a bar.
  share(done: number, of: number, words: string): void {
    const filled = Math.round((done / Math.max(of, 1)) * barWidth);
    const bar = this.#isTerminal ? `[${'#'.repeat(filled).padEnd(barWidth, '-')}] ` : '';
    this.#show(() => `${this.#doing}: ${bar}${count.format(done)} of ${count.format(of)} ${words}`);
  }

  #show(textOf: () => string): void {
    const now = performance.now();
    if (now - this.#shownAt < (this.#isTerminal ? terminalMs : lineMs)) return;
    this.#shownAt = now;
    this.#isShown = true;
    const text = textOf();
    process.stderr.write(this.#isTerminal ? `\r${text}\u001b[K` : `${text}\n`);
  }

  end(): void {
    if (this.#isShown && this.#isTerminal) process.stderr.write('\r\u001b[K');
    this.#isShown = false;
  }
}
