// A map by texts against a Map, over random changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextMap } from './text-map.ts';

test('holds what a Map holds, after any changes', () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((seed / 0x80000000) * below);
  };
  for (const different of [3, 40, 3000]) {
    const [ours, model] = [new TextMap<number>(), new Map<string, number>()];
    for (let count = 0; count < 20_000; count++) {
      const key = `datacenters/${random(different)}/lans`;
      if (random(3) === 0) assert.equal(ours.delete(key), model.delete(key));
      else {
        ours.set(key, count);
        model.set(key, count);
      }
      if (random(5000) === 0) {
        ours.clear();
        model.clear();
      }
      const other = `datacenters/${random(different)}/lans`;
      assert.equal(ours.get(other), model.get(other));
      assert.equal(ours.size, model.size);
    }
    for (const [key, value] of model) assert.equal(ours.get(key), value);
  }
});

test('takes texts of any kind', () => {
  const map = new TextMap<string>();
  for (const key of ['', ' ', 'größe', '\ud83d\ude00', '__proto__', 'a'.repeat(10_000)]) map.set(key, key);
  for (const key of ['', ' ', 'größe', '\ud83d\ude00', '__proto__', 'a'.repeat(10_000)])
    assert.equal(map.get(key), key);
  assert.equal(map.get('constructor'), undefined);
});

test('adds only what is not there, and gives away what it takes', () => {
  const map = new TextMap<number>();
  assert.equal(map.add('a', 1), undefined);
  assert.equal(map.add('a', 2), 1);
  assert.equal(map.get('a'), 1);
  assert.equal(map.take('a'), 1);
  assert.equal(map.take('a'), undefined);
  assert.equal(map.size, 0);
});
