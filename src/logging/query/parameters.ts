// Parses the parameters of Loki's HTTP API, with its defaults and its messages.
import { badData, QueryError } from '../logql/query-error.ts';
import { parseFloat64, parsePrometheusDuration, UnitError } from '../logql/syntax/units.ts';

const secondNs = 1_000_000_000n;
const defaultSinceNs = 3600n * secondNs;
export const defaultLimit = 100;
export const mostLines = 5000;
export const mostPoints = 11_000;
export const windowDays = 30;
const windowNs = BigInt(windowDays) * 86_400n * secondNs;

// The parameter that passes the header of this name to the thread.
export const encodingFlags = 'X-Loki-Response-Encoding-Flags';

const dateForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

export interface TimeRange {
  startNs: bigint;
  endNs: bigint;
}

// Seconds with a fraction or of up to ten digits, nanoseconds, or a date.
export function parseTime(text: string): bigint | undefined {
  if (/^[-+]?(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)) {
    const seconds = Number(text);
    if (!Number.isFinite(seconds)) return undefined;
    const whole = Math.trunc(seconds);
    return BigInt(whole) * secondNs + BigInt(Math.round((seconds - whole) * 1000) * 1_000_000);
  }
  if (/^[-+]?\d{1,19}$/.test(text)) return text.length <= 10 ? BigInt(text) * secondNs : BigInt(text.replace('+', ''));
  const [, date, fraction = '', zone] = dateForm.exec(text) ?? [];
  const ms = date === undefined ? Number.NaN : Date.parse(date + zone);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

function timeOf(parameters: URLSearchParams, name: string, otherwise: bigint): bigint {
  const text = parameters.get(name) ?? '';
  if (text === '') return otherwise;
  const time = parseTime(text);
  if (time === undefined)
    throw badData(`could not parse '${name}' parameter: cannot parse ${JSON.stringify(text)} to a valid timestamp`);
  return time;
}

export const momentOf = (parameters: URLSearchParams, nowNs: bigint): bigint => timeOf(parameters, 'time', nowNs);

export function rangeOf(parameters: URLSearchParams, nowNs: bigint): TimeRange {
  const since = parameters.get('since') ?? '';
  const sinceNs = since === '' ? defaultSinceNs : BigInt(reading('since', () => parsePrometheusDuration(since)));
  const endNs = timeOf(parameters, 'end', nowNs);
  const startNs = timeOf(parameters, 'start', (endNs > nowNs ? nowNs : endNs) - sinceNs);
  if (endNs < startNs) throw badData('end timestamp must not be before or equal to start time');
  return { startNs, endNs };
}

function reading<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof UnitError ? badData(`could not parse '${name}' parameter: ${error.message}`) : error;
  }
}

// A search covers at most thirty days, whatever the retention is.
export function demandWindow({ startNs, endNs }: TimeRange, rangeNs = 0): void {
  if (endNs - startNs <= windowNs && BigInt(rangeNs) <= windowNs) return;
  const hours = (BigInt(rangeNs) > windowNs ? BigInt(rangeNs) : endNs - startNs) / (3600n * secondNs);
  throw badData(`the query time range exceeds the limit (query length: ${hours}h, limit: ${windowDays}d)`);
}

// Descriptions of streams cover the last thirty days of a longer range.
export function withinWindow({ startNs, endNs }: TimeRange): TimeRange {
  return { startNs: endNs - startNs > windowNs ? endNs - windowNs : startNs, endNs };
}

export function limitOf(parameters: URLSearchParams, name = 'limit', otherwise = defaultLimit): number {
  const text = parameters.get(name) ?? '';
  if (text === '') return otherwise;
  if (!/^[-+]?\d+$/.test(text)) throw badData(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  if (Number(text) <= 0) throw badData('limit must be a positive value');
  return Number(text);
}

export function lineLimitOf(parameters: URLSearchParams): number {
  const limit = limitOf(parameters);
  if (limit > mostLines)
    throw badData(
      `max entries limit per query exceeded, limit > max_entries_limit_per_query (${limit} > ${mostLines})`,
    );
  return limit;
}

export function directionOf(parameters: URLSearchParams): 'forward' | 'backward' {
  const text = parameters.get('direction') ?? '';
  const direction = text.toLowerCase() || 'backward';
  if (direction !== 'forward' && direction !== 'backward') throw badData(`invalid direction '${text}'`);
  return direction;
}

function secondsOrDuration(text: string): number {
  try {
    return Math.trunc(parseFloat64(text) * 1e9);
  } catch {
    try {
      return parsePrometheusDuration(text);
    } catch {
      throw badData(`cannot parse ${JSON.stringify(text)} to a valid duration`);
    }
  }
}

// In nanoseconds; the default gives about 250 steps.
export function stepOf(parameters: URLSearchParams, { startNs, endNs }: TimeRange): number {
  const text = parameters.get('step') ?? '';
  const seconds = Number(endNs - startNs) / 1e9;
  const stepNs = text === '' ? Math.max(Math.floor(seconds / 250), 1) * 1e9 : secondsOrDuration(text);
  if (!(stepNs > 0) || !Number.isSafeInteger(stepNs))
    throw badData('zero or negative query resolution step widths are not accepted. Try a positive integer');
  if (Number(endNs - startNs) / stepNs > mostPoints)
    throw badData(
      `exceeded maximum resolution of ${mostPoints.toLocaleString('en')} points per time series. ` +
        'Try increasing the value of the step parameter',
    );
  return stepNs;
}

export function intervalOf(parameters: URLSearchParams): bigint {
  const text = parameters.get('interval') ?? '';
  if (text === '') return 0n;
  const ns = secondsOrDuration(text);
  if (!(ns >= 0)) throw badData('interval must be >= 0');
  return BigInt(Math.trunc(ns));
}

// Selectors, for which clients use different parameter names.
export const selectorsOf = (parameters: URLSearchParams): string[] => [
  ...new Set([...parameters.getAll('match'), ...parameters.getAll('match[]')]),
];

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new QueryError('not_found', '404 page not found');
  }
}
