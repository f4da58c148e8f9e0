// Requests: what a client asked to be changed, and what became of it. A request row never holds a secret:
// its body is what validation kept, without what is write-only or secret.
import { iso } from '../base/clock.ts';
import type { Values } from '../base/json.ts';
import type { Caller } from './access.ts';
import type { Row, Write } from './state/engine.ts';
import { rowOf } from './state/engine.ts';
import type { Store } from './store.ts';

export const requestPlace = 'requests';
export type RequestStatus = 'BUSY' | 'DONE' | 'FAILED';

export interface Target {
  kind: string;
  path: string;
  action: string; // the audit's word
}

// What the surface knows of the call that asks for a change.
export interface Asked {
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

// What only the audit tells of it.
export interface RequestHidden {
  targets: Target[];
  message: string;
  address: string;
  host: string;
  service: string;
}

// It is DONE as soon as no journal holds it any more; only a failure is written into it.
export function requestRow(asked: Asked, targets: Target[], body: string, now: number): Row {
  const { method, headers, url, caller, address, host, service } = asked;
  const hidden: RequestHidden = { targets, message: doneMessage, address, host, service };
  return rowOf({
    contract: caller.contract,
    place: requestPlace,
    id: asked.id,
    kind: asked.operation,
    state: 'DONE' satisfies RequestStatus,
    time: now,
    owner: caller.user,
    meta: `"createdDate":"${iso(now)}","createdBy":${JSON.stringify(caller.email)}`,
    body: JSON.stringify({ method, headers, body, url }),
    hidden: JSON.stringify(hidden),
  });
}

const doneMessage = 'Request has been successfully executed';
const busyMessage = 'Request is in progress';

export function failRequest(row: Row, message: string): Write {
  const hidden: RequestHidden = { ...requestHidden(row), message };
  const state: RequestStatus = 'FAILED';
  return { op: 'update', table: 'request', row: { ...row, state, hidden: JSON.stringify(hidden) } };
}

// The request as it is now: BUSY while the journal holds it.
export async function asOfNow(store: Store, row: Row): Promise<Row> {
  const hidden = requestHidden(row);
  if (!(await store.pending(row.contract, hidden.targets[0]?.path ?? '', row.id))) return row;
  const state: RequestStatus = 'BUSY';
  return { ...row, state, hidden: JSON.stringify({ ...hidden, message: busyMessage } satisfies RequestHidden) };
}

export const requestHidden = (row: Row): RequestHidden => JSON.parse(row.hidden) as RequestHidden;

// Those who hold a status call until the request ends.
export class Waiters {
  #waiting = new Map<string, Set<() => void>>();

  // Resolves when the request ended in this process, or after ms; who asks reads the row again then.
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
    for (const done of this.#waiting.get(id) ?? []) done();
  }
}

export async function findRequest(store: Store, contract: number, id: string): Promise<Row | undefined> {
  const row = await store.get(contract, requestPlace, id, 'request');
  return row && asOfNow(store, row);
}
