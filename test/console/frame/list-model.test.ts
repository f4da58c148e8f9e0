// Tests of a list: responses out of order, its filter and order in the address, and columns of extensions.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ListModel, pageSize } from '../../../console/resources/list-model.ts';
import type { Item, ResourceModel } from '../../../console/resources/model.ts';
import { until } from '../../../src/testing/waiting.ts';

const model = {
  prefix: '/cloudapi/v6',
  columns: ['name'],
  list: { query: [] },
  isPaged: true,
} as unknown as ResourceModel;

interface PageRequest {
  offset: number;
  limit: number;
  answer(): Promise<void>; // resolves when the follow-up calls have started
}

// A list whose calls are answered one by one.
function listOf(t: TestContext, count: number): { list: ListModel; requests: PageRequest[] } {
  const requests: PageRequest[] = [];
  t.mock.method(globalThis, 'fetch', (path: string) => {
    const { searchParams } = new URL(path, 'http://localhost');
    const [offset, limit] = [Number(searchParams.get('offset')), Number(searchParams.get('limit'))];
    const items = Array.from({ length: Math.max(0, Math.min(limit, count - offset)) }, (_, at) => ({
      id: String(offset + at),
      properties: { name: `web-${offset + at}` },
    }));
    const { promise, resolve } = Promise.withResolvers<object>();
    const answer = (): Promise<void> => {
      resolve({ ok: true, status: 200, text: async () => JSON.stringify({ items }) });
      return new Promise((done) => setImmediate(done));
    };
    requests.push({ offset, limit, answer });
    return promise;
  });
  return { list: new ListModel(model, '/ipblocks', new AbortController().signal), requests };
}

const shapesOf = (requests: readonly PageRequest[]): number[][] => requests.map(({ offset, limit }) => [offset, limit]);

test('a reload while another page is loading includes that page', async (t) => {
  const { list, requests } = listOf(t, 3 * pageSize);
  void list.reload();
  await requests[0]?.answer();
  void list.loadMore();
  void list.reload();
  void list.reload();
  for (const one of requests.slice(1)) await one.answer();
  const more = 2 * pageSize;
  assert.deepEqual(shapesOf(requests.slice(1)), [[pageSize, pageSize], ...[1, 2].map(() => [0, more])]);
  assert.equal(list.rows.value.length, more);
  void list.reload();
  assert.deepEqual(shapesOf(requests.slice(-1)), [[0, more]]);
});

test('sorting loads all rows, also during a reload', async (t) => {
  const { list, requests } = listOf(t, 3 * pageSize);
  void list.reload();
  const sorted = list.sortBy('name'); // before the first page is loaded
  await requests[0]?.answer();
  await requests[1]?.answer();
  void list.reload(); // while the third page is loading
  for (const one of requests.slice(2)) await one.answer();
  while (list.isLoading.value) await requests.at(-1)?.answer();
  await sorted;
  assert.deepEqual([list.rows.value.length, list.isComplete.value, list.note.value], [3 * pageSize, true, '']);
});

test('the address keeps the filter and the order, which a new list begins with', async (t) => {
  const { list, requests } = listOf(t, 3);
  list.begin(new URLSearchParams('filter=web&sort=-name'));
  const loading = list.reload();
  await requests[0]?.answer();
  await loading;
  assert.deepEqual(
    list.shown.value.map(({ id }) => id),
    ['2', '1', '0'],
  );
  const kept: object[] = [];
  list.onChange = () => kept.push(list.query);
  list.setFilter('web-1');
  await list.sortBy('name');
  assert.deepEqual(kept, [
    { filter: 'web-1', sort: '-name' },
    { filter: 'web-1', sort: '' },
  ]);
  assert.deepEqual(
    list.shown.value.map(({ id }) => id),
    ['1'],
  );
});

test('rows with more than their properties come from one call, and names from one more', async (t) => {
  const paths: string[] = [];
  const rows = ['b', 'a', 'c'].map((image, at) => ({ id: String(at), properties: { image } }));
  const names = [
    { id: 'a', properties: { name: 'Ubuntu' } },
    { id: 'b', properties: { name: 'Debian' } },
  ];
  t.mock.method(globalThis, 'fetch', async (path: string) => {
    paths.push(path.replace(/&offset.*limit=\d+/, ''));
    const items = path.startsWith('/console/across') ? rows : names;
    return { ok: true, status: 200, text: async () => JSON.stringify({ items }) };
  });
  const textOf = ({ properties }: Item): string => String(properties.image);
  const list = new ListModel(
    { ...model, isListedAcross: true },
    '/datacenters/D/servers',
    new AbortController().signal,
    {
      shows: ['image', 'nics.ips'],
      columns: ['name', { key: 'image', value: (item, known) => known.get(textOf(item)) ?? textOf(item) }],
      names: { at: () => ['/images-of-this-test'], of: (item) => [textOf(item)] },
    },
  );
  await list.reload();
  await until(
    'the names are loaded',
    () => list.names.size,
    (size) => size === 2,
  );
  await list.sortBy('image');
  assert.deepEqual(list.shown.value.map(textOf), ['c', 'b', 'a'], 'by name, and by id without one');
  await list.reload();
  const own = '/console/across/datacenters/D/servers?depth=1&show=image%2Cnics.ips';
  assert.deepEqual([...new Set(paths)], [own, '/images-of-this-test']);
  assert.equal(paths.length, 4, 'the unknown id asks once more, and later calls do not');
});
