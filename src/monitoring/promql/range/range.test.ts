// Range functions work on sliding windows; here each is compared with the simple computation over the samples of the
// window.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { evaluate } from '../evaluate.ts';
import type { Row } from '../rows.ts';
import { parseQuery } from '../syntax/parse.ts';
import { labelsOf, MemoryReader } from '../testing.ts';

type Sample = [timeMs: number, value: number];

let seed = 20_260_729;
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
}

// Irregular times, gaps, repeated values, and occasionally NaN.
function samplesOf(length: number): Sample[] {
  let timeMs = 0;
  return Array.from({ length }, () => {
    timeMs += random() < 0.02 ? 400_000 : 5000 + Math.floor(random() * 20_000);
    const odd = random();
    const value = odd < 0.01 ? Number.NaN : odd < 0.3 ? Math.floor(random() * 5) : (random() - 0.5) * 1000;
    return [timeMs, value];
  });
}

const samples = samplesOf(900);
const endMs = (samples.at(-1) as Sample)[0];

async function rowOf(query: string, stepMs: number): Promise<Row> {
  const reader = new MemoryReader();
  reader.add(labelsOf({ __name__: 'x' }), samples);
  const options = { startMs: 0, endMs, stepMs, mostSamples: 1e7 };
  const { result } = await evaluate(reader, 'tenant', parseQuery(query), options);
  assert.equal(result.type, 'rows');
  return ('rows' in result ? result.rows[0] : undefined) as Row;
}

function quantile(share: number, values: number[]): number {
  const sorted = values.toSorted((a, b) => (Number.isNaN(a) ? -1 : Number.isNaN(b) ? 1 : a - b));
  const rank = share * (sorted.length - 1);
  const low = Math.floor(rank);
  const high = Math.min(low + 1, sorted.length - 1);
  return (sorted[low] as number) * (1 - (rank - low)) + (sorted[high] as number) * (rank - low);
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
const numbers = (values: number[]): number[] => values.filter((value) => !Number.isNaN(value));
const variance = (values: number[]): number => {
  const mean = sum(values) / values.length;
  return sum(values.map((value) => (value - mean) ** 2)) / values.length;
};
const extreme =
  (choose: (...values: number[]) => number) =>
  (values: number[]): number =>
    numbers(values).length > 0 ? choose(...numbers(values)) : Number.NaN;
const pairs = (values: number[]): [number, number][] =>
  values.slice(1).map((value, at) => [values[at] as number, value]);

const plain: Readonly<Record<string, (values: number[], window: Sample[]) => number>> = {
  'sum_over_time(x[RANGE])': sum,
  'avg_over_time(x[RANGE])': (values) => sum(values) / values.length,
  'min_over_time(x[RANGE])': extreme(Math.min),
  'max_over_time(x[RANGE])': extreme(Math.max),
  'count_over_time(x[RANGE])': (values) => values.length,
  'stdvar_over_time(x[RANGE])': variance,
  'stddev_over_time(x[RANGE])': (values) => Math.sqrt(variance(values)),
  'first_over_time(x[RANGE])': (values) => values[0] as number,
  'last_over_time(x[RANGE])': (values) => values.at(-1) as number,
  'quantile_over_time(0.3, x[RANGE])': (values) => quantile(0.3, values),
  'mad_over_time(x[RANGE])': (values) => {
    const median = quantile(0.5, values);
    return numbers(values).length < values.length
      ? Number.NaN
      : quantile(
          0.5,
          values.map((value) => Math.abs(value - median)),
        );
  },
  'changes(x[RANGE])': (values) =>
    pairs(values).filter(([a, b]) => a !== b && !(Number.isNaN(a) && Number.isNaN(b))).length,
  'resets(x[RANGE])': (values) => pairs(values).filter(([a, b]) => b < a).length,
  'ts_of_last_over_time(x[RANGE])': (_, window) => (window.at(-1) as Sample)[0] / 1000,
  'ts_of_max_over_time(x[RANGE])': (values, window) => {
    const best = extreme(Math.max)(values);
    return ((Number.isNaN(best) ? window.at(-1) : window.findLast(([, value]) => value === best)) as Sample)[0] / 1000;
  },
};

suite('over sliding windows', () => {
  for (const [form, expected] of Object.entries(plain))
    for (const [range, stepMs] of [
      ['1m', 60_000],
      ['5m', 60_000],
      ['7m', 45_000],
      ['90s', 600_000],
      ['2h', 61_000],
    ] as const)
      test(`${form.replace('RANGE', range)} every ${stepMs / 1000} s`, async () => {
        const query = form.replace('RANGE', range);
        const row = await rowOf(query, stepMs);
        const rangeMs = { '1m': 60_000, '5m': 300_000, '7m': 420_000, '90s': 90_000, '2h': 7_200_000 }[range];
        for (let step = 0; step < row.values.length; step++) {
          const window = samples.filter(([timeMs]) => timeMs > step * stepMs - rangeMs && timeMs <= step * stepMs);
          assert.equal(row.present[step], window.length > 0 ? 1 : 0, `step ${step}`);
          if (window.length === 0) continue;
          const wanted = expected(
            window.map(([, value]) => value),
            window,
          );
          const got = row.values[step] as number;
          const isSame =
            Object.is(got, wanted) || Math.abs(got - wanted) <= 1e-9 * Math.max(1e-3, Math.abs(wanted), Math.abs(got));
          assert.ok(isSame, `step ${step}: expected ${wanted}, got ${got}`);
        }
      });
});

test('sums compensate rounding errors, in windows of any length', async () => {
  const reader = new MemoryReader();
  const values = Array.from({ length: 400 }, (_, at) => [1e16, 1, -1e16, 1][at % 4] as number);
  reader.add(
    labelsOf({ __name__: 'x' }),
    values.map((value, at) => [at * 1000, value] as const),
  );
  for (const [range, wanted] of [
    ['8s', 4],
    ['400s', 200],
  ] as const) {
    const options = { startMs: 399_000, endMs: 399_000, stepMs: 0, mostSamples: 1e6 };
    const { result } = await evaluate(reader, 'tenant', parseQuery(`sum_over_time(x[${range}])`), options);
    assert.equal('rows' in result && result.rows[0]?.values[0], wanted);
  }
});

suite('a rate is extrapolated to the edges of its window', () => {
  const reader = new MemoryReader();
  reader.add(
    labelsOf({ __name__: 'x' }),
    [10, 20, 30, 40].map((second, at) => [second * 1000, 100 + at] as const),
  );
  reader.add(
    labelsOf({ __name__: 'new' }),
    [10, 20, 30, 40].map((second, at) => [second * 1000, 1 + 2 * at] as const),
  );
  const ask = async (query: string, second: number): Promise<number | undefined> => {
    const options = { startMs: second * 1000, endMs: second * 1000, stepMs: 0, mostSamples: 1e6 };
    const { result } = await evaluate(reader, 'tenant', parseQuery(query), options);
    return 'rows' in result ? result.rows[0]?.values[0] : undefined;
  };

  test('if its samples are near enough', async () => {
    assert.equal(await ask('increase(x[40900ms])', 40), 3 * ((30 + 10.9) / 30));
    assert.equal(await ask('increase(x[40s])', 45), 3 * ((30 + 5 + 5) / 30));
  });

  test('otherwise by half the interval of samples', async () => {
    assert.equal(await ask('increase(x[41500ms])', 40), 3 * ((30 + 5) / 30));
    assert.equal(await ask('delta(x[55s])', 52), 3 * ((30 + 5 + 5) / 30));
  });

  test('but not below zero, for a counter', async () => {
    assert.equal(await ask('increase(new[40s])', 40), 6 * ((30 + 5) / 30));
    assert.equal(await ask('delta(new[40s])', 40), 6 * ((30 + 10) / 30));
  });

  test('and only with two samples', async () => {
    assert.equal(await ask('rate(x[10s])', 40), undefined);
    assert.equal(await ask('rate(x[11s])', 40), ((1 / 10) * (10 + 1)) / 11);
  });
});
