// What changes in the region is seen without loading a page anew: one stream of events per tab (GET /console/events)
// tells the API's paths of what was made, changed or removed, and the parts of a page say what they want to hear of.
// A tab that is hidden hears nothing, and is told to load everything again when it is looked at.
import { effect, signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { send } from './api.ts';
import { type Change, tellChanges, watchChanges } from './changes.ts';
import { eventsOf } from './event-stream.ts';
import { shownSession } from './session.ts';

const firstRetryMs = 1000;
const lastRetryMs = 30_000;

// Calls back when something at or below one of the paths was made, changed or removed, or something above it. A path
// begins with the prefix of its service: /cloudapi/v6/datacenters/D. Many changes at once are one call.
export function useChanges(paths: readonly string[], onChange: () => void): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  useLayoutEffect(() => watchChanges(paths, () => latest.current()), [paths.join('\n')]);
}

// Opens the stream while somebody is signed in and looks at the tab.
export function startLive(): void {
  const isVisible = signal(!document.hidden);
  document.addEventListener('visibilitychange', () => {
    isVisible.value = !document.hidden;
  });
  effect(() => {
    if (!shownSession.value || !isVisible.value) return undefined;
    const leaving = new AbortController();
    void keepOpen(leaving.signal);
    return () => leaving.abort();
  });
}

async function keepOpen(signal: AbortSignal): Promise<void> {
  let waitMs = firstRetryMs;
  while (!signal.aborted) {
    const began = await follow(signal).catch(() => false);
    waitMs = began ? firstRetryMs : Math.min(2 * waitMs, lastRetryMs);
    await pause(waitMs * (0.75 + Math.random() / 2), signal);
  }
}

// Until the stream ends. True: there was one.
async function follow(signal: AbortSignal): Promise<boolean> {
  const response = await send('/console/events', { headers: { Accept: 'text/event-stream' }, signal });
  if (!response.ok || !response.body) return false;
  try {
    for await (const { event, data } of eventsOf(response.body)) {
      // What was loaded before the stream was open may have changed since.
      if (event === 'open' || event === 'all') tellChanges('all');
      if (event === 'changes') tellChanges(JSON.parse(data) as Change[]);
    }
  } catch {
    // The region was stopped, or the connection lost.
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
