// An operation ends and is polled. It is accepted by one write set: the rows in their passing state, what they
// take, the request, the journal and the audit entry, synced before the 202 leaves. What it will write when it
// ends well or badly is data in the journal, so a restart can finish it without asking anybody.
import type { Values } from '../base/json.ts';
import { appendEntry, appendRequest, entryOf } from './activity.ts';
import { type Bounds, give, type Holds, holdsOf, isEmpty, noHolds, take, union } from './holds.ts';
import { mark } from './meter.ts';
import type { Model } from './model.ts';
import { type Asked, requestRow, type Target } from './request.ts';
import { type Draft, pathOf, type Resource, type Step } from './resource.ts';
import { revisionWrites } from './revisions.ts';
import { changedBy, madeBy } from './stamps.ts';
import { type Row, rowOf, type Write } from './state/engine.ts';

// The states of a row. One that is being created is AVAILABLE already and has a journal, or is CHANGING where the
// journal stands at something else; clients see all but an AVAILABLE row without a journal as BUSY.
export type RowState = 'CHANGING' | 'DELETING' | 'AVAILABLE';
export type Way = 'create' | 'change' | 'remove';

// One resource's part of an operation, as the journal keeps it.
export interface Change {
  kind: string;
  way: Way;
  path: string;
  act?: string; // of a change: what it is done by
  body?: string; // of a change: after it
  meta?: string; // of a change: after it
  hidden?: string; // of a change: after it
  before?: string; // of a change: what stood hidden before it
}

export interface Journal {
  request: string;
  contract: number;
  changes: Change[];
  done: number; // steps of all changes, in their order
  memos: Values[]; // one for each change
  failed?: string; // the message; from then on steps are undone
  stands?: string; // where it stands, when not at the first change
}

// An operation on its way; `rows` are those it has just written, where this process did that.
export interface Started {
  row: Row;
  journal: Journal;
  rows?: Row[];
}

export interface Accepted {
  writes: Write[];
  drafts: readonly Draft[]; // all parts of it, that which was asked for first
  shown: readonly Row[]; // each as an answer shows it: with the values it will have
  journal?: Started; // absent: nothing is left to do
  wasInstant: boolean; // its steps had no work, and no time to take
}

// `isInstant` tells whether steps take neither work nor time: then it has ended when it is accepted.
export function accept(
  model: Model,
  drafts: Draft,
  asked: Asked,
  bounds: Bounds,
  now: number,
  sentBody: string,
  isInstant: (changes: readonly Change[]) => boolean = () => false,
): Accepted {
  const all = parts(drafts);
  const changes = all.map((draft) => changeOf(draft, now));
  const steps = changes.reduce((sum, change) => sum + stepsOf(model, change).length, 0);
  const wasInstant = steps > 0 && changes.every(({ way }) => way !== 'remove') && isInstant(changes);
  const lasting =
    (steps > 0 && !wasInstant) || changes.some((change) => change.way === 'remove' && hasInside(model, change));
  const at = drafts.stands ?? pathOf(drafts);
  const isAt = (path: string): boolean => path.startsWith(at) && (path.length === at.length || path[at.length] === '/');
  const rows = all.map((draft) =>
    lasting ? passing(draft, now, isAt(pathOf(draft)) ? 'AVAILABLE' : 'CHANGING') : settled(draft, now),
  );
  const writes: Write[] = [...guards(drafts), ...besides(all)];
  for (const [at, draft] of all.entries()) writes.push(...rowWrites(draft, rows[at] as Row, bounds, lasting, now));
  const targets = all.map(
    (draft): Target => ({
      kind: draft.resource.name,
      path: pathOf(draft),
      action: actionOf(draft),
    }),
  );
  const request = requestRow(asked, targets, sentBody, now, drafts.stands);
  if (drafts.resource.synchronous) {
    writes.push(appendEntry(asked.caller.contract, entryOf(asked, 'Provision', targets), now));
  } else writes.push({ op: 'insert', table: 'request', row: request }, appendRequest(request));
  const shown = rows.map((row, at) => asChanged(row, changes[at] as Change));
  if (!lasting) {
    if (!drafts.resource.synchronous) writes.push(...revisionWrites(model, { contract: drafts.contract, changes }));
    return { writes, drafts: all, shown, wasInstant };
  }
  const memos = changes.map(() => ({}));
  const { contract, stands } = drafts;
  const journal: Journal = { request: asked.id, contract, changes, done: 0, memos, ...(stands && { stands }) };
  const row = journalRow(journal, now);
  writes.push({ op: 'insert', table: 'journal', row });
  return { writes, drafts: all, shown, wasInstant, journal: { row, journal, rows } };
}

const asChanged = (row: Row, { way, body = row.body, meta = row.meta, hidden = row.hidden }: Change): Row =>
  way === 'change' ? { ...row, body, meta, hidden } : row;

// A journal that tells no more than its row does (one thing is made or goes, no step is done) has no body.
export function journalRow(journal: Journal, time: number): Row {
  const { request, contract, changes, stands } = journal;
  const { kind, way, path } = changes[0] as Change;
  const body = stands !== undefined || changes.length > 1 || way === 'change' ? JSON.stringify(journal) : '';
  return rowOf({ contract, place: stands ?? path, id: request, kind: way, state: kind, time, body });
}

export function journalOf({ contract, place, id, kind, state, body }: Row): Journal {
  if (body !== '') return JSON.parse(body) as Journal;
  return { request: id, contract, changes: [{ kind: state, way: kind as Way, path: place }], done: 0, memos: [{}] };
}

// The word that the audit and the lab's faults know it by.
export const wordOf = ({ way, act }: Change): string => act ?? way;

export function stepsOf(model: Model, { kind, way, act }: Change): readonly Step[] {
  const resource = model.get(kind);
  return act === undefined ? resource[way] : (resource.acts[act]?.steps ?? []);
}

export const parts = (draft: Draft): Draft[] =>
  draft.children.length + draft.beside.length === 0
    ? [draft]
    : [draft, ...draft.children.flatMap(parts), ...draft.beside.flatMap(parts)];
const wayOf = (draft: Draft): Way => (draft.way === 'replace' ? 'change' : draft.way);

const hasInside = (model: Model, change: Change): boolean => model.children(model.get(change.kind)).length > 0;

function changeOf(draft: Draft, now: number): Change {
  const change: Change = { kind: draft.resource.name, way: wayOf(draft), path: pathOf(draft) };
  if (change.way !== 'change') return change;
  const after = {
    body: JSON.stringify(draft.values),
    meta: changedBy(draft.before?.meta ?? '', draft.caller, now),
    hidden: hiddenText(draft.hidden, draft.holds),
  };
  return { ...change, ...after, before: draft.before?.hidden ?? '', ...(draft.act && { act: draft.act }) };
}

export function hiddenText(hidden: Values, holds: Holds): string {
  const { holds: _, ...rest } = hidden;
  if (isEmpty(holds)) return Object.keys(rest).length ? JSON.stringify(rest) : '';
  return JSON.stringify({ ...rest, holds });
}

// Whoever is above must still be as it was read: not deleted, not changed meanwhile.
const guards = (draft: Draft): Write[] =>
  draft.way === 'create'
    ? draft.parents.map(({ contract, place, id, version }) => ({
        op: 'guard',
        table: 'resource',
        key: { contract, place, id },
        version,
      }))
    : [];

// The row while the operation is under way.
function passing(draft: Draft, now: number, made: RowState): Row {
  const { before } = draft;
  if (!before) return { ...fresh(draft, now), state: made };
  if (draft.way === 'remove') return { ...before, state: 'DELETING' satisfies RowState };
  const both = union(holdsOf(before), draft.holds);
  const hidden = before.hidden ? (JSON.parse(before.hidden) as Values) : {};
  return { ...before, state: 'CHANGING' satisfies RowState, hidden: hiddenText(hidden, both) };
}

// The row when there is nothing left to do.
function settled(draft: Draft, now: number): Row {
  const { before } = draft;
  if (!before) return fresh(draft, now);
  if (draft.way === 'remove') return before;
  const { body = '', meta = '', hidden = '' } = changeOf(draft, now);
  return { ...before, meta, body, hidden };
}

function rowWrites(draft: Draft, row: Row, bounds: Bounds, lasting: boolean, now: number): Write[] {
  const { before, resource } = draft;
  const held = before ? holdsOf(before) : noHolds();
  const path = pathOf(row);
  if (draft.way === 'remove')
    return lasting ? [{ op: 'update', table: 'resource', row }] : removalWrites(resource, row, now);
  const writes = take(row, held, draft.holds, bounds);
  writes.push({ op: before ? 'update' : 'insert', table: 'resource', row });
  if (!lasting) writes.push(...give(row, held, draft.holds), ...mark(resource, row.contract, path, draft.values, now));
  return writes;
}

// What the parts want of rows beside them. Two of them may want the same of one, such as two NICs of their LAN.
function besides(all: readonly Draft[]): Write[] {
  const first = all[0]?.also ?? [];
  if (all.length === 1) return first;
  const wanted = new Map<string, Write>();
  for (const write of all.flatMap(({ also }) => also)) {
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

// Rows that are no declared resource (a token below its user) hold nothing and are not metered.
export const removalWrites = (resource: Resource | undefined, row: Row, now: number): Write[] => [
  { op: 'remove', table: 'resource', key: row, version: row.version },
  ...give(row, holdsOf(row), noHolds()),
  ...(resource ? mark(resource, row.contract, pathOf(row), undefined, now) : []),
];

const fresh = (draft: Draft, now: number): Row =>
  rowOf({
    contract: draft.contract,
    place: draft.place,
    id: draft.id,
    kind: draft.resource.name,
    state: 'AVAILABLE' satisfies RowState,
    time: now,
    owner: draft.owner ?? draft.caller.user,
    meta: madeBy(draft.caller, draft.owner ?? draft.caller.user),
    body: JSON.stringify(draft.values),
    hidden: hiddenText(draft.hidden, draft.holds),
  });

const actionOf = (draft: Draft): string => {
  const word = draft.act ?? { create: 'create', change: 'update', remove: 'delete' }[wayOf(draft)];
  return `${draft.resource.actions}.${word}`;
};
