// The time span of the charts of one source. It ends at the region's time, which each refresh reads again.
import { signal } from '@preact/signals';
import { isAborted, sentencesOf } from '../../api.ts';
import type { Range, Span } from '../../time/time-range.ts';
import { TimeSelection } from '../../time/time-selection.ts';
import { regionTimeS } from '../prometheus.ts';
import type { Source } from '../sources.ts';

export class SourceTime {
  readonly time: TimeSelection;
  readonly span = signal<Span | undefined>(undefined);
  readonly problem = signal('');
  readonly #source: Source;
  readonly #signal: AbortSignal;
  #turn = 0;

  constructor(source: Source, range: Range, ending: AbortSignal) {
    this.#source = source;
    this.#signal = ending;
    this.time = new TimeSelection(range, () => this.refresh());
  }

  // The page shows a failure until a refresh succeeds.
  refresh(): void {
    const turn = ++this.#turn;
    regionTimeS(this.#source, this.#signal).then(
      (nowS) => {
        if (turn !== this.#turn || this.#signal.aborted) return;
        this.time.nowS = nowS;
        this.problem.value = '';
        this.span.value = this.time.span;
      },
      (error: unknown) => {
        if (turn === this.#turn && !isAborted(error)) this.problem.value = sentencesOf(error).join(' ');
      },
    );
  }
}
