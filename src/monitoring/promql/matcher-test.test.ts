// Matchers of equality and of regular expressions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matcherTest } from './matcher-test.ts';

test('an equality matcher needs no expression', () => {
  assert.ok(matcherTest({ name: 'a', op: '=', value: '(' })('('));
  assert.ok(matcherTest({ name: 'a', op: '!=', value: '(' })(''));
  assert.ok(matcherTest({ name: 'a', op: '!~', value: 'x+' })('y'));
});
