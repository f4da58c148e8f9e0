// The feed of requests: the past requests that it keeps, and the subscribers that get new ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RequestEntry, RequestFeed } from './request-feed.ts';

const entry = (path: string): RequestEntry => ({
  time: 0,
  method: 'GET',
  path,
  status: 200,
  ms: 1,
  operation: 'x',
  address: '127.0.0.1',
});

test('the last requests are kept, oldest first, and watchers get those that come', () => {
  const feed = new RequestFeed(3);
  assert.deepEqual(feed.last(5), []);
  const seen: string[] = [];
  const leave = feed.watch(({ path }) => seen.push(path));
  for (const path of ['a', 'b', 'c', 'd']) feed.add(entry(path));
  leave();
  feed.add(entry('e'));
  const paths = (count: number): string[] => feed.last(count).map(({ path }) => path);
  assert.deepEqual(paths(5), ['c', 'd', 'e']);
  assert.deepEqual(paths(2), ['d', 'e']);
  assert.deepEqual(paths(0), []);
  assert.deepEqual(seen, ['a', 'b', 'c', 'd']);
});
