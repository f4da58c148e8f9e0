// Reads the activity log, newest entries first. The region filters by time only, so the console applies the other
// filters itself, page by page.
import { call, scope } from '../api.ts';
import { requestNames } from '../requests/request-names.ts';

export interface Entry {
  id: string;
  time: string;
  user: string;
  action: string; // ip.ipblock.create, request_list, …
  type: string; // RequestAccepted, Retrieval, Login, Error …
  resource: string; // server/ID, or the path of the call
  resources: readonly Affected[];
  method: string;
  path: string;
  address: string; // of the client
  status: 'RUNNING' | 'DONE' | 'FAILED' | 'REFUSED' | '';
  messages: readonly string[];
  count: number; // of reads grouped into this entry
  requestId: string;
}

export interface Affected {
  id: string;
  type: string;
  name?: string; // at the time of the entry
}

export interface Span {
  from: number;
  to: number; // exclusive
}

interface Source {
  action: string;
  resource: string;
  user: string;
  time: string;
  meta?: { requestId?: string };
  principal?: { sourceIP?: string };
  event?: {
    type: string;
    resources: Affected[];
    param: { action: string; uri: string; initiator?: string; error?: { messages: { message: string }[] } };
    status?: 'QUEUED' | 'DONE' | 'FAILED';
    message?: string;
    count?: number;
  };
}

export interface Hits {
  hits: { total: number; hits: { _id: string; _source: Source }[] };
}

function pathOf({ from, to }: Span, offset: number, limit: number): string {
  const query = new URLSearchParams({
    startDate: new Date(from).toISOString(),
    endDate: new Date(to).toISOString(),
    offset: String(offset),
    limit: String(limit),
  });
  return `/activitylog/v1/contracts/${scope.contract}?${query}`;
}

export async function countEntries(span: Span, signal: AbortSignal): Promise<number> {
  return (await call<Hits>('GET', pathOf(span, 0, 0), { signal })).hits.total;
}

export async function readEntries(
  span: Span,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<{ total: number; entries: Entry[] }> {
  const { hits } = await call<Hits>('GET', pathOf(span, offset, limit), { signal });
  const entries = hits.hits.map(({ _id, _source }) => entryOf(_id, _source));
  return { total: hits.total, entries: await withNames(entries, signal) };
}

// Entries of earlier versions lack names, so these are read from their requests.
async function withNames(entries: Entry[], signal: AbortSignal): Promise<Entry[]> {
  const nameless = entries.filter(
    ({ requestId, resources }) => requestId !== '' && resources.some(({ name }) => name === undefined),
  );
  if (nameless.length === 0) return entries;
  const ids = new Set(nameless.map(({ requestId }) => requestId));
  const names = await requestNames([...ids], signal);
  return entries.map((entry) => ({
    ...entry,
    resources: entry.resources.map((one) => {
      const name = one.name ?? names[entry.requestId]?.[one.id];
      return name === undefined ? one : { ...one, name };
    }),
  }));
}

export function entryOf(id: string, source: Source): Entry {
  const { action, resource, user, time, meta, principal, event } = source;
  const error = event?.param.error;
  const messages = error ? error.messages.map(({ message }) => message) : event?.message ? [event.message] : [];
  return {
    id,
    time,
    user,
    action,
    type: event?.type ?? action,
    resource,
    resources: (event?.resources ?? []).map((one) => named(one, event?.param.initiator, user)),
    method: event?.param.action ?? '',
    path: event?.param.uri ?? '',
    address: principal?.sourceIP ?? '',
    status: event?.status === 'QUEUED' ? 'RUNNING' : (event?.status ?? (error ? 'REFUSED' : '')),
    messages,
    count: event?.count ?? 1,
    requestId: meta?.requestId ?? '',
  };
}

// A user who acts on their own account is shown by e-mail address.
const named = (one: Affected, initiator: string | undefined, email: string): Affected =>
  one.type === 'user' && one.id === initiator && one.name === undefined ? { ...one, name: email } : one;

// The progress of a search. Its span does not change, so positions stay valid while the log grows.
export interface Found {
  entries: readonly Entry[];
  read: number; // entries of the span
  total: number;
}

export const nothingFound: Found = { entries: [], read: 0, total: Number.POSITIVE_INFINITY };

const pageSize = 500;

// Continues after `found` until `enough` more entries match, or `most` entries were read.
export async function searchFurther(
  span: Span,
  fits: (entry: Entry) => boolean,
  found: Found,
  { enough, most }: { enough: number; most: number },
  signal: AbortSignal,
): Promise<Found> {
  const more: Entry[] = [];
  let { read, total } = found;
  const end = read + most;
  while (more.length < enough && read < Math.min(end, total)) {
    const page = await readEntries(span, read, pageSize, signal);
    total = page.total;
    read = Math.min(total, read + pageSize);
    more.push(...page.entries.filter(fits));
  }
  return { entries: [...found.entries, ...more], read: Math.min(read, total), total };
}
