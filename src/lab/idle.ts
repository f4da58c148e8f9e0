// Waits until no operation is under way, so that a test sees the results of its requests.
import { setTimeout as pause } from 'node:timers/promises';
import type { Runner } from '../core/operation/runner.ts';
import { always, wholeSchema } from '../surface/docs/openapi.ts';
import { json, type Route } from '../surface/http/exchange.ts';

const maxWaitMs = 10_000; // after this time the caller asks again
const lookMs = 5;

export const idleRoute = (runner: Runner): Route => ({
  method: 'GET',
  path: '/idle',
  operation: 'lab_idle_get',
  summary:
    'Wait until no operation is under way in the region, at most ten seconds; `running` is the number of operations',
  adminOnly: true,
  unaudited: true,
  replySchema: always({ running: wholeSchema }),
  call: async ({ signal }) => {
    const until = performance.now() + maxWaitMs;
    while (runner.running > 0 && performance.now() < until && !signal.aborted) await pause(lookMs);
    return json(200, { running: runner.running });
  },
});
