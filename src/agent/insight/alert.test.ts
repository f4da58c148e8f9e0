// How the state of an alert rule is explained.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, meaningOf } from './alert.ts';

test('[TOOLS-02] a rule that was not evaluated yet is not called inactive', () => {
  const condition = conditionOf('orders > 10');
  assert.match(meaningOf({ state: 'inactive', health: 'unknown', duration: 0 }, condition), /not evaluated yet/);
  assert.match(meaningOf({ state: 'inactive', health: 'ok', duration: 0 }, condition), /^It is inactive: orders > 10/);
  assert.match(meaningOf({ state: 'pending', health: 'ok', duration: 60 }, condition), /not yet for 60 seconds/);
});

test('[TOOLS-02] the limit of one of several conditions is not reported as the limit of the alert', () => {
  for (const joined of ['up == 0 or orders > 10', 'up and on (job) orders > 10', 'a > 5 AND b unless c < 1'])
    assert.equal(conditionOf(joined), undefined, joined);
  for (const [query, left] of [
    ['(up or sum by (job) (down)) > 10', '(up or sum by (job) (down))'],
    ['rate(orders{shop="a and b"}[5m]) > 10', 'rate(orders{shop="a and b"}[5m])'],
    ['job:or:sum > 10', 'job:or:sum'],
  ] as const)
    assert.deepEqual(conditionOf(query), { left, comparison: '>', threshold: 10 });
});
