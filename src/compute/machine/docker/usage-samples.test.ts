// Measured usage between any two times, and its storage in a file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type StoredSamples, UsageSamples } from './usage-samples.ts';

const counters = (cpuMs: number, port = 'np1') => ({
  cpuMs,
  ports: { [port]: { inBytes: cpuMs * 10, outBytes: 0, inPackets: 0, outPackets: 0 } },
});
const running = [[0, 'RUNNING']] as const;
const usage = (samples: UsageSamples, from: number, to: number) => samples.usage([[...running[0]]], 1, from, to);

test('usage between two samples is interpolated', () => {
  const samples = new UsageSamples();
  samples.begin(0, 0);
  samples.add(10_000, 10_000, counters(5000));
  const { cpuPercent, networkInBytes } = usage(samples, 2000, 4000);
  assert.deepEqual([cpuPercent, networkInBytes], [50, 10_000]);
});

test('a jump of the region clock counts as idle', () => {
  const samples = new UsageSamples();
  samples.begin(0, 0);
  samples.add(3_600_000, 10_000, counters(5000));
  assert.equal(usage(samples, 0, 3_590_000).cpuPercent, 0);
  assert.equal(usage(samples, 3_590_000, 3_600_000).cpuPercent, 50);
});

test('stored samples report the same usage, and counters that restart at 0 are added to them', () => {
  const samples = new UsageSamples();
  samples.begin(0, 0);
  samples.add(10_000, 10_000, counters(5000));
  const stored = JSON.parse(JSON.stringify(samples)) as StoredSamples;
  const restored = new UsageSamples(stored);
  assert.deepEqual(usage(restored, 0, 10_000), usage(samples, 0, 10_000));
  restored.begin(20_000, 20_000);
  restored.add(30_000, 30_000, counters(1000));
  assert.equal(usage(restored, 20_000, 30_000).cpuPercent, 10);
  assert.equal(usage(restored, 10_000, 20_000).cpuPercent, 0);
});

test('NICs that come and go leave the sum of what they received', () => {
  const samples = new UsageSamples();
  samples.begin(0, 0);
  samples.add(1000, 1000, counters(10));
  samples.add(2000, 2000, { cpuMs: 20 });
  samples.add(3000, 3000, counters(30));
  samples.add(4000, 4000, counters(40, 'np2'));
  samples.add(5000, 5000, counters(50, 'np1'));
  assert.equal(usage(samples, 0, 5000).networkInBytes, 300 + 400 + 500);
});
