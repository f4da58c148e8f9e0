// Pauses rules whose queries take too much time or memory: after a few consecutive failures, and then twice as long
// after each further one. A rule with a changed expression runs at once. It is lost with a restart.
import { iso } from '../../../base/clock.ts';

export interface RulePause {
  expr: string;
  failures: number; // consecutive ones
  untilMs: number; // 0: it is not paused yet
  lengthMs: number; // of the last pause
}

const mostFailures = 3;
const firstMs = 5 * 60_000;
const longestMs = 6 * 60 * 60_000;

export const isPaused = (pause: RulePause | undefined, expr: string, nowMs: number): boolean =>
  pause !== undefined && pause.expr === expr && nowMs < pause.untilMs;

export function afterFailure(before: RulePause | undefined, expr: string, nowMs: number): RulePause {
  const { failures, lengthMs } = before?.expr === expr ? before : { failures: 0, lengthMs: 0 };
  if (failures + 1 < mostFailures) return { expr, failures: failures + 1, untilMs: 0, lengthMs: 0 };
  const length = lengthMs === 0 ? firstMs : Math.min(longestMs, lengthMs * 2);
  return { expr, failures: failures + 1, untilMs: nowMs + length, lengthMs: length };
}

export const pauseText = ({ failures, untilMs }: RulePause, error: string): string =>
  untilMs === 0
    ? error
    : `paused until ${iso(untilMs)}, or until the rule is changed, after ${failures} consecutive failures: ${error}`;
