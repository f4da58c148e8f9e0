// The rows that transfers have written, complete or not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Row, rowOf, type WriteSet } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { typeNumbers } from '../records/types.ts';
import { hasTransferred, readTransferred, writeTransferred } from './transferred-rows.ts';

const { A, NS } = typeNumbers as { A: number; NS: number };
const zone = rowOf({ contract: 1, place: 'dns/secondaryzones@de-fra', id: 'z', kind: 'secondaryzone' });

// Stores inserted rows. `maxSets`: the zone is changed after this many write sets.
function memory(maxSets = Number.POSITIVE_INFINITY): { store: Store; rows: Map<string, Row> } {
  const rows = new Map<string, Row>();
  let sets = 0;
  const sorted = (): Row[] => [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const store = {
    async apply(writes: WriteSet) {
      if (++sets > maxSets) return { ok: false };
      for (const write of writes) {
        if (write.op === 'insert') rows.set(write.row.id, write.row);
        if (write.op === 'remove') rows.delete(write.key.id);
      }
      return { ok: true };
    },
    async *each() {
      yield* sorted();
    },
    async *pages() {
      yield sorted();
    },
  };
  return { store: store as unknown as Store, rows };
}

const recordsAt = (count: number, type: number, name: string) =>
  Array.from({ length: count }, (_, at) => ({
    id: String(at),
    name: at === count - 1 ? name : `n${at}.example.com`,
    type,
    ttl: 60,
    data: Buffer.from([at >> 8, at & 255]),
  }));

test('the records of the newest complete transfer count, and no others', async () => {
  const { store, rows } = memory();
  const has = (name: string): Promise<boolean> => hasTransferred(store, zone, NS, new Set([name]));
  assert.equal(await has('old.example.com'), false);
  assert.equal(await writeTransferred(store, zone, 1, recordsAt(1200, NS, 'old.example.com'), 1000), true);
  assert.deepEqual([await has('old.example.com'), await has('new.example.com')], [true, false]);
  assert.equal(await hasTransferred(store, zone, A, new Set(['old.example.com'])), false);
  const { store: other, rows: added } = memory();
  await writeTransferred(other, zone, 2, recordsAt(1200, NS, 'new.example.com'), 2000);
  const [first, ...others] = [...added.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  for (const row of [first, ...others.slice(0, 1)] as Row[]) rows.set(row.id, row);
  assert.deepEqual([await has('old.example.com'), await has('new.example.com')], [true, false], 'a row is missing');
  for (const row of others) rows.set(row.id, row);
  assert.deepEqual([await has('old.example.com'), await has('new.example.com')], [false, true]);
  assert.equal((await readTransferred(store, zone))?.serial, 2);
});

test('a transfer into a zone that is changed in the meantime is not reported as done', async () => {
  const { store } = memory(1);
  assert.equal(await writeTransferred(store, zone, 1, recordsAt(20_000, NS, 'a.example.com'), 1000), false);
  assert.equal(await readTransferred(store, zone), undefined);
});
