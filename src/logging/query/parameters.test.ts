// Times as clients of Loki send them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from './parameters.ts';

test('times are seconds, nanoseconds or dates; anything else is invalid', () => {
  assert.equal(parseTime('1.5'), 1_500_000_000n);
  assert.equal(parseTime('1700000000'), 1_700_000_000_000_000_000n);
  assert.equal(parseTime('1700000000000000001'), 1_700_000_000_000_000_001n);
  assert.equal(parseTime('1970-01-01T00:00:01.000000002Z'), 1_000_000_002n);
  for (const text of ['', 'now', '1.0e999', '-1.0e999', '1970-13-01T00:00:00Z'])
    assert.equal(parseTime(text), undefined);
});
