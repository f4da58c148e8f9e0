// GET /console/events: what changes, as server-sent events, for one tab of the console. `changes` lists what happened
// and the paths in the API; `all` says that more has changed than is listed, such as the caller's rights. The stream
// ends when whoever opened it may not any more: that is looked at every few seconds, and before something is told.
import type { Caller } from '../../core/access.ts';
import type { Store } from '../../core/store.ts';
import type { Exchange, FindCaller, Route } from '../../surface/http/exchange.ts';
import { eventStream, type ServerSentEvent } from '../../surface/http/streams.ts';
import type { Batch } from './change-batches.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { Visibility } from './visibility.ts';

export interface LiveTools {
  feed: ChangeFeed;
  visibility: Visibility;
  store: Pick<Store, 'identityEpoch'>;
  findCaller: FindCaller; // without counting as a use of the session
  closing: AbortSignal; // the region stops
}

const recheckMs = 5000;
const freshMs = 1000; // so long a caller is taken to be what it was, unless identities have changed
const mostWaiting = 20; // batches that a slow client has not taken

export const eventRoute = (tools: LiveTools): Route => ({
  method: 'GET',
  path: '/events',
  operation: 'webconsole_events',
  summary: 'What changes, as server-sent events',
  unaudited: true,
  call: (x) => eventStream(x, eventsFor(tools, x)),
});

async function* eventsFor(tools: LiveTools, x: Exchange): AsyncGenerator<ServerSentEvent> {
  const { feed, visibility, closing } = tools;
  const waiting = new Waiting(AbortSignal.any([x.signal, closing]));
  const stop = feed.listen(x.who.contract, (batch) => waiting.add(batch));
  const check = callerCheck(tools, x);
  let rights = rightsOf(x.who);
  try {
    yield { event: 'open', data: '{}' };
    while (!waiting.isOver) {
      const batch = await waiting.next(recheckMs);
      const caller = await check(batch === undefined);
      if (!caller) return;
      const before = rights;
      rights = rightsOf(caller);
      const told = rights !== before ? 'all' : batch ? await visibility.of(caller, batch) : [];
      if (told === 'all') yield { event: 'all', data: '{}' };
      else if (told.length > 0) yield { event: 'changes', data: JSON.stringify(told) };
    }
  } finally {
    stop();
  }
}

const rightsOf = ({ role, privileges, shares }: Caller): string =>
  JSON.stringify([role, [...privileges], [...shares.keys()]]);

// Who the stream is for now; undefined: nobody any more, or it can't be found out.
function callerCheck({ findCaller, store }: LiveTools, x: Exchange): (force: boolean) => Promise<Caller | undefined> {
  let known: { caller: Caller | undefined; epoch: number; at: number } | undefined;
  return async (force) => {
    const epoch = store.identityEpoch;
    if (!force && known?.epoch === epoch && performance.now() - known.at < freshMs) return known.caller;
    const caller = await Promise.resolve()
      .then(() => findCaller(x))
      .catch(() => undefined);
    known = { caller, epoch, at: performance.now() };
    return caller;
  };
}

// The batches that one stream has not told yet. Whoever is too slow is told to load everything again.
class Waiting {
  readonly #signal: AbortSignal;
  #batches: Batch[] = [];
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  get isOver(): boolean {
    return this.#signal.aborted;
  }

  add(batch: Batch): void {
    if (this.#batches.length < mostWaiting) this.#batches.push(batch);
    else this.#batches = [{ contract: batch.contract, changes: 'all' }];
    this.#wake?.();
  }

  // Undefined: nothing came in this time, or nothing will any more.
  async next(ms: number): Promise<Batch | undefined> {
    if (this.#batches.length === 0 && !this.isOver)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#wake = undefined;
    return this.#batches.shift();
  }
}
