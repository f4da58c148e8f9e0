// The audit. Entries get dense numbers per contract at commit, and their times never go back: the bounds of a window
// are found by binary search, its total by subtraction, any page by its numbers. The entry of a change is written with
// the change and shows the outcome of its request; reads are gathered and written every second.
import type { Values } from '../../base/json.ts';
import { appendedEnds, firstAtOrAfter } from '../appended-rows.ts';
import {
  asOfNow,
  findRequest,
  type RequestInfo,
  requestHidden,
  requestPlace,
  type Target,
} from '../operation/request.ts';
import { stampsOf } from '../stamps.ts';
import type { Row, Write } from '../state/engine.ts';
import { appendedId, rowOf } from '../state/engine.ts';
import type { Store } from '../store.ts';

export const activityPlace = 'activity';
export const retentionMs = 35 * 86_400_000;

export interface Entry {
  type: string; // RequestAccepted, Retrieval, GenerateToken, Login, Error …
  user: string; // e-mail
  userId: string;
  address: string;
  host: string;
  service: string;
  method: string;
  uri: string;
  operation: string;
  resources: { id: string; type: string; action: string[]; name?: string }[];
  requestId?: string;
  outcome?: { status: string; message: string };
  count?: number; // of reads that fell into one entry
  message?: string;
  error?: { status: number; messages: Values[] };
}

export function entryOf(requestInfo: RequestInfo, type: string, targets: Target[], more: Partial<Entry> = {}): Entry {
  return {
    type,
    user: requestInfo.caller.email,
    userId: requestInfo.caller.user,
    address: requestInfo.address,
    host: requestInfo.host,
    service: requestInfo.service,
    method: requestInfo.method,
    uri: requestInfo.url,
    operation: requestInfo.operation,
    resources: targets.map(resourceOf),
    ...more,
  };
}

const resourceOf = ({ kind, path, action, name }: Target): Entry['resources'][number] => ({
  id: lastOf(path),
  type: kind,
  action: [action],
  ...(name !== undefined && { name }),
});

// The entry of a change that has a request: the request knows everything, so the entry only names it.
export function appendRequest(request: Row): Write {
  const { contract, owner, time, id } = request;
  const row = rowOf({ contract, place: activityPlace, id: '', kind: 'RequestAccepted', time, owner, meta: id });
  return { op: 'append', table: 'activity', row };
}

// An entry as clients see it: with the outcome of its request at the time of the read.
export async function entryOfRow(store: Store, row: Row): Promise<Entry | undefined> {
  if (row.body !== '') return JSON.parse(row.body) as Entry;
  const request = await findRequest(store, row.contract, row.meta);
  if (!request) return undefined;
  const { targets, method, url, address, host, service, message } = requestHidden(request);
  const { createdBy } = stampsOf(request);
  return {
    type: row.kind,
    user: createdBy,
    userId: row.owner,
    address,
    host,
    service,
    method,
    uri: url,
    operation: request.kind,
    resources: targets.map(resourceOf),
    requestId: request.id,
    outcome: { status: request.state, message },
  };
}

export const appendEntry = (contract: number, entry: Entry, now: number): Write => ({
  op: 'append',
  table: 'activity',
  row: rowless(contract, entry, now),
});

const rowless = (contract: number, entry: Entry, now: number): Omit<Row, 'id'> =>
  rowOf({
    contract,
    place: activityPlace,
    id: '',
    kind: entry.type,
    time: now,
    owner: entry.userId,
    body: JSON.stringify(entry),
  });

const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/^0+(?=\d+$)/, '');

export interface Page {
  total: number;
  rows: Row[]; // newest first
}

export async function activityPage(
  store: Store,
  contract: number,
  window: { from: number; to: number },
  offset: number,
  limit: number,
): Promise<Page> {
  const log = { table: 'activity', contract, place: activityPlace } as const;
  const ends = await appendedEnds(store, log);
  if (!ends) return { total: 0, rows: [] };
  const low = await firstAtOrAfter(store, log, window.from, ends);
  const high = (await firstAtOrAfter(store, log, window.to, { ...ends, first: low })) - 1;
  const newest = high - offset;
  const oldest = Math.max(low, newest - limit + 1);
  const total = Math.max(0, high - low + 1);
  if (newest < low || limit === 0) return { total, rows: [] };
  const scan = {
    contract,
    place: activityPlace,
    from: appendedId(oldest),
    to: appendedId(newest + 1),
    limit,
    reverse: true,
  };
  return { total, rows: await store.range(scan, 'activity') };
}

// The first moment that is kept: entries go by whole days.
const keptFrom = (now: number): number => Math.floor((now - retentionMs) / 86_400_000) * 86_400_000;

// Deletes entries that are older than the retention, a bounded number at a time.
export async function pruneActivity(store: Store, contract: number, now: number): Promise<void> {
  const log = { table: 'activity', contract, place: activityPlace } as const;
  const ends = await appendedEnds(store, log);
  if (!ends) return;
  const end = await firstAtOrAfter(store, log, keptFrom(now), ends);
  for (let seq = ends.first; seq < end; ) {
    const writes: Write[] = [];
    for (; seq < end && writes.length < pruneAtOnce; seq++) {
      const key = { contract, place: activityPlace, id: appendedId(seq) };
      writes.push({ op: 'remove', table: 'activity', key, loose: true });
    }
    await store.must(writes);
    await new Promise(setImmediate);
  }
}

const pruneAtOnce = 500;

// Requests live as long as the entries that name them; one that has not ended stays.
export async function pruneRequests(store: Store, contract: number, now: number): Promise<void> {
  for (;;) {
    const rows = await store.range({ contract, place: requestPlace, limit: pruneAtOnce }, 'request');
    const old: Row[] = [];
    for (const row of rows) {
      if (row.time >= keptFrom(now)) break;
      if ((await asOfNow(store, row)).state !== 'BUSY') old.push(row);
    }
    if (old.length === 0) return;
    await store.must(old.map((key): Write => ({ op: 'remove', table: 'request', key, loose: true })));
    await new Promise(setImmediate);
  }
}
