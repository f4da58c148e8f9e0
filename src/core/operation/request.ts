// Requests: a client's change, and its outcome. A request row never holds a secret: its body is that of the validation,
// without write-only and secret properties.
import type { Values } from '../../base/json.ts';
import { type Caller, isAdmin } from '../access.ts';
import { namedBy } from '../display-name.ts';
import { pathOf } from '../resource.ts';
import { madeBy } from '../stamps.ts';
import type { Row, Write } from '../state/engine.ts';
import { rowOf } from '../state/engine.ts';
import type { Store } from '../store.ts';

export const requestPlace = 'requests';
export type RequestStatus = 'BUSY' | 'DONE' | 'FAILED';

export interface Target {
  kind: string;
  path: string;
  action: string; // the audit's word
  name?: string; // that it had then
}

export const targetOf = (row: Row, action: string): Target => ({
  kind: row.kind,
  path: pathOf(row),
  action,
  ...(row.body !== '' && namedBy(JSON.parse(row.body) as Values)),
});

// The call that asks for a change, as the surface knows it.
export interface RequestInfo {
  id: string;
  method: string;
  url: string;
  headers: Values;
  address: string; // of the client
  host: string;
  service: string;
  operation: string; // datacenter_create
  caller: Caller;
}

// Everything but the body that was sent, which is the body of the row.
export interface RequestHidden {
  targets: Target[];
  lockPath?: string; // the path that its journal row locks, if not that of the first target
  message: string; // kept only where it did not simply end well
  method: string;
  url: string;
  headers: Values;
  address: string; // this and the next two are only in the audit
  host: string;
  service: string;
}

// A request is DONE as soon as no journal row names it any more; only a failure is written into it.
export function requestRow(
  requestInfo: RequestInfo,
  targets: Target[],
  body: string,
  now: number,
  lockPath?: string,
): Row {
  const { caller } = requestInfo;
  return rowOf({
    contract: caller.contract,
    place: requestPlace,
    id: requestInfo.id,
    kind: requestInfo.operation,
    state: 'DONE' satisfies RequestStatus,
    time: now,
    owner: caller.user,
    meta: madeBy(caller, caller.user),
    body,
    hidden: hiddenText(requestInfo, targets, lockPath),
  });
}

// RequestHidden without its message.
function hiddenText(requestInfo: RequestInfo, targets: Target[], lockPath: string | undefined): string {
  const { method, url, headers, address, host, service } = requestInfo;
  return JSON.stringify({ targets, method, url, headers, address, host, service, lockPath });
}

const doneMessage = 'Request has been successfully executed';
const busyMessage = 'Request is in progress';

export function failRequest(row: Row, message: string): Write {
  const hidden: RequestHidden = { ...requestHidden(row), message };
  const state: RequestStatus = 'FAILED';
  return { op: 'update', table: 'request', row: { ...row, state, hidden: JSON.stringify(hidden) } };
}

// The current request: BUSY while a journal row names it.
export async function asOfNow(store: Store, row: Row): Promise<Row> {
  if (store.engine.exclusive) return store.isPending(row.id) ? asBusy(row) : row;
  const { targets, lockPath } = requestHidden(row);
  if (await store.pending(row.contract, lockPath ?? targets[0]?.path ?? '', row.id)) return asBusy(row);
  // It may have ended since the row was read, and badly.
  return (await store.get(row.contract, requestPlace, row.id, 'request')) ?? row;
}

const asBusy = (row: Row): Row => {
  const state: RequestStatus = 'BUSY';
  const hidden: RequestHidden = { ...requestHidden(row), message: busyMessage };
  return { ...row, state, hidden: JSON.stringify(hidden) };
};

// All of a contract as they are now, newest first.
export async function* requestsOf(store: Store, contract: number): AsyncGenerator<Row> {
  const scan = { contract, place: requestPlace, reverse: true };
  if (store.engine.exclusive) {
    for await (const row of store.each(scan, 'request')) yield asOfNow(store, row);
    return;
  }
  let after: Row | undefined;
  for (;;) {
    const rows = await store.range({ ...scan, limit: pageAtOnce, ...(after && { after }) }, 'request');
    yield* await allAsOfNow(store, rows);
    after = rows.at(-1);
    if (!after || rows.length < pageAtOnce) return;
  }
}

const pageAtOnce = 500;

// As `asOfNow`, for a page at once: a request without a journal row has ended, so its row that is read afterwards is
// final.
async function allAsOfNow(store: Store, rows: Row[]): Promise<Row[]> {
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return [];
  const { contract } = newest;
  const pending = new Set<string>();
  for await (const { id } of store.each({ contract, below: '' }, 'journal')) pending.add(id);
  const ended = new Map<string, Row>();
  const span = { contract, place: requestPlace, from: oldest.id, to: `${newest.id}~` };
  for await (const row of store.each(span, 'request')) ended.set(row.id, row);
  return rows.map((row) => (pending.has(row.id) ? asBusy(row) : (ended.get(row.id) ?? row)));
}

export function requestHidden(row: Row): RequestHidden {
  const kept = JSON.parse(row.hidden) as Omit<RequestHidden, 'message'> & { stands?: string };
  const { stands: formerLockPath, ...hidden } = kept;
  return { message: doneMessage, ...hidden, ...(formerLockPath !== undefined && { lockPath: formerLockPath }) };
}

export function requestProperties(row: Row): Values {
  const { method, headers, url } = requestHidden(row);
  return { method, headers, body: row.body, url };
}

// Status calls that wait for the end of the request.
export class Waiters {
  #waiting = new Map<string, Set<() => void>>();

  // Resolves when the request has ended in this process, or after ms. The caller then reads the row again.
  wait(id: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const set = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, set);
      const done = (): void => {
        clearTimeout(timer);
        set.delete(done);
        if (set.size === 0) this.#waiting.delete(id);
        resolve();
      };
      const timer = setTimeout(done, ms);
      set.add(done);
    });
  }

  ended(id: string): void {
    if (this.#waiting.size > 0) for (const done of this.#waiting.get(id) ?? []) done();
  }
}

// Administrators see all of the contract, others their own.
export const showsRequest = (caller: Caller, { owner }: Pick<Row, 'owner'>): boolean =>
  isAdmin(caller) || owner === caller.user;

export async function findRequest(store: Store, contract: number, id: string): Promise<Row | undefined> {
  const row = await store.get(contract, requestPlace, id, 'request');
  return row && asOfNow(store, row);
}
