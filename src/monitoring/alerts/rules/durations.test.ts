// Durations in the syntax of Prometheus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, parseDuration } from './durations.ts';

test('durations are parsed as in Prometheus', () => {
  const known: [string, number][] = [
    ['0', 0],
    ['0s', 0],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1d', 86_400_000],
    ['2w1d', 15 * 86_400_000],
    ['1y', 365 * 86_400_000],
    ['1m500ms', 60_500],
  ];
  for (const [text, ms] of known) assert.equal(parseDuration(text), ms, text);
});

test('invalid durations are refused', () => {
  for (const text of ['', '5', '5x', 'm5', '5m1h', '5m 1s', '-5m', '1.5h', '1m1m', '5M', '99999999y'])
    assert.equal(parseDuration(text), undefined, text);
});

test('formatted durations parse to the same value', () => {
  const known: [number, string][] = [
    [0, '0s'],
    [300_000, '5m'],
    [5_400_000, '1h30m'],
    [7 * 86_400_000, '1w'],
    [8 * 86_400_000, '8d'],
    [61_001, '1m1s1ms'],
  ];
  for (const [ms, text] of known) assert.equal(formatDuration(ms), text);
  for (const ms of [1, 999, 1000, 59_999, 3_600_001, 700_000_000, 31_536_000_000, 31_622_400_000])
    assert.equal(parseDuration(formatDuration(ms)), ms, formatDuration(ms));
});
