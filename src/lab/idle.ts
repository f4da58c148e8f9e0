// Waits until nothing is under way: what a test has asked for is done.
import { setTimeout as pause } from 'node:timers/promises';
import type { Runner } from '../core/operation/runner.ts';
import { always, wholeSchema } from '../surface/docs/openapi.ts';
import { json, type Route } from '../surface/http/exchange.ts';

const mostWaitMs = 10_000; // then the caller asks again
const lookMs = 5;

export const idleRoute = (runner: Runner): Route => ({
  method: 'GET',
  path: '/idle',
  operation: 'lab_idle_get',
  summary: 'Answers when no operation is under way in the region, or after ten seconds; `running` says how many are',
  adminOnly: true,
  unaudited: true,
  replySchema: always({ running: wholeSchema }),
  call: async ({ signal }) => {
    const until = performance.now() + mostWaitMs;
    while (runner.running > 0 && performance.now() < until && !signal.aborted) await pause(lookMs);
    return json(200, { running: runner.running });
  },
});
