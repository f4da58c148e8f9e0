// Journal rows and request rows, also those of earlier versions, where the lock path had another name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowOf } from '../state/engine.ts';
import { type Journal, journalOf, journalRow } from './journal.ts';
import { requestHidden } from './request.ts';

const journal: Journal = {
  request: 'R',
  contract: 1,
  changes: [{ kind: 'volume', way: 'change', path: 'datacenters/D/volumes/V', act: 'attach', body: '{}' }],
  done: 0,
  memos: [{}],
  lockPath: 'datacenters/D/servers/S/volumes/V',
};

test('a journal is read as it was written', () => {
  const row = journalRow(journal, 5);
  assert.equal(row.place, journal.lockPath);
  assert.deepEqual(journalOf(row), journal);
  const { lockPath: _, ...plain } = { ...journal, changes: [{ kind: 'lan', way: 'create' as const, path: 'lans/1' }] };
  const bare = journalRow(plain, 5);
  assert.equal(bare.body, '', 'the row has everything');
  assert.deepEqual(journalOf(bare), plain);
});

test('the lock path of earlier versions is read', () => {
  const { lockPath, ...rest } = journal;
  const row = { ...journalRow(journal, 5), body: JSON.stringify({ ...rest, stands: lockPath }) };
  assert.deepEqual(journalOf(row), journal);
  const hidden = JSON.stringify({ targets: [], stands: lockPath });
  const request = requestHidden(rowOf({ contract: 1, place: 'requests', id: 'R', hidden }));
  assert.equal(request.lockPath, lockPath);
  assert.ok(!('stands' in request));
});
