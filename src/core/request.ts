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

interface RequestHidden {
  targets: Target[];
  message: string;
}

export function requestRow(asked: Asked, status: RequestStatus, targets: Target[], body: string, now: number): Row {
  const { method, headers, url, caller } = asked;
  return rowOf({
    contract: caller.contract,
    place: requestPlace,
    id: asked.id,
    kind: asked.operation,
    state: status,
    time: now,
    owner: caller.user,
    meta: `"createdDate":${JSON.stringify(iso(now))},"createdBy":${JSON.stringify(caller.email)}`,
    body: JSON.stringify({ method, headers, body, url }),
    hidden: JSON.stringify({ targets, message: status === 'DONE' ? doneMessage : busyMessage } satisfies RequestHidden),
  });
}

export const doneMessage = 'Request has been successfully executed';
const busyMessage = 'Request is in progress';

export function endRequest(row: Row, status: 'DONE' | 'FAILED', message: string): Write {
  const { targets } = requestHidden(row);
  return {
    op: 'update',
    table: 'request',
    row: { ...row, state: status, hidden: JSON.stringify({ targets, message }) },
  };
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

export const findRequest = (store: Store, contract: number, id: string): Promise<Row | undefined> =>
  store.get(contract, requestPlace, id, 'request');
