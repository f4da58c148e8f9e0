// What the pages of requests say of them: what one did in words, its place in time, and what to do when it failed.
import { kindTitle } from '../../src/console/titles.ts';
import { lower } from '../resources/words.ts';
import type { Requested, RequestState, Target } from './requests-api.ts';

export const stateNames: Readonly<Record<RequestState, string>> = { BUSY: 'Running', DONE: 'Done', FAILED: 'Failed' };

const verbs: Readonly<Record<string, string>> = { POST: 'Create', PUT: 'Change', PATCH: 'Change', DELETE: 'Delete' };

// `Create server web-1`, `Start server`, `Attach volume`.
export function titleOf(request: Pick<Requested, 'method' | 'path' | 'body' | 'targets'>): string {
  const [first] = request.targets;
  const kind = lower(kindTitle(first?.type ?? lastPart(request.path)));
  const words = [verbOf(request), kind, first?.name ?? nameIn(request.body)];
  return words.filter((one) => one !== '').join(' ');
}

// A POST below a thing that is there already is an action: the last word of its path says which.
function verbOf({ method, path, targets }: Pick<Requested, 'method' | 'path' | 'targets'>): string {
  const [first] = targets;
  const verb = verbs[method] ?? method;
  if (method !== 'POST' || !first) return verb;
  const isThere = path.split('/').includes(first.id);
  const last = lastPart(path);
  return isThere && last !== first.id ? capital(last.replaceAll('-', ' ')) : verb;
}

// What a failed request would have made is not there.
export const isUnmade = (request: Requested): boolean => request.state === 'FAILED' && verbOf(request) === verbs.POST;

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export function nameIn(body: string): string {
  const { properties } = (parsed(body) ?? {}) as { properties?: { name?: unknown } };
  return typeof properties?.name === 'string' ? properties.name : '';
}

// With two spaces where it is JSON, or else as it is.
export function bodyText(body: string): string {
  const value = parsed(body);
  return value === undefined ? body : JSON.stringify(value, null, 2);
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The time that a list of requests covers, with some room at its ends.
export interface Span {
  from: number;
  to: number;
}

const leastMs = 1000;

export function spanOf(requests: readonly Requested[], nowMs: number): Span {
  const times = requests.map(({ created }) => Date.parse(created));
  const isRunning = requests.some(({ state }) => state === 'BUSY');
  const from = Math.min(...times, nowMs);
  const newest = times.length === 0 ? nowMs : Math.max(...times);
  const to = Math.max(isRunning ? nowMs : newest, from + leastMs);
  return { from, to: to + (to - from) / 50 };
}

export interface Bar {
  left: number; // percent of the span
  width: number; // 0: only its beginning is known
}

// `ended`: when this page saw its end. The region tells when a request began, and not when it ended.
export function barOf({ created, state }: Requested, { from, to }: Span, nowMs: number, ended?: number): Bar {
  const begin = Date.parse(created);
  const end = state === 'BUSY' ? nowMs : (ended ?? begin);
  const percent = (ms: number): number => Math.min(100, Math.max(0, ((ms - from) / (to - from)) * 100));
  return { left: percent(begin), width: Math.max(0, percent(end) - percent(begin)) };
}

// Moments at even distances, for the axis.
export const ticksOf = ({ from, to }: Span, count: number): number[] =>
  Array.from({ length: count }, (_, at) => from + ((to - from) * at) / (count - 1));

// Of the axis: the day where the span has several, seconds where it is short.
export function tickText(ms: number, { from, to }: Span): string {
  const time = new Date(ms);
  const length = to - from;
  if (length > 2 * 86_400_000) return time.toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
  const isOneDay = new Date(from).toDateString() === new Date(to).toDateString();
  return time.toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(length < 300_000 && { second: '2-digit' as const }),
    ...(!isOneDay && { weekday: 'short' as const }),
  });
}

export interface Advice {
  text: string;
  leadsTo?: 'limits' | 'lab' | 'thing' | 'activity';
}

// What a person does next about a failure.
export function adviceOf(request: Requested, isThere: (target: Target) => boolean | undefined): Advice[] {
  const [first] = request.targets;
  const kind = lower(kindTitle(first?.type ?? ''));
  const advice: Advice[] = [];
  if (/limit|quota|maximum/i.test(request.message))
    advice.push({ text: 'Compare what is in use with the limits of the contract.', leadsTo: 'limits' });
  if (/lab planted/i.test(request.message))
    advice.push({ text: 'The lab made it fail on purpose: see which faults are still planted.', leadsTo: 'lab' });
  if (first && isThere(first) === false)
    advice.push({
      text:
        request.method === 'DELETE'
          ? `The ${kind} is gone by now: there is nothing left to delete.`
          : `The ${kind} does not exist: what had been done of it was undone. Correct the cause, then ask again.`,
    });
  if (first && isThere(first) === true)
    advice.push({ text: `The ${kind} is as it was before this request. Look at its state.`, leadsTo: 'thing' });
  advice.push({ text: 'See what else happened at that time.', leadsTo: 'activity' });
  return advice;
}
