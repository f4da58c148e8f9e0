// A migration of the audit table. Up to schema version 5 entries of one commit could share a row, a run: it had the key
// of its last entry, the time of its first, minus the number of entries as its version, and a text that began with a
// special mark. Afterwards each entry has its own row.
import type { DatabaseSync } from 'node:sqlite';
import { appendedId } from '../engine.ts';
import { damaged } from './faults.ts';
import { mark, type PackedRow } from './rows.ts';

const runMark = '\x01';
const batchRows = 1000;
const entryForm = /^(\d{1,15}) (.*)$/; // milliseconds after the first, and its meta

export function unpackRuns(db: DatabaseSync): void {
  const select = db.prepare(`SELECT contract, place, id, version, time, rest FROM activity
    WHERE version < 0 AND (contract, place, id) > (?, ?, ?) ORDER BY contract, place, id LIMIT ${batchRows}`);
  select.setReturnArrays(true);
  const remove = db.prepare('DELETE FROM activity WHERE contract = ? AND place = ? AND id = ?');
  const insert = db.prepare(
    'INSERT INTO activity (contract, place, id, version, time, rest) VALUES (?, ?, ?, ?, ?, ?)',
  );
  let last: [number, string, string] = [-1, '', ''];
  for (;;) {
    const runs = select.all(...last) as unknown as PackedRow[];
    for (const run of runs) {
      last = [run[0], run[1], run[2]];
      remove.run(...last);
      for (const entry of entriesOf(run)) insert.run(...entry);
    }
    if (runs.length < batchRows) return;
  }
}

function entriesOf([contract, place, id, version, time, rest]: PackedRow): PackedRow[] {
  const [kind = '', state = '', owner = '', ...texts] = rest.slice(runMark.length).split(mark);
  const first = Number(id) - texts.length + 1;
  if (!rest.startsWith(runMark) || texts.length !== -version || !(first > 0)) throw damaged(place, id);
  return texts.map((text, at) => {
    const found = entryForm.exec(text);
    if (!found) throw damaged(place, id);
    const [, offset, meta] = found;
    const parts = [kind, state, owner, '', meta, '']; // nothing hidden, no body
    return [contract, place, appendedId(first + at), 1, time + Number(offset), parts.join(mark)];
  });
}
