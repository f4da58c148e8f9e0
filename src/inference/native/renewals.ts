// Embeds the documents of collections again, one collection at a time. A call waits for a while and then fails with the
// progress; the work continues. After a restart the next call continues with the remaining documents.
import { Fault } from '../../base/fault.ts';

const waitMs = 20_000;

interface Renewal {
  done: number;
  total: number;
  ended: Promise<void>;
}

export class Renewals {
  readonly #running = new Map<string, Renewal>(); // by collection
  readonly #closing = new AbortController();
  readonly #waitMs: number;

  constructor(longestMs = waitMs) {
    this.#waitMs = longestMs;
  }

  // Resolves when all documents are embedded.
  async run(
    collection: string,
    documents: readonly string[],
    renew: (document: string, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const running = this.#running.get(collection) ?? this.#start(collection, documents, renew);
    const late = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => late.resolve('late'), this.#waitMs);
    try {
      if ((await Promise.race([running.ended, late.promise])) !== 'late') return;
    } finally {
      clearTimeout(timer);
    }
    const share = `${running.done} of ${running.total}`;
    const message = `The embedding model has changed, so the documents are being embedded again: ${share} are done.`;
    throw new Fault('unavailable', `${message} Ask again later.`, { retryAfterS: 10 });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Fault('unavailable', 'The region is stopping.'));
    await Promise.allSettled([...this.#running.values()].map(({ ended }) => ended));
  }

  #start(
    collection: string,
    documents: readonly string[],
    renew: (document: string, signal: AbortSignal) => Promise<void>,
  ): Renewal {
    const { signal } = this.#closing;
    const renewal: Renewal = { done: 0, total: documents.length, ended: Promise.resolve() };
    const work = async (): Promise<void> => {
      for (const document of documents) {
        signal.throwIfAborted();
        await renew(document, signal);
        renewal.done += 1;
      }
    };
    renewal.ended = work().finally(() => this.#running.delete(collection));
    renewal.ended.catch(() => {}); // waiting calls get the failure; without any, the next call does
    this.#running.set(collection, renewal);
    return renewal;
  }
}
