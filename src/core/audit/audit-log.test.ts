// Windows, pages, retention and gathered reads of the audit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from '../../base/clock.ts';
import { until } from '../../testing/waiting.ts';
import { openWorkbench } from '../testing.ts';
import { activityPage, appendEntry, type Entry, pruneActivity, retentionMs } from './audit-log.ts';
import { ReadLog } from './read-log.ts';

const entry = (operation: string): Entry => ({
  type: 'Test',
  user: 'u',
  userId: 'u',
  address: '',
  host: '',
  service: '',
  method: '',
  uri: '',
  operation,
  resources: [],
});
const named = (rows: { body: string }[]) => rows.map((row) => (JSON.parse(row.body) as Entry).operation);
const always = { from: 0, to: Number.POSITIVE_INFINITY };

test('[ACT-05] pages and totals of a window come by arithmetic', async () => {
  await using bench = await openWorkbench([], () => undefined);
  const { store } = bench;
  for (let at = 0; at < 100; at++) await store.must([appendEntry(1, entry(`e${at}`), 1000 + at)]);
  await store.must([appendEntry(2, entry('other contract'), 5000)]);
  const page = await activityPage(store, 1, always, 0, 3);
  assert.deepEqual([page.total, named(page.rows)], [100, ['e99', 'e98', 'e97']]);
  const window = await activityPage(store, 1, { from: 1010, to: 1020 }, 8, 5);
  assert.deepEqual([window.total, named(window.rows)], [10, ['e11', 'e10']]);
  assert.deepEqual(await activityPage(store, 1, { from: 1010, to: 1010 }, 0, 5), { total: 0, rows: [] });
  assert.deepEqual(await activityPage(store, 1, { from: 2000, to: 3000 }, 0, 5), { total: 0, rows: [] });
  assert.deepEqual(await activityPage(store, 9, always, 0, 5), { total: 0, rows: [] });
  assert.equal((await activityPage(store, 1, { from: 1099, to: 9999 }, 0, 5)).total, 1);
});

test('[ACT-05] retention goes by whole days and keeps numbers and totals right', async () => {
  await using bench = await openWorkbench([], () => undefined);
  const { store } = bench;
  const day = 86_400_000;
  for (let at = 0; at < 10; at++) await store.must([appendEntry(1, entry(`e${at}`), at * day + 1)]);
  await pruneActivity(store, 1, retentionMs + 3 * day + 5);
  const page = await activityPage(store, 1, always, 0, 100);
  assert.deepEqual([page.total, page.rows.length, named(page.rows).at(-1)], [7, 7, 'e3']);
  await pruneActivity(store, 1, retentionMs + 100 * day);
  assert.equal((await activityPage(store, 1, always, 0, 100)).total, 0);
  const [id] = await store.must([appendEntry(1, entry('next'), 200 * day)]);
  assert.equal(id, '000000000011', 'numbers are never given twice');
});

test('[ACT-04] reads of a minute share an entry; past a thousand resources the rest share one', async () => {
  await using bench = await openWorkbench([], () => undefined);
  const { store, caller } = bench;
  const clock = createClock(0, () => 60_000 * 1000);
  const reads = new ReadLog(store, clock);
  const note = (resource: string) => reads.note(caller, 'here', 'datacenter_get', resource, () => entry(resource));
  for (let at = 0; at < 3; at++) note('a');
  await reads.flush();
  note('a');
  await reads.flush();
  const one = await activityPage(store, 1, always, 0, 10);
  assert.deepEqual([one.total, (JSON.parse(one.rows[0]?.body ?? '') as Entry).count], [1, 4]);
  clock.advance(60_000);
  for (let at = 0; at < 3000; at++) note(`r${at}`);
  await reads.flush();
  const many = await activityPage(store, 1, always, 0, 5000);
  assert.equal(many.total, 1 + 1000 + 1);
  const counts = many.rows.map((row) => (JSON.parse(row.body) as Entry).count ?? 0);
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    4 + 3000,
  );
});

test('[ACT-04] each refusal is a separate entry; a bounded number waits, and outlasts a store that can not write', async () => {
  await using bench = await openWorkbench([], () => undefined);
  const { store, caller } = bench;
  const reads = new ReadLog(
    store,
    createClock(0, () => 60_000 * 1000),
  );
  const refuse = (): void => reads.alone(caller, 'here', 'datacenter_create', '/datacenters', () => entry('refused'));
  const must = store.must.bind(store);
  store.must = () => Promise.reject(new Error('the disk is full'));
  for (let at = 0; at < 10_500; at++) refuse();
  await reads.flush();
  store.must = must;
  await reads.flush();
  await reads.flush();
  const page = await activityPage(store, 1, always, 0, 20_000);
  assert.equal(page.total, 10_000 + 1);
  const counts = page.rows.map((row) => (JSON.parse(row.body) as Entry).count);
  assert.deepEqual(
    counts.filter((count) => count !== undefined),
    [500],
  );
  refuse();
  refuse();
  await reads.flush();
  assert.equal((await activityPage(store, 1, always, 0, 0)).total, 10_000 + 3);
});

test('[ACT-04] a refusal is written by itself, soon', async () => {
  await using bench = await openWorkbench([], () => undefined);
  const { store, caller } = bench;
  const reads = new ReadLog(
    store,
    createClock(0, () => 60_000 * 1000),
  );
  reads.alone(caller, 'here', 'datacenter_create', '/datacenters', () => entry('refused'));
  const { total } = await until(
    'the refusal is in the log',
    () => activityPage(store, 1, always, 0, 0),
    (page) => page.total > 0,
  );
  assert.equal(total, 1);
});
