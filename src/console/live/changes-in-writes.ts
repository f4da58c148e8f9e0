// Converts a write to changes: of rows, requests, the targets of links and operations, and undeclared resources.
import { requestPlace } from '../../core/operation/request.ts';
import type { Row, Table, Write } from '../../core/state/engine.ts';
import type { What } from './change-batches.ts';

export interface PathChange {
  contract: number;
  path: string; // in the state
  what: What;
  row?: Row | undefined;
}

export type ChangesIn = (write: Write) => readonly PathChange[];

// `undeclared` lists the tables and places of undeclared resources. A guard of such a row means that its contents
// change.
export const changesInWrites =
  (undeclared: () => readonly { table: Table; place: string }[]): ChangesIn =>
  (write) => {
    if (write.op === 'count' || write.op === 'append') return [];
    const key = 'row' in write ? write.row : write.key;
    const { contract, place, id } = key;
    const row = rowIn(key);
    if (write.op !== 'guard') {
      const what = words[write.op];
      if (write.table === 'resource') return [{ contract, path: `${place}/${id}`, what, row }];
      if (write.table === 'request') return [{ contract, path: `${requestPlace}/${id}`, what, row }];
      if (write.table === 'link') return [{ contract, path: place.slice(0, place.indexOf(' ')), what: 'changed' }];
      if (write.table === 'journal') return ofOperation(write.op, contract, place, id);
    }
    const isUndeclared = undeclared().some((one) => one.table === write.table && one.place === place);
    return isUndeclared ? [{ contract, path: `${place}/${id}`, what: words[write.op], row }] : [];
  };

// An operation makes the resource BUSY, and its end makes it AVAILABLE, even if the row is not written.
function ofOperation(op: keyof typeof words, contract: number, path: string, request: string): PathChange[] {
  if (op === 'update') return [];
  const busy: PathChange = { contract, path, what: 'changed' };
  return op === 'insert' ? [busy] : [busy, { contract, path: `${requestPlace}/${request}`, what: 'changed' }];
}

const words: Record<'insert' | 'update' | 'remove' | 'guard', What> = {
  insert: 'made',
  update: 'changed',
  remove: 'removed',
  guard: 'changed',
};

// Most removals contain the row that they have read instead of only its key.
const rowIn = (key: object): Row | undefined => ('owner' in key ? (key as Row) : undefined);
