// Ids in their order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUuid, uuid } from './ids.ts';

test('ids are UUIDv7 and strictly increase, also when the clock stops or goes back', () => {
  const ids: string[] = [];
  for (let at = 0; at < 300_000; at++) ids.push(uuid(1_800_000_000_000));
  for (let at = 0; at < 1000; at++) ids.push(uuid(1_700_000_000_000));
  for (let at = 0; at < 1000; at++) ids.push(uuid(1_800_000_005_000 + at));
  for (let at = 1; at < ids.length; at++)
    assert.ok((ids[at] ?? '') > (ids[at - 1] ?? ''), `${ids[at - 1]} before ${ids[at]}`);
  for (const id of [ids[0], ids.at(-1)])
    assert.match(id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('the first 48 bits are the time', () => {
  const id = uuid(2_000_000_000_000);
  assert.equal(Number.parseInt(id.slice(0, 13).replace('-', ''), 16), 2_000_000_000_000);
});

test('only a lower-case UUID is valid', () => {
  assert.ok(isUuid(uuid()));
  for (const text of ['', 'x', uuid().toUpperCase(), `${uuid()} `, `${uuid()}\n`]) assert.ok(!isUuid(text), text);
});
