// Live updates: one event stream per tab (GET /console/events) reports the API paths of resources that were created,
// changed or deleted, and the parts of a page subscribe to paths. It also reports the region's clock. A hidden tab has
// no stream and reloads everything when it becomes visible.
import { effect, signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { send } from './api.ts';
import { type Change, notifyChanges, watchChanges } from './changes.ts';
import { eventsOf } from './event-stream.ts';
import { setRegionClock } from './region-clock.ts';
import type { Facts, Session } from './session.ts';

const firstRetryMs = 1000;
const lastRetryMs = 30_000;

// Calls back when a resource at, below or above one of the paths was created, changed or deleted. A path starts with
// the prefix of its service: /cloudapi/v6/datacenters/D. Many changes at once cause one call.
export function useChanges(paths: readonly string[], onChange: () => void): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  useLayoutEffect(() => watchChanges(paths, () => latest.current()), [paths.join('\n')]);
}

const followed = signal<Session | undefined>(undefined);
let onOpen: (() => void) | undefined; // of the stream that the page waits for

// Opens the stream of the session, or ends it. Resolves when the stream is open or can't be opened soon. A page that
// loads its data afterwards misses no change and loads nothing twice.
export async function follow(session: Session | undefined): Promise<void> {
  followed.value = session;
  if (!session || document.hidden) return;
  await new Promise<void>((resolve) => {
    onOpen = resolve;
    setTimeout(resolve, firstRetryMs);
  });
  onOpen = undefined;
}

export function startLive(): void {
  const isVisible = signal(!document.hidden);
  document.addEventListener('visibilitychange', () => {
    isVisible.value = !document.hidden;
  });
  effect(() => {
    if (!followed.value || !isVisible.value) return undefined;
    const leaving = new AbortController();
    void keepOpen(leaving.signal);
    return () => leaving.abort();
  });
}

async function keepOpen(signal: AbortSignal): Promise<void> {
  let waitMs = firstRetryMs;
  while (!signal.aborted) {
    const began = await readStream(signal).catch(() => false);
    waitMs = began ? firstRetryMs : Math.min(2 * waitMs, lastRetryMs);
    await pause(waitMs * (0.75 + Math.random() / 2), signal);
  }
}

// Resolves when the stream ends, with true if it could be opened.
async function readStream(signal: AbortSignal): Promise<boolean> {
  const response = await send('/console/events', { headers: { Accept: 'text/event-stream' }, signal });
  if (!response.ok || !response.body) return false;
  try {
    for await (const { event, data } of eventsOf(response.body)) {
      if (event === 'changes') notifyChanges(JSON.parse(data) as Change[]);
      if (event !== 'open' && event !== 'all') continue;
      setRegionClock((JSON.parse(data) as Pick<Facts, 'clock'>).clock);
      // Data that was loaded before the stream opened may be outdated.
      if (event === 'open' && onOpen) onOpen();
      else notifyChanges('all');
    }
  } catch {
    // The region was stopped or the connection was lost.
  }
  return true;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
