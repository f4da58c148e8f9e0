// GET /console/events sends changes as server-sent events to one tab of the console. A `changes` event lists kinds and
// API paths. An `all` event asks the tab to reload everything, for example after a change of the caller's rights or of
// the region's clock. The stream ends when the caller loses access, which is checked every few seconds and before each
// event.
import type { Clock } from '../../base/clock.ts';
import type { Caller } from '../../core/access.ts';
import { readingOf } from '../../core/region-clock.ts';
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
  findCaller: FindCaller; // does not count as use of the session
  clock: Pick<Clock, 'now' | 'offset'>;
  closing: AbortSignal; // aborted when the region stops
}

const recheckMs = 5000;
const retryMs = 1000;
const freshMs = 1000; // a checked caller is reused for this time, unless identities have changed
const maxWaiting = 20; // batches that a slow client has not received

export const eventRoute = (tools: LiveTools): Route => ({
  method: 'GET',
  path: '/events',
  operation: 'webconsole_events',
  summary: 'Changes as server-sent events',
  unaudited: true,
  call: (x) => eventStream(x, eventsFor(tools, x)),
});

async function* eventsFor(tools: LiveTools, x: Exchange): AsyncGenerator<ServerSentEvent> {
  const { feed, visibility, clock, closing } = tools;
  const reading = (): string => JSON.stringify({ clock: readingOf(clock) });
  const waiting = new Waiting(AbortSignal.any([x.signal, closing]));
  const stop = feed.listen(x.who.contract, (batch) => waiting.add(batch));
  const check = callerCheck(tools, x);
  const stateOf = (caller: Caller): string => `${clock.offset()} ${rightsOf(caller)}`;
  let state = stateOf(x.who);
  try {
    yield { event: 'open', data: reading(), retryMs };
    while (!waiting.isOver) {
      const batch = await waiting.next(recheckMs);
      const caller = await check(batch === undefined);
      if (!caller) return;
      const before = state;
      state = stateOf(caller);
      const changes = state !== before ? 'all' : batch ? await visibility.of(caller, batch) : [];
      if (changes === 'all') yield { event: 'all', data: reading() };
      else if (changes.length > 0) yield { event: 'changes', data: JSON.stringify(changes) };
    }
  } finally {
    stop();
  }
}

const rightsOf = ({ role, privileges, shares }: Caller): string => JSON.stringify([role, [...privileges], [...shares]]);

// The current caller of the stream, or undefined if access was lost or can't be checked.
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

// The batches that one stream has not sent yet. If a client is too slow, they are replaced by `all`.
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
    if (this.#batches.length < maxWaiting) this.#batches.push(batch);
    else this.#batches = [{ contract: batch.contract, changes: 'all' }];
    this.#wake?.();
  }

  // Undefined after the timeout, or at the end of the stream.
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
