// Limits the wait for the server of an outside engine. A call may take long, but a frozen process accepts connections
// and never answers. So a second, cheap call decides: while the server answers it in any way, the first may continue.
import { Fault } from '../../base/fault.ts';

export interface WatchLimits {
  slowMs: number; // a call that takes longer has the server probed, again and again
  probeMs: number; // a server that takes longer for two probes, and answers no other call either, is silent
}

const usual: WatchLimits = { slowMs: 2000, probeMs: 2500 };
const silenceMs = 1000; // calls that begin so soon after a failed probe fail at once
export const retryAfterS = 2;

export class ServerWatch {
  readonly #url: string;
  readonly #limits: WatchLimits;
  #probe: Promise<boolean> | undefined;
  #silentUntil = 0;
  #answers = 0; // so far

  constructor(url: string | URL, limits = usual) {
    this.#url = String(url);
    this.#limits = limits;
  }

  // Rejects if the server has become silent, even if the work ignores the signal.
  async during<T>(work: (signal: AbortSignal) => Promise<T>, outer?: AbortSignal): Promise<T> {
    if (performance.now() < this.#silentUntil) throw silence();
    const late = new AbortController();
    const { promise: silent, reject } = Promise.withResolvers<never>();
    const leave = this.follow(() => {
      late.abort(silence());
      reject(late.signal.reason);
    });
    try {
      const result = await Promise.race([work(outer ? AbortSignal.any([outer, late.signal]) : late.signal), silent]);
      this.#answers++;
      return result;
    } finally {
      leave();
    }
  }

  // Calls back once if the server becomes silent, until the returned function is called.
  follow(onSilence: () => void): () => void {
    const timer = setInterval(async () => {
      if (await this.#isAlive()) return;
      clearInterval(timer);
      onSilence();
    }, this.#limits.slowMs);
    return () => clearInterval(timer);
  }

  #isAlive(): Promise<boolean> {
    this.#probe ??= this.#ask().finally(() => {
      this.#probe = undefined;
    });
    return this.#probe;
  }

  // Either side may be busy, so one late answer proves nothing.
  async #ask(): Promise<boolean> {
    const before = this.#answers;
    for (let probes = 0; probes < 2; probes++) if ((await this.#probed()) || this.#answers > before) return true;
    this.#silentUntil = performance.now() + silenceMs;
    return false;
  }

  async #probed(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(this.#limits.probeMs);
      const answer = await fetch(this.#url, { redirect: 'manual', signal });
      await answer.body?.cancel();
      return true;
    } catch {
      return false;
    }
  }
}

const silence = (): Fault => new Fault('unavailable', 'The server does not answer.', { retryAfterS });
