// How long a server asks its client to wait, in seconds or as a date.
import { machineTime } from '../base/clock.ts';

export const mostThrottled = 30; // answers of 429, for one call
const mostWaitS = 120;

export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const seconds = text === '' ? Number.NaN : Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - machineTime();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), mostWaitS * 1000) : undefined;
}
