// What the state of an alert rule means, in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, meaningOf } from './alert.ts';

test('[TOOLS-02] a rule that was not evaluated yet is not called inactive', () => {
  const condition = conditionOf('orders > 10');
  assert.match(meaningOf({ state: 'inactive', health: 'unknown', duration: 0 }, condition), /not evaluated yet/);
  assert.match(meaningOf({ state: 'inactive', health: 'ok', duration: 0 }, condition), /^It is inactive: orders > 10/);
  assert.match(meaningOf({ state: 'pending', health: 'ok', duration: 60 }, condition), /not yet for 60 seconds/);
});
