// Changes outside the CRUD of a resource (a member joins a group, a token is created). They write the same request row
// and audit entry as all other changes, in one write set with the change.
import { appendEntry, appendRequest, entryOf } from '../core/audit/audit-log.ts';
import { requestRow, type Target } from '../core/operation/request.ts';
import type { WriteSet } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import type { Exchange } from './http/exchange.ts';

export interface PlainChange {
  writes: WriteSet;
  targets: Target[];
  sentBody?: string; // without secrets
  type?: string; // of the audit entry
}

// With a request that is DONE at once; the answer carries its Location.
export function withRequest(x: Exchange, change: PlainChange, now: number): WriteSet {
  const row = requestRow(x.requestInfo, change.targets, change.sentBody ?? '', now);
  return [...change.writes, { op: 'insert', table: 'request', row }, appendRequest(row)];
}

// Without a request, for operations that are synchronous on the platform.
export function withEntry(x: Exchange, change: PlainChange, now: number): WriteSet {
  const { requestInfo } = x;
  return [
    ...change.writes,
    appendEntry(requestInfo.caller.contract, entryOf(requestInfo, change.type ?? 'Provision', change.targets), now),
  ];
}

export async function applyChange(
  store: Store,
  decide: () => Promise<WriteSet> | WriteSet,
  queue?: string,
): Promise<void> {
  await store.change(async () => ({ writes: await decide(), value: undefined }), queue);
}
