// Duration expressions such as 2 * step() or min_of(range(), 1h). They are resolved with the times of the query.
import { QueryError } from '../query-error.ts';
import type { Duration, DurationOp } from './tree.ts';

export interface QueryTimes {
  startMs: number;
  endMs: number;
  stepMs: number; // 0 for a query at one time
}

const furthestSeconds = 9_223_372_036;

export function durationMs(duration: Duration, times: QueryTimes, mayBeNegative: boolean): number {
  const seconds = secondsOf(duration, times);
  const { from, to } = duration.span;
  const bad = (why: string): QueryError => new QueryError('bad_data', `${from}:${to}: ${why}`);
  if (!Number.isFinite(seconds)) throw bad('duration is NaN or infinite');
  if (Math.abs(seconds) > furthestSeconds) throw bad('duration is out of range');
  const ms = Math.trunc(Number((seconds * 1000).toPrecision(15)));
  if (ms <= 0 && !mayBeNegative) throw bad('duration must be greater than 0'); // the shortest duration is a millisecond
  return ms;
}

function secondsOf(duration: Duration, times: QueryTimes): number {
  switch (duration.kind) {
    case 'seconds':
      return duration.seconds;
    case 'query':
      return (duration.name === 'step' ? times.stepMs : times.endMs - times.startMs) / 1000;
    case 'sign':
      return duration.op === '-' ? -secondsOf(duration.right, times) : secondsOf(duration.right, times);
    case 'paren':
      return secondsOf(duration.inner, times);
    case 'pair': {
      const right = secondsOf(duration.right, times);
      if (right === 0 && (duration.op === '/' || duration.op === '%')) {
        const what = duration.op === '/' ? 'division' : 'modulo';
        throw new QueryError('bad_data', `${duration.span.from}:${duration.span.to}: ${what} by zero`);
      }
      return operations[duration.op](secondsOf(duration.left, times), right);
    }
  }
}

const operations: Readonly<Record<DurationOp, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '^': (left, right) => left ** right,
  min_of: Math.min,
  max_of: Math.max,
};
