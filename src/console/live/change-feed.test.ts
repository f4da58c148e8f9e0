// Tests how the feed converts write sets to changes: kinds and paths, one change per path and batch, and a limit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Key, type Row, rowOf, type WriteSet } from '../../core/state/engine.ts';
import type { Batch } from './change-batches.ts';
import { ChangeFeed } from './change-feed.ts';
import { changesInWrites } from './changes-in-writes.ts';

function openFeed(): { feed: ChangeFeed; apply(writes: WriteSet): void } {
  const followers: ((writes: WriteSet) => void)[] = [];
  const undeclared = [{ table: 'object', place: 'buckets' }] as const;
  const store = { follow: (follower: (writes: WriteSet) => void) => void followers.push(follower) };
  const feed = new ChangeFeed(
    store,
    changesInWrites(() => undeclared),
  );
  return {
    feed,
    apply: (writes) => {
      for (const follower of followers) follower(writes);
    },
  };
}

const next = (feed: ChangeFeed, contract: number): Promise<Batch> =>
  new Promise((resolve) => {
    const stop = feed.listen(contract, (batch) => {
      stop();
      resolve(batch);
    });
  });

const row = (place: string, id: string, contract = 1): Row => rowOf({ contract, place, id, owner: 'somebody' });
const changesIn = ({ changes }: Batch): unknown =>
  changes === 'all' ? changes : [...changes].map(([path, { what, row }]) => [what, path, row?.owner ?? '']);

test('rows, requests, links and the journal become changes of paths, each once in a batch', async () => {
  const { feed, apply } = openFeed();
  const batch = next(feed, 1);
  const key: Key = { contract: 1, place: 'datacenters', id: 'gone' };
  apply([
    { op: 'guard', table: 'resource', key, version: 1 },
    { op: 'count', contract: 1, name: 'servers', add: 1 },
    { op: 'append', table: 'activity', row: row('activity', '') },
    { op: 'insert', table: 'resource', row: row('datacenters', 'D') },
    { op: 'insert', table: 'resource', row: row('datacenters', 'X', 2) },
    { op: 'insert', table: 'request', row: row('requests', 'R') },
    { op: 'insert', table: 'journal', row: row('datacenters/D', 'R') },
    { op: 'insert', table: 'link', row: row('datacenters/D/servers/S > boot', 'volumes/V') },
  ]);
  apply([
    { op: 'update', table: 'resource', row: row('datacenters', 'D') },
    { op: 'update', table: 'journal', row: row('datacenters/D', 'R') },
    { op: 'remove', table: 'journal', key: { contract: 1, place: 'datacenters/D', id: 'R' } },
    { op: 'remove', table: 'resource', key, loose: true },
    { op: 'remove', table: 'resource', key: row('datacenters', 'known'), loose: true },
    { op: 'remove', table: 'journal', key: { contract: 1, place: 'datacenters/known', id: 'R' } },
  ]);
  assert.deepEqual(changesIn(await batch), [
    ['made', 'datacenters/D', 'somebody'],
    ['made', 'requests/R', 'somebody'],
    ['changed', 'datacenters/D/servers/S', ''],
    ['removed', 'datacenters/gone', ''],
    ['removed', 'datacenters/known', 'somebody'],
  ]);
});

test('rows of undeclared resources are changes, and their guards mean changed contents', async () => {
  const { feed, apply } = openFeed();
  const batch = next(feed, 1);
  const bucket = (id: string): Row => row('buckets', id);
  apply([
    { op: 'insert', table: 'object', row: bucket('made') },
    { op: 'guard', table: 'object', key: bucket('filled'), version: 1 },
    { op: 'insert', table: 'object', row: row('0198/objects', 'a.txt') },
    { op: 'remove', table: 'object', key: bucket('gone') },
    { op: 'insert', table: 'claim', row: row('buckets', 'made') },
  ]);
  assert.deepEqual(changesIn(await batch), [
    ['made', 'buckets/made', 'somebody'],
    ['changed', 'buckets/filled', 'somebody'],
    ['removed', 'buckets/gone', 'somebody'],
  ]);
});

test('a batch of more than a thousand changes becomes `all`; the next batch lists changes again', async () => {
  const { feed, apply } = openFeed();
  const first = next(feed, 1);
  const rows = Array.from({ length: 1001 }, (_, at) => row('datacenters', String(at)));
  apply(rows.map((one) => ({ op: 'insert', table: 'resource', row: one })));
  assert.equal(changesIn(await first), 'all');
  const second = next(feed, 1);
  apply([{ op: 'insert', table: 'resource', row: row('datacenters', 'D') }]);
  assert.deepEqual(changesIn(await second), [['made', 'datacenters/D', 'somebody']]);
});

test('nothing is stored while the contract has no listeners', async () => {
  const { feed, apply } = openFeed();
  apply([{ op: 'insert', table: 'resource', row: row('datacenters', 'before') }]);
  const batch = next(feed, 1);
  apply([{ op: 'insert', table: 'resource', row: row('datacenters', 'D') }]);
  assert.deepEqual(changesIn(await batch), [['made', 'datacenters/D', 'somebody']]);
  assert.deepEqual(feed.contracts, []);
});
