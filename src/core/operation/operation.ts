// The acceptance of an operation: one write set with the rows in their pending state, their reservations, the request,
// the journal row and the audit entry, synced before the 202 leaves.
import { isBare, type Values } from '../../base/json.ts';
import { appendEntry, appendRequest, entryOf } from '../audit/audit-log.ts';
import { namedBy } from '../display-name.ts';
import { mark } from '../metering/meter.ts';
import type { Model } from '../model.ts';
import { type Draft, pathOf, type Resource } from '../resource.ts';
import { changedBy, madeBy } from '../stamps.ts';
import { type Row, rowOf, type Write } from '../state/engine.ts';
import type { OpenSpan } from '../tracing/span.ts';
import { type Change, type Journal, journalRow, type RowState, stepsOf, type Way } from './journal.ts';
import { type RequestInfo, requestRow, type Target } from './request.ts';
import {
  type Bounds,
  isEmpty,
  mergeReservations,
  noReservations,
  type Reservations,
  releaseWrites,
  reservationsOf,
  reserveWrites,
} from './reservations.ts';
import { revisionWrites } from './revisions.ts';

// An operation that can be run; `rows` are those that this process has just written for it. The span exists only in the
// process that accepted the operation.
export interface Started {
  row: Row;
  journal: Journal;
  rows?: Row[];
  span?: OpenSpan | undefined;
}

export interface Accepted {
  writes: Write[];
  drafts: readonly Draft[]; // of all parts, the requested one first
  shown: readonly Row[]; // each as an answer shows it: with the values it will have
  journal?: Started; // the remaining work
  isPending: boolean; // shown as BUSY, though it may have ended with its acceptance
}

// `isInstant` tells whether the steps of these changes have neither work to do nor time to take: then the operation
// ends with its acceptance and needs no journal row.
export function accept(
  model: Model,
  drafts: Draft,
  requestInfo: RequestInfo,
  bounds: Bounds,
  now: number,
  sentBody: string,
  isInstant: (changes: readonly Change[]) => boolean = () => false,
): Accepted {
  const all = parts(drafts);
  const changes: Change[] = [];
  let hasSteps = false;
  let removes = false;
  let lasting = false;
  for (const draft of all) {
    const change = changeOf(draft, now);
    changes.push(change);
    if (!draft.atOnce && stepsOf(model, change).length > 0) hasSteps = true;
    if (change.way !== 'remove') continue;
    removes = true;
    if (hasInside(model, change)) lasting = true;
  }
  const { contract, resource, lockPath } = drafts;
  const instant = hasSteps && !removes && isInstant(changes);
  if (hasSteps && !instant) lasting = true;
  const at = lockPath ?? (changes[0] as Change).path;
  const rows: Row[] = [];
  const pending: Change[] = []; // of the same parts as the rows
  const shown: Row[] = [];
  const targets: Target[] = [];
  const writes = guards(drafts);
  for (const write of extraWritesOf(all)) writes.push(write);
  for (let part = 0; part < all.length; part++) {
    const draft = all[part] as Draft;
    const change = changes[part] as Change;
    const { kind, path } = change;
    const isPending = lasting && !draft.atOnce;
    const row = isPending
      ? pendingRow(draft, now, isAt(path, at) ? 'AVAILABLE' : 'CHANGING')
      : settled(draft, change, now);
    if (!draft.atOnce) {
      rows.push(row);
      pending.push(change);
    }
    shown.push(asChanged(row, change));
    const values = isBare(draft.values) ? draft.previous : draft.values;
    targets.push({ kind, path, action: actionOf(draft, change.way), ...namedBy(values) });
    rowWrites(writes, draft, row, path, bounds, isPending, now);
  }
  if (resource.lifecycle.synchronous) {
    writes.push(appendEntry(requestInfo.caller.contract, entryOf(requestInfo, 'Provision', targets), now));
  } else {
    const request = requestRow(requestInfo, targets, sentBody, now, lockPath);
    writes.push({ op: 'insert', table: 'request', row: request }, appendRequest(request));
  }
  if (!lasting) {
    if (!resource.lifecycle.synchronous) writes.push(...revisionWrites(model, { contract, changes }));
    return { writes, drafts: all, shown, isPending: instant };
  }
  const memos = pending.map(() => ({}));
  const journal: Journal = { request: requestInfo.id, contract, changes: pending, done: 0, memos };
  if (lockPath) journal.lockPath = lockPath;
  const row = journalRow(journal, now);
  writes.push({ op: 'insert', table: 'journal', row });
  return { writes, drafts: all, shown, journal: { row, journal, rows }, isPending: true };
}

const isAt = (path: string, at: string): boolean =>
  path === at || (path.startsWith(at) && path.charCodeAt(at.length) === 0x2f);

const asChanged = (row: Row, { way, body = row.body, meta = row.meta, hidden = row.hidden }: Change): Row =>
  way === 'change' ? { ...row, body, meta, hidden } : row;

export const parts = (draft: Draft): Draft[] =>
  draft.children.length + draft.related.length === 0
    ? [draft]
    : [draft, ...draft.children.flatMap(parts), ...draft.related.flatMap(parts)];
const wayOf = (draft: Draft): Way => (draft.way === 'replace' ? 'change' : draft.way);

const hasInside = (model: Model, change: Change): boolean => model.children(model.get(change.kind)).length > 0;

function changeOf(draft: Draft, now: number): Change {
  const way = wayOf(draft);
  const change: Change = { kind: draft.resource.name, way, path: pathOf(draft) };
  if (way !== 'change') return change;
  const after = {
    body: JSON.stringify(draft.values),
    meta: changedBy(draft.before?.meta ?? '', draft.caller, now),
    hidden: hiddenText(draft.hidden, draft.reservations),
  };
  return { ...change, ...after, before: draft.before?.hidden ?? '', ...(draft.act && { act: draft.act }) };
}

export function hiddenText(hidden: Values, reservations: Reservations): string {
  const hasNone = isEmpty(reservations);
  if (hasNone && isBare(hidden)) return '';
  const { holds: _, ...rest } = hidden; // the name of reservations in rows
  if (hasNone) return isBare(rest) ? '' : JSON.stringify(rest);
  return JSON.stringify({ ...rest, holds: reservations });
}

// The parents must be unchanged since they were read.
const guards = (draft: Draft): Write[] =>
  draft.way === 'create' && draft.parents.length > 0
    ? draft.parents.map(({ contract, place, id, version }) => ({
        op: 'guard',
        table: 'resource',
        key: { contract, place, id },
        version,
      }))
    : [];

// The row while the operation is pending.
function pendingRow(draft: Draft, now: number, made: RowState): Row {
  const { before } = draft;
  if (!before) return fresh(draft, now, made);
  if (draft.way === 'remove') return { ...before, state: 'DELETING' satisfies RowState };
  const both = mergeReservations(reservationsOf(before), draft.reservations);
  const hidden = before.hidden ? (JSON.parse(before.hidden) as Values) : {};
  return { ...before, state: 'CHANGING' satisfies RowState, hidden: hiddenText(hidden, both) };
}

// The row when the operation ends with its acceptance.
function settled(draft: Draft, { body = '', meta = '', hidden = '' }: Change, now: number): Row {
  const { before } = draft;
  if (!before) return fresh(draft, now, 'AVAILABLE');
  if (draft.way === 'remove') return before;
  return { ...before, meta, body, hidden };
}

function rowWrites(
  writes: Write[],
  draft: Draft,
  row: Row,
  path: string,
  bounds: Bounds,
  lasting: boolean,
  now: number,
): void {
  const { before, resource, reservations } = draft;
  if (draft.way === 'remove') {
    if (lasting) writes.push({ op: 'update', table: 'resource', row });
    else writes.push(...removalWrites(resource, row, now));
    return;
  }
  const held = before ? reservationsOf(before) : nothing;
  if (!isEmpty(reservations)) writes.push(...reserveWrites(row, held, reservations, bounds));
  writes.push({ op: before ? 'update' : 'insert', table: 'resource', row });
  if (!lasting)
    writes.push(...releaseWrites(row, held, reservations), ...mark(resource, row.contract, path, draft.values, now));
}

const nothing = noReservations(); // never written to

// The parts' writes of other rows. Two parts may need the same write of one row, such as two NICs of their LAN.
function extraWritesOf(all: readonly Draft[]): Write[] {
  const first = all[0]?.extraWrites ?? [];
  if (all.length === 1) return first;
  const wanted = new Map<string, Write>();
  for (const write of all.flatMap(({ extraWrites }) => extraWrites)) {
    const key = keyOf(write);
    const other = wanted.get(key);
    if (!other || (other.op === 'guard' && write.op === 'update')) wanted.set(key, write);
    else if (write.op !== 'guard' && JSON.stringify(write) !== JSON.stringify(other))
      throw new Error(`two parts of one operation write ${key}`);
  }
  return [...wanted.values()];
}

function keyOf(write: Write): string {
  if (write.op === 'count' || write.op === 'append') return JSON.stringify(write);
  const { contract, place, id } = 'key' in write ? write.key : write.row;
  return `${write.table} ${contract} ${place}/${id}`;
}

// Rows without a declaration (a token below its user) have no reservations and are not metered.
export const removalWrites = (resource: Resource | undefined, row: Row, now: number): Write[] => [
  { op: 'remove', table: 'resource', key: row, version: row.version },
  ...releaseWrites(row, reservationsOf(row), noReservations()),
  ...(resource ? mark(resource, row.contract, pathOf(row), undefined, now) : []),
];

const fresh = (draft: Draft, now: number, state: RowState): Row =>
  rowOf({
    contract: draft.contract,
    place: draft.place,
    id: draft.id,
    kind: draft.resource.name,
    state,
    time: now,
    owner: draft.owner ?? draft.caller.user,
    meta: madeBy(draft.caller, draft.owner ?? draft.caller.user),
    body: JSON.stringify(draft.values),
    hidden: hiddenText(draft.hidden, draft.reservations),
  });

const words: Record<Way, string> = { create: 'create', change: 'update', remove: 'delete' };
const actionOf = (draft: Draft, way: Way): string => `${draft.resource.actions}.${draft.act ?? words[way]}`;
