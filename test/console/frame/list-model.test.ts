// Tests of a list whose responses arrive out of order.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ListModel, pageSize } from '../../../console/resources/list-model.ts';
import type { ResourceModel } from '../../../console/resources/model.ts';

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
