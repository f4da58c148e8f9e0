// The contract suite on samples: pushed samples are returned unchanged, ordered by time.
import assert from 'node:assert/strict';
import { stale } from '../../series.ts';
import type { Case } from './case.ts';
import {
  base,
  found,
  named,
  newTenant,
  type PushedSeries,
  pushed,
  pushOf,
  type Sample,
  sameBits,
  selectionOf,
  stepMs,
} from './pushes.ts';

const series = { __name__: 'up', instance: 'a:9100', job: 'node' };

export function samplesContract(test: Case): void {
  plain(test);
  ordering(test);
  values(test);
}

function plain(test: Case): void {
  test('a pushed sample is found with its labels', async (bench) => {
    const tenant = newTenant();
    await pushed(bench, tenant, [[series, [base, 1]]]);
    assert.deepEqual(await found(bench, selectionOf(tenant, [named('up')])), [[series, [base, 1]]]);
  });

  test('the time range includes both ends', async (bench) => {
    const tenant = newTenant();
    const samples = Array.from({ length: 5 }, (_, at): Sample => [base + at * stepMs, at]);
    await pushed(bench, tenant, [[series, ...samples]]);
    const between = { ...selectionOf(tenant), fromMs: base + stepMs, toMs: base + 3 * stepMs };
    assert.deepEqual(await found(bench, between), [[series, ...samples.slice(1, 4)]]);
    const within = { ...between, fromMs: base + stepMs + 1, toMs: base + 3 * stepMs - 1 };
    assert.deepEqual(await found(bench, within), [[series, ...samples.slice(2, 3)]]);
    assert.deepEqual(await found(bench, { ...between, fromMs: base + 1, toMs: base + 2 }), []);
  });

  test('tenants do not see each other, with the same series', async (bench) => {
    const [one, other] = [newTenant(), newTenant()];
    await pushed(bench, one, [[series, [base, 1]]]);
    await pushed(bench, other, [[series, [base, 2]]]);
    assert.deepEqual(await found(bench, selectionOf(one)), [[series, [base, 1]]]);
    assert.deepEqual(await found(bench, selectionOf(other)), [[series, [base, 2]]]);
    assert.deepEqual(await found(bench, selectionOf(newTenant())), []);
  });

  test('many pushes of many series are returned completely, sorted by their labels', async (bench) => {
    const tenant = newTenant();
    const count = 40;
    const all = Array.from({ length: count }, (_, at) => ({ ...series, instance: `host-${100 + at}` }));
    const pushes = Array.from({ length: 20 }, (_, step) =>
      all.map((labels, at): PushedSeries => [labels, [base + step * stepMs, step * 1000 + at + 0.5]]).reverse(),
    );
    await pushed(bench, tenant, ...pushes);
    const expected = all.map(
      (labels, at): PushedSeries => [
        labels,
        ...pushes.map((_, step): Sample => [base + step * stepMs, step * 1000 + at + 0.5]),
      ],
    );
    assert.deepEqual(await found(bench, selectionOf(tenant)), expected);
  });

  test('several pushes of one append are answered in their order', async (bench) => {
    const tenant = newTenant();
    const { writer } = bench;
    const broken = pushOf(tenant, []);
    broken.push = { ...broken.push, body: new Uint8Array([200, 200, 200, 200, 200, 200]) };
    const outcomes = await writer.append([
      pushOf(tenant, [[series, [base, 1]]]),
      broken,
      pushOf(tenant, [[series, [base + stepMs, 2]]]),
    ]);
    await bench.settle();
    assert.deepEqual(
      outcomes.map(({ samples, fault }) => [samples, fault?.kind]),
      [
        [1, undefined],
        [0, 'unreadable'],
        [1, undefined],
      ],
    );
    assert.deepEqual(await found(bench, selectionOf(tenant)), [[series, [base, 1], [base + stepMs, 2]]]);
    assert.deepEqual(await writer.append([]), []);
  });
}

function ordering(test: Case): void {
  test('samples of one push may have any order', async (bench) => {
    const tenant = newTenant();
    const samples: Sample[] = [3, 1, 4, 2, 0].map((at) => [base + at * stepMs, at]);
    await pushed(bench, tenant, [[series, ...samples]]);
    const sorted = samples.toSorted(([a], [b]) => a - b);
    assert.deepEqual(await found(bench, selectionOf(tenant)), [[series, ...sorted]]);
  });

  test('a late sample is sorted by its time', async (bench) => {
    const tenant = newTenant();
    const samples = [5, 1, 3, 2, 4].map((at): Sample => [base + at * stepMs, at]);
    await pushed(bench, tenant, ...samples.map((sample): PushedSeries[] => [[series, sample]]));
    const sorted = samples.toSorted(([a], [b]) => a - b);
    assert.deepEqual(await found(bench, selectionOf(tenant)), [[series, ...sorted]]);
  });

  test('the last push of a time wins', async (bench) => {
    const tenant = newTenant();
    const at = (step: number, value: number): Sample => [base + step * stepMs, value];
    await pushed(bench, tenant, [[series, at(0, 1), at(1, 2), at(1, 3)]], [[series, at(0, 4)]], [[series, at(2, 5)]]);
    assert.deepEqual(await found(bench, selectionOf(tenant)), [[series, at(0, 4), at(1, 3), at(2, 5)]]);
  });

  test('a repeated push has no effect', async (bench) => {
    const tenant = newTenant();
    const pushes: PushedSeries[] = [[series, [base, 1], [base + stepMs, 2]]];
    await pushed(bench, tenant, pushes, pushes);
    assert.deepEqual(await found(bench, selectionOf(tenant)), pushes);
  });
}

function values(test: Case): void {
  const keeps = async (bench: Parameters<Parameters<Case>[1]>[0], given: readonly number[]): Promise<void> => {
    const tenant = newTenant();
    await pushed(bench, tenant, [[series, ...given.map((value, at): Sample => [base + at * stepMs, value])]]);
    const [[, ...samples] = [{}]] = await found(bench, selectionOf(tenant));
    assert.equal(samples.length, given.length);
    for (const [at, [, value]] of samples.entries())
      assert.ok(sameBits(value, given[at] as number), `${given[at]} became ${value}`);
  };

  test('integers, decimals and infinities are unchanged', (bench) =>
    keeps(bench, [0, 1, -1, 0.1, 12.34, -0.005, 1e9, 123_456_789, 2 ** 40, Infinity, -Infinity]));

  test('doubles keep every bit', (bench) =>
    keeps(bench, [
      0.1 + 0.2,
      Math.PI,
      -Math.E * 1e100,
      Number.MAX_VALUE,
      Number.MIN_VALUE,
      1e-9,
      2 ** 53 + 2,
      -0,
      1 / 3,
    ]));

  test('an ordinary NaN is kept', (bench) => keeps(bench, [1, Number.NaN, 2]));

  test('a stale marker is kept', (bench) => keeps(bench, [1, 2, stale, 3, stale]));
}
