// Long queries pause after each slice of time, so that the thread can receive messages, such as a cancellation.
import { TimeSlice } from '../../core/threads/time-slice.ts';
import { QueryError } from './query-error.ts';

const sliceMs = 25;

export class Pace {
  readonly #slice = new TimeSlice({ ms: sliceMs });
  readonly #signal: AbortSignal | undefined;
  #count = 0;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  // Reads the clock only every 256 calls, because it is called for each line.
  get isDue(): boolean {
    return (++this.#count & 0xff) === 0 && this.#slice.isDue;
  }

  async rest(): Promise<void> {
    await this.#slice.rest();
    this.check();
  }

  check(): void {
    if (!this.#signal?.aborted) return;
    const { reason } = this.#signal;
    if (reason instanceof Error && reason.name === 'TimeoutError')
      throw new QueryError(
        'timeout',
        'request timed out, decrease the duration of the request or add more label matchers',
      );
    throw new QueryError('canceled', 'the request was cancelled by the client');
  }
}
