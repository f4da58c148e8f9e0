// The load model: defaults, the timeline, and that usage is exact and additive, for many random histories.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  idleLoad,
  joinUsages,
  type Load,
  type Loads,
  loadAt,
  loadFrom,
  type PowerChange,
  type PowerState,
  type Usage,
  usageOf,
  withLoad,
} from './load.ts';

const cpu = (cpuPercent: number): Load => loadFrom({ cpuPercent });

suite('a load', () => {
  test('is idle by default, and packets and bytes are derived from each other', () => {
    assert.deepEqual(loadFrom({}), idleLoad);
    assert.deepEqual(loadFrom({ cpuPercent: null, networkInBytesPerSecond: null }), idleLoad);
    assert.deepEqual(loadFrom({ cpuPercent: 0, networkInBytesPerSecond: 1_500_001, networkOutPacketsPerSecond: 3 }), {
      cpuPercent: 0,
      networkInBytesPerSecond: 1_500_001,
      networkInPacketsPerSecond: 1501,
      networkOutBytesPerSecond: 3000,
      networkOutPacketsPerSecond: 3,
    });
    const silent = loadFrom({ networkInBytesPerSecond: 0, networkOutPacketsPerSecond: 0 });
    assert.deepEqual([silent.networkInPacketsPerSecond, silent.networkOutBytesPerSecond], [0, 0]);
    const both = loadFrom({ networkInBytesPerSecond: 10, networkInPacketsPerSecond: 7 });
    assert.deepEqual([both.networkInBytesPerSecond, both.networkInPacketsPerSecond], [10, 7]);
  });

  test('holds from its time until the next', () => {
    let loads: Loads = [];
    assert.equal(loadAt(loads, 50).cpuPercent, 0.5);
    loads = withLoad(withLoad(loads, cpu(10), 100), cpu(20), 200);
    assert.deepEqual(
      [99, 100, 199, 200, 1e15].map((at) => loadAt(loads, at).cpuPercent),
      [0.5, 10, 10, 20, 20],
    );
  });

  test('that is set twice changes nothing, and a late one does not change the past', () => {
    const loads = withLoad(withLoad([], cpu(10), 100), cpu(20), 200);
    assert.equal(withLoad(loads, cpu(20), 300), loads);
    assert.deepEqual(withLoad([], idleLoad, 100), []);
    const late = withLoad(loads, cpu(30), 50);
    assert.deepEqual(
      late.map(({ at, cpuPercent }) => [at, cpuPercent]),
      [
        [100, 10],
        [200, 30],
      ],
    );
  });

  test('has a bounded past', () => {
    let loads: Loads = [];
    for (let at = 1; at <= 1000; at++) loads = withLoad(loads, cpu(at % 100), at);
    assert.equal(loads.length, 256);
    assert.equal(loadAt(loads, 1000).cpuPercent, 0);
    assert.equal(loadAt(loads, 1).cpuPercent, 0.5);
  });
});

suite('usage', () => {
  const hour = 3_600_000;
  const power: PowerChange[] = [
    [0, 'SHUTOFF'],
    [1000, 'RUNNING'],
    [3000, 'SUSPENDED'],
    [4000, 'RUNNING'],
  ];

  test('is counted over the time it ran, and averaged over all', () => {
    const loads = withLoad([], loadFrom({ cpuPercent: 50, networkInBytesPerSecond: 1000 }), 2000);
    assert.deepEqual(usageOf(power, loads, 0, 5000), {
      from: 0,
      to: 5000,
      runningMs: 3000,
      cpuPercent: (0.5 + 50 + 50) / 5,
      networkInBytes: 200 + 1000 + 1000,
      networkOutBytes: 300,
      networkInPackets: 2 + 1 + 1,
      networkOutPackets: 3,
    });
    assert.equal(usageOf(power, loads, 3000, 4000).runningMs, 0);
    assert.deepEqual(usageOf(power, loads, 5000, 5000).cpuPercent, 0);
    assert.equal(usageOf([], loads, 0, hour).runningMs, 0);
  });

  test('is an integer, and exact for the fastest network over months', () => {
    const from = 1_800_000_000_123;
    const loads = withLoad([], loadFrom({ networkInBytesPerSecond: 1_250_000_001 }), from - 1);
    const days = usageOf([[0, 'RUNNING']], loads, from, from + 60 * 24 * hour);
    assert.equal(days.networkInBytes, 60 * 24 * 3600 * 1_250_000_001);
    let milliseconds = 0;
    for (let at = 0; at < 1000; at++)
      milliseconds += usageOf([[0, 'RUNNING']], loads, from + at, from + at + 1).networkInBytes;
    assert.equal(milliseconds, 1_250_000_001);
  });

  test('adds up over adjacent times, for any history', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const made = history(seed);
      const cuts = [made.from, ...made.cuts, made.to].sort((a, b) => a - b);
      const parts = cuts.slice(1).map((to, at) => usageOf(made.power, made.loads, cuts[at] ?? 0, to));
      const sum = parts.reduce(joinUsages);
      const all = usageOf(made.power, made.loads, made.from, made.to);
      assert.ok(Math.abs(sum.cpuPercent - all.cpuPercent) < 1e-9, `seed ${seed}: ${sum.cpuPercent}`);
      assert.deepEqual({ ...sum, cpuPercent: all.cpuPercent }, all, `seed ${seed}`);
      for (const part of parts) assertSane(part, seed);
      assertClose(all, made, seed);
    }
  });
});

function assertSane(usage: Usage, seed: number): void {
  const { from, to, runningMs, cpuPercent, ...counts } = usage;
  assert.ok(runningMs >= 0 && runningMs <= to - from, `seed ${seed}`);
  assert.ok(cpuPercent >= 0 && cpuPercent <= 100, `seed ${seed}`);
  for (const count of Object.values(counts)) assert.ok(Number.isSafeInteger(count) && count >= 0, `seed ${seed}`);
}

// A reference model that counts millisecond by millisecond.
function assertClose(usage: Usage, { power, loads, from, to }: History, seed: number): void {
  let [ran, percent, bytes] = [0, 0, 0];
  for (let at = from; at < to; at++) {
    if (power.findLast(([begin]) => begin <= at)?.[1] !== 'RUNNING') continue;
    const { cpuPercent, networkInBytesPerSecond } = loadAt(loads, at);
    ran++;
    percent += cpuPercent;
    bytes += networkInBytesPerSecond / 1000;
  }
  assert.equal(usage.runningMs, ran, `seed ${seed}`);
  assert.ok(Math.abs(usage.cpuPercent - percent / (to - from)) < 1e-6, `seed ${seed}`);
  const pieces = power.length + loads.length + 1; // each begins and ends with a part of a byte
  assert.ok(Math.abs(usage.networkInBytes - bytes) <= pieces, `seed ${seed}: ${usage.networkInBytes} for ${bytes}`);
}

interface History {
  power: PowerChange[];
  loads: Loads;
  from: number;
  to: number;
  cuts: number[];
}

const states: PowerState[] = ['RUNNING', 'SHUTOFF', 'SUSPENDED', 'RUNNING', 'CRASHED'];

// The same history for the same seed.
function history(seed: number): History {
  let value = seed * 7919;
  const below = (most: number): number => {
    value = (Math.imul(value, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((value / 2 ** 32) * most);
  };
  const times = (count: number): number[] => Array.from({ length: count }, () => below(3000)).sort((a, b) => a - b);
  const power = times(below(8)).map((at): PowerChange => [at, states[below(states.length)] as PowerState]);
  let loads: Loads = [];
  for (const at of times(below(8))) {
    const sent = { cpuPercent: below(1000) / 10, networkInBytesPerSecond: below(1_000_000) };
    loads = withLoad(loads, loadFrom(sent), at);
  }
  const [from = 0, to = 0] = [below(1500), 1500 + below(1500)];
  return { power, loads, from, to, cuts: times(below(5)).filter((at) => at > from && at < to) };
}
