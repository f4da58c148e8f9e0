// The parameters of Prometheus' HTTP API, with its error messages.
import type { Matcher } from '../../series.ts';
import { matcherTest } from '../matcher-test.ts';
import { QueryError } from '../query-error.ts';
import { parseDuration, parseFloat64, quote } from '../syntax/literals.ts';
import { parseSelector } from '../syntax/parse.ts';

export const earliestMs = -8_640_000_000_000_000; // the earliest possible date
export const latestMs = 8_640_000_000_000_000;

const dateForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

export function invalid(name: string, why: string): QueryError {
  return new QueryError('bad_data', `invalid parameter ${quote(name)}: ${why}`);
}

// Seconds since 1970, or a date.
export function timeOf(parameters: URLSearchParams, name: string, otherwise?: number): number {
  const text = parameters.get(name) ?? '';
  if (text === '' && otherwise !== undefined) return otherwise;
  const seconds = parseFloat64(text);
  const ms = seconds === undefined ? (dateForm.test(text) ? Date.parse(text) : Number.NaN) : Math.round(seconds * 1000);
  if (ms >= earliestMs && ms <= latestMs) return ms;
  const why = `cannot parse ${quote(text)} to a valid timestamp`;
  throw invalid(name, otherwise === undefined ? why : `invalid time value for '${name}': ${why}`);
}

// Seconds, or a duration such as 1m.
export function durationOf(text: string): number {
  const seconds = parseFloat64(text);
  const ms = seconds === undefined ? parseDuration(text) : Math.trunc(Number((seconds * 1000).toPrecision(15)));
  if (ms !== undefined && Math.abs(ms) <= 9_223_372_036_854) return ms;
  const why = ms === undefined || Number.isNaN(ms) ? '' : '. It overflows int64';
  throw new QueryError('bad_data', `cannot parse ${quote(text)} to a valid duration${why}`);
}

export function stepOf(parameters: URLSearchParams): number {
  const text = parameters.get('step') ?? '';
  try {
    const ms = durationOf(text);
    if (ms > 0) return ms;
  } catch (error) {
    throw invalid('step', (error as Error).message);
  }
  const why = 'zero or negative query resolution step widths are not accepted. Try a positive integer';
  throw invalid('step', why);
}

export function lookbackOf(parameters: URLSearchParams): number | undefined {
  const text = parameters.get('lookback_delta');
  if (!text) return undefined;
  try {
    return durationOf(text);
  } catch (error) {
    throw new QueryError('bad_data', `error parsing lookback delta duration: ${(error as Error).message}`);
  }
}

export function timeoutOf(parameters: URLSearchParams): number | undefined {
  const text = parameters.get('timeout');
  if (!text) return undefined;
  try {
    return durationOf(text);
  } catch (error) {
    throw invalid('timeout', (error as Error).message);
  }
}

// The maximum number of results; 0 means no limit.
export function limitOf(parameters: URLSearchParams): number {
  const text = parameters.get('limit') ?? '';
  if (text === '') return 0;
  if (!/^[+-]?\d+$/.test(text)) throw invalid('limit', `strconv.Atoi: parsing ${quote(text)}: invalid syntax`);
  if (Number(text) < 0) throw invalid('limit', 'limit must be non-negative');
  return Number(text);
}

export function matchersOf(parameters: URLSearchParams): Matcher[][] {
  return parameters.getAll('match[]').map((text) => {
    let matchers: Matcher[];
    try {
      matchers = parseSelector(text);
    } catch (error) {
      throw error instanceof QueryError ? invalid('match[]', error.message) : error;
    }
    if (matchers.every((matcher) => matcherTest(matcher)('')))
      throw invalid('match[]', 'match[] must contain at least one non-empty matcher');
    return matchers;
  });
}

// A label's name in a path: U__http_2e_status_code stands for http.status_code.
export function labelNameOf(text: string): string {
  if (!text.startsWith('U__')) return text;
  const inner = text.slice(3);
  const form = /__|_([\da-fA-F]{1,6})_|[^_]/gy;
  let name = '';
  for (let found = form.exec(inner); found; found = form.exec(inner)) {
    const point = found[1] ? Number.parseInt(found[1], 16) : undefined;
    if (point !== undefined && point > 0x10ffff) return text;
    name += found[0] === '__' ? '_' : point === undefined ? found[0] : String.fromCodePoint(point);
    if (form.lastIndex === inner.length) return name;
  }
  return text; // it was not encoded
}
