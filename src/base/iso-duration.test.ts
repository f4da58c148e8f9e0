// Durations as ISO 8601 and Go write them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationMs, isoDuration } from './iso-duration.ts';

test('durations of ISO 8601 are read, and other texts are refused', () => {
  assert.deepEqual(
    ['PT2M', 'PT24H', 'P1D', 'P1W', 'PT1H30M', 'PT1.5S', 'P1DT1S', 'PT0S'].map(durationMs),
    [120_000, 86_400_000, 86_400_000, 604_800_000, 5_400_000, 1500, 86_401_000, 0],
  );
  for (const text of ['', 'P', 'PT', 'P1DT', 'P1M', 'P1Y', '5m', 'pt5m', 'PT5', 'PT-5M', ' PT5M'])
    assert.equal(durationMs(text), undefined, text);
});

test('durations as Go writes them become those of ISO 8601, and other texts stay', () => {
  const written = ['5m', '120s', '1h30m', '2h', 'PT5M', 'soon', ''].map(isoDuration);
  assert.deepEqual(written, ['PT5M', 'PT120S', 'PT1H30M', 'PT2H', 'PT5M', 'soon', '']);
});
