// The journal row of an accepted operation. The writes of its commit and of its abort are in it as data, so a restart
// can finish it without any other source.
import type { Values } from '../../base/json.ts';
import type { Model } from '../model.ts';
import type { Step } from '../resource.ts';
import { type Row, rowOf } from '../state/engine.ts';

// The states of a row. One that is being created is AVAILABLE already and has a journal, or is CHANGING where the
// journal locks something else. Clients see everything as BUSY but an AVAILABLE row without a journal.
export type RowState = 'CHANGING' | 'DELETING' | 'AVAILABLE';
export type Way = 'create' | 'change' | 'remove';

// One resource's part of an operation, as the journal keeps it.
export interface Change {
  kind: string;
  way: Way;
  path: string;
  act?: string; // of a change: the name of the action
  body?: string; // of a change: after it
  meta?: string; // of a change: after it
  hidden?: string; // of a change: after it
  before?: string; // of a change: the hidden part before it
}

export interface Journal {
  request: string;
  contract: number;
  changes: Change[];
  done: number; // steps of all changes, in their order
  memos: Values[]; // one for each change
  failed?: string; // the message; from then on steps are undone
  lockPath?: string; // the path that it locks, if not that of the first change
}

// A journal row of one creation or removal without progress needs no body, because its columns have everything.
export function journalRow(journal: Journal, time: number): Row {
  const { request, contract, changes, lockPath } = journal;
  const { kind, way, path } = changes[0] as Change;
  const body = lockPath !== undefined || changes.length > 1 || way === 'change' ? JSON.stringify(journal) : '';
  return rowOf({ contract, place: lockPath ?? path, id: request, kind: way, state: kind, time, body });
}

export function journalOf({ contract, place, id, kind, state, body }: Row): Journal {
  if (body !== '') {
    const { stands: formerLockPath, ...journal } = JSON.parse(body) as Journal & { stands?: string };
    return formerLockPath === undefined ? journal : { ...journal, lockPath: formerLockPath };
  }
  return { request: id, contract, changes: [{ kind: state, way: kind as Way, path: place }], done: 0, memos: [{}] };
}

// The name of the operation in the audit and in planted faults.
export const wordOf = ({ way, act }: Change): string => act ?? way;

export function stepsOf(model: Model, { kind, way, act }: Change): readonly Step[] {
  const resource = model.get(kind);
  return act === undefined ? resource.lifecycle[way] : (resource.lifecycle.acts[act]?.steps ?? []);
}
