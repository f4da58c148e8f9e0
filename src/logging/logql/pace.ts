// Long work gives way: after each slice of time the thread looks at its messages, one of which may be the end of the
// request. Cancellation is noticed there.
import { setImmediate } from 'node:timers/promises';
import { QueryError } from './query-error.ts';

const sliceMs = 25;

export class Pace {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();
  #count = 0;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  // True every so often: then the slice may be over, and `rest` is to be awaited.
  get isDue(): boolean {
    return (++this.#count & 0xff) === 0 && performance.now() - this.#since > sliceMs;
  }

  async rest(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
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
