// The audit. Entries have dense numbers per contract, given at commit, and time never goes back in them: a
// window's bounds are found by halving, its total by subtraction, any page by its numbers. A change's entry is
// written with the change and shows the outcome of its request; reads are gathered and written every second.
import type { Clock } from '../base/clock.ts';
import type { Values } from '../base/json.ts';
import type { Caller } from './access.ts';
import { type Asked, findRequest, requestHidden, type Target } from './request.ts';
import type { Row, Write } from './state/engine.ts';
import { rowOf } from './state/engine.ts';
import type { Store } from './store.ts';

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
  resources: { id: string; type: string; action: string[] }[];
  requestId?: string;
  outcome?: { status: string; message: string };
  count?: number; // of reads that fell into one entry
  message?: string;
  error?: { status: number; messages: Values[] };
}

export function entryOf(asked: Asked, type: string, targets: Target[], more: Partial<Entry> = {}): Entry {
  return {
    type,
    user: asked.caller.email,
    userId: asked.caller.user,
    address: asked.address,
    host: asked.host,
    service: asked.service,
    method: asked.method,
    uri: asked.url,
    operation: asked.operation,
    resources: targets.map(resourceOf),
    ...more,
  };
}

const resourceOf = ({ kind, path, action }: Target): Entry['resources'][number] => ({
  id: lastOf(path),
  type: kind,
  action: [action],
});

// The entry of a change that has a request: the request knows everything, so the entry only names it.
export function appendRequest(request: Row): Write {
  const { contract, owner, time, id } = request;
  const row = rowOf({ contract, place: activityPlace, id: '', kind: 'RequestAccepted', time, owner, meta: id });
  return { op: 'append', table: 'activity', row };
}

// An entry as it is told: with the outcome of its request, whenever that is read.
export async function entryOfRow(store: Store, row: Row): Promise<Entry | undefined> {
  if (row.body !== '') return JSON.parse(row.body) as Entry;
  const request = await findRequest(store, row.contract, row.meta);
  if (!request) return undefined;
  const { targets, address, host, service, message } = requestHidden(request);
  const { method, url } = JSON.parse(request.body) as { method: string; url: string };
  const { createdBy } = JSON.parse(`{${request.meta}}`) as { createdBy: string };
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
const number = (seq: number): string => String(seq).padStart(12, '0');

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
  const first = await firstSeq(store, contract);
  const last = await lastSeq(store, contract);
  if (first === undefined || last === undefined) return { total: 0, rows: [] };
  const low = await firstAtOrAfter(store, contract, window.from, first, last);
  const high = (await firstAtOrAfter(store, contract, window.to, low, last)) - 1;
  const newest = high - offset;
  const oldest = Math.max(low, newest - limit + 1);
  const total = Math.max(0, high - low + 1);
  if (newest < low || limit === 0) return { total, rows: [] };
  const scan = { contract, place: activityPlace, from: number(oldest), to: number(newest + 1), limit, reverse: true };
  return { total, rows: await store.range(scan, 'activity') };
}

// The number of the first entry at or after a time; last + 1 where there is none.
async function firstAtOrAfter(
  store: Store,
  contract: number,
  time: number,
  first: number,
  last: number,
): Promise<number> {
  let low = first;
  let high = last + 1;
  if (time === Number.POSITIVE_INFINITY) return high;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await store.get(contract, activityPlace, number(middle), 'activity');
    if (row && row.time < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const endSeq = async (store: Store, contract: number, reverse: boolean): Promise<number | undefined> => {
  const [row] = await store.range({ contract, place: activityPlace, limit: 1, reverse }, 'activity');
  return row && Number(row.id);
};
const firstSeq = (store: Store, contract: number) => endSeq(store, contract, false);
const lastSeq = (store: Store, contract: number) => endSeq(store, contract, true);

// Entries older than the retention go, by whole days, a bounded number at a time.
export async function pruneActivity(store: Store, contract: number, now: number): Promise<void> {
  const before = Math.floor((now - retentionMs) / 86_400_000) * 86_400_000;
  const first = await firstSeq(store, contract);
  const last = await lastSeq(store, contract);
  if (first === undefined || last === undefined) return;
  // The newest entry stays, whatever its age: the numbers of the next ones follow from it.
  const end = Math.min(await firstAtOrAfter(store, contract, before, first, last), last);
  for (let seq = first; seq < end; ) {
    const writes: Write[] = [];
    for (; seq < end && writes.length < 500; seq++)
      writes.push({
        op: 'remove',
        table: 'activity',
        key: { contract, place: activityPlace, id: number(seq) },
        loose: true,
      });
    await store.must(writes);
    await new Promise(setImmediate);
  }
}

interface Gathered {
  contract: number;
  entry: Entry;
  time: number; // of the first
  id?: string; // once it has a number
  dirty: boolean;
}

// Reads fall into one entry per user, source, operation, resource and minute. Past a thousand different
// resources of one operation in a minute, the rest share one entry that counts them: nobody reads more.
const mostDistinct = 1000;

export class Reads {
  #store: Store;
  #clock: Clock;
  #gathered = new Map<string, Gathered>();
  #distinct = new Map<string, number>();
  #hours = new Map<string, number>();
  #minute = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  note(caller: Caller, group: string, resource: string, make: () => Entry): void {
    const minute = Math.floor(this.#clock.now() / 60_000);
    if (minute !== this.#minute) this.#turn(minute);
    const base = `${caller.contract} ${caller.user} ${group}`;
    const key = `${base} ${resource}`;
    const known = this.#gathered.get(key);
    if (known) {
      more(known);
      return;
    }
    const seen = this.#distinct.get(base) ?? 0;
    if (seen >= mostDistinct) {
      const rest = this.#gathered.get(base);
      if (rest) more(rest);
      else
        this.#add(base, caller.contract, { ...make(), resources: [], message: 'Further resources of the same kind' });
      return;
    }
    this.#distinct.set(base, seen + 1);
    this.#add(key, caller.contract, make());
  }

  // For what would only tell of itself (reading the log): true once per caller, operation and hour.
  firstThisHour(caller: Caller, operation: string): boolean {
    const hour = Math.floor(this.#clock.now() / 3_600_000);
    const key = `${caller.contract} ${caller.user} ${operation}`;
    if (this.#hours.get(key) === hour) return false;
    if (this.#hours.size > 10_000) this.#hours.clear();
    this.#hours.set(key, hour);
    return true;
  }

  #add(key: string, contract: number, entry: Entry): void {
    this.#gathered.set(key, { contract, entry: { ...entry, count: 1 }, time: this.#clock.now(), dirty: true });
  }

  // A new minute: what was not written yet is written once more, then forgotten.
  #turn(minute: number): void {
    const old = [...this.#gathered.values()].filter((one) => one.dirty);
    this.#gathered.clear();
    this.#distinct.clear();
    this.#minute = minute;
    if (old.length) this.#queue(old);
  }

  flush(): Promise<void> {
    this.#queue([...this.#gathered.values()].filter((one) => one.dirty));
    return this.#flushing;
  }

  #queue(entries: Gathered[]): void {
    if (entries.length === 0) return;
    this.#flushing = this.#flushing.then(() => this.#write(entries)).catch(() => undefined);
  }

  async #write(entries: Gathered[]): Promise<void> {
    for (let from = 0; from < entries.length; from += 200) {
      const part = entries.slice(from, from + 200);
      const writes: Write[] = [];
      const fresh: Gathered[] = [];
      for (const one of part) {
        one.dirty = false;
        if (one.id === undefined) {
          fresh.push(one);
          writes.push(appendEntry(one.contract, one.entry, one.time));
          continue;
        }
        const row = await this.#store.get(one.contract, activityPlace, one.id, 'activity');
        if (row) writes.push({ op: 'update', table: 'activity', row: { ...row, body: JSON.stringify(one.entry) } });
      }
      const ids = await this.#store.must(writes).catch((error: unknown) => {
        for (const one of part) one.dirty = true;
        throw error;
      });
      for (const [at, one] of fresh.entries()) one.id = ids[at] ?? '';
    }
  }
}

const more = (one: Gathered): void => {
  one.entry.count = (one.entry.count ?? 0) + 1;
  one.dirty = true;
};
