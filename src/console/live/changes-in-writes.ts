// What a write tells of: rows, requests, what links and operations belong to, and things that are no resources.
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

// `things`: where rows of things stand that are no resources. A guard of such a row tells that what is in it changes.
export const changesInWrites =
  (things: () => readonly { table: Table; place: string }[]): ChangesIn =>
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
    const isThing = things().some((one) => one.table === write.table && one.place === place);
    return isThing ? [{ contract, path: `${place}/${id}`, what: words[write.op], row }] : [];
  };

// With an operation the resource becomes BUSY, with its end AVAILABLE, whether its row is written or not.
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

// Most removals hand over the row that they have read instead of its key alone.
const rowIn = (key: object): Row | undefined => ('owner' in key ? (key as Row) : undefined);
