// The model of the request pages: titles, bars of the timeline, and advice for failures.

import { lower } from '../resources/words.ts';
import { kindTitle } from '../sitemap.ts';
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

// A POST to a path below an existing resource is an action, named by the last part of the path.
function verbOf({ method, path, targets }: Pick<Requested, 'method' | 'path' | 'targets'>): string {
  const [first] = targets;
  const verb = verbs[method] ?? method;
  if (method !== 'POST' || !first) return verb;
  const isThere = path.split('/').includes(first.id);
  const last = lastPart(path);
  return isThere && last !== first.id ? capital(last.replaceAll('-', ' ')) : verb;
}

// A failed creation leaves no resource.
export const isUnmade = (request: Requested): boolean => request.state === 'FAILED' && verbOf(request) === verbs.POST;

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export function nameIn(body: string): string {
  const { properties } = (parsed(body) ?? {}) as { properties?: { name?: unknown } };
  return typeof properties?.name === 'string' ? properties.name : '';
}

// Indented if it is JSON, otherwise unchanged.
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

// The time span of a list of requests, with a margin.
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
  width: number; // 0: only the start is known
}

// `ended`: when this page noticed the end. The region only returns the start of a request.
export function barOf({ created, state }: Requested, { from, to }: Span, nowMs: number, ended?: number): Bar {
  const begin = Date.parse(created);
  const end = state === 'BUSY' ? nowMs : (ended ?? begin);
  const percent = (ms: number): number => Math.min(100, Math.max(0, ((ms - from) / (to - from)) * 100));
  return { left: percent(begin), width: Math.max(0, percent(end) - percent(begin)) };
}

// Evenly spaced moments for the axis.
export const ticksOf = ({ from, to }: Span, count: number): number[] =>
  Array.from({ length: count }, (_, at) => from + ((to - from) * at) / (count - 1));

// The text of a tick: with the day if the span has several days, with seconds if it is short.
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
  leadsTo?: 'limits' | 'lab' | 'resource' | 'activity';
}

// Advice for a failed request.
export function adviceOf(request: Requested, isThere: (target: Target) => boolean | undefined): Advice[] {
  const [first] = request.targets;
  const kind = lower(kindTitle(first?.type ?? ''));
  const advice: Advice[] = [];
  if (/limit|quota|maximum/i.test(request.message))
    advice.push({ text: 'Compare the usage with the limits of the contract.', leadsTo: 'limits' });
  if (/lab planted/i.test(request.message))
    advice.push({
      text: 'A fault that was planted in the lab caused this failure. Check the planted faults.',
      leadsTo: 'lab',
    });
  if (first && isThere(first) === false)
    advice.push({
      text:
        request.method === 'DELETE'
          ? `The ${kind} no longer exists, so there is nothing to delete.`
          : `The ${kind} does not exist, because the region undid the finished steps. Correct the cause and try again.`,
    });
  if (first && isThere(first) === true)
    advice.push({ text: `The ${kind} is unchanged. Check its state.`, leadsTo: 'resource' });
  advice.push({ text: 'Check the activity log of that time.', leadsTo: 'activity' });
  return advice;
}
