// Aggregations: selected series, reduced values, and quantiles without sorting.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { evaluate } from '../evaluate.ts';
import { labelOf } from '../labels.ts';
import { quantileIn, quantileOf } from '../quantile.ts';
import { QueryError } from '../query-error.ts';
import type { Row } from '../rows.ts';
import { parseQuery } from '../syntax/parse.ts';
import { labelsOf, MemoryReader } from '../testing.ts';

const reader = new MemoryReader();
const values = [7, 3, Number.NaN, 9, 1, 9, 4, 2];
for (const [at, value] of values.entries())
  reader.add(labelsOf({ __name__: 'x', i: `${at}`, half: at < 4 ? 'first' : 'second' }), [
    [0, value],
    [60_000, value * 10],
  ]);

async function rows(query: string, steps = 1): Promise<Row[]> {
  const times = { startMs: 0, endMs: (steps - 1) * 60_000, stepMs: steps > 1 ? 60_000 : 0 };
  const { result } = await evaluate(reader, 'tenant', parseQuery(query), { ...times, mostSamples: 1e6 });
  return 'rows' in result ? result.rows : [];
}

const shown = async (query: string): Promise<[string, number][]> =>
  (await rows(query)).map(({ labels, values }) => [
    labelOf(labels, 'i') || labelOf(labels, 'half'),
    values[0] as number,
  ]);

suite('an aggregation', () => {
  test('chooses the largest and smallest, in their order, group by group', async () => {
    assert.deepEqual(await shown('topk(3, x)'), [
      ['3', 9],
      ['5', 9],
      ['0', 7],
    ]);
    assert.deepEqual(await shown('bottomk by (half) (2, x)'), [
      ['1', 3],
      ['0', 7],
      ['4', 1],
      ['7', 2],
    ]);
    assert.deepEqual((await shown('topk(100, x)')).at(-1), ['2', Number.NaN], 'what is not a number is last');
    assert.deepEqual(await shown('topk(0, x)'), []);
  });

  test('chooses at each step separately', async () => {
    const found = await rows('topk(scalar(count(x)) - 7, x * (time() - 30))', 2);
    assert.deepEqual(
      found.map(({ labels, present }) => [labelOf(labels, 'i'), [...present]]),
      [
        ['3', [0, 1]],
        ['4', [1, 0]],
      ],
    );
  });

  test('limits to a fixed selection', async () => {
    assert.equal((await rows('limitk(3, x)')).length, 3);
    const some = (await shown('limit_ratio(0.4, x)')).map(([name]) => name);
    const others = (await shown('limit_ratio(-0.6, x)')).map(([name]) => name);
    assert.deepEqual([...some, ...others].sort(), ['0', '1', '2', '3', '4', '5', '6', '7']);
  });

  test('does not treat missing values as numbers', async () => {
    await assert.rejects(rows('topk(NaN, x)'), QueryError);
    await assert.rejects(rows('limit_ratio(NaN, x)'), QueryError);
  });

  test('reduces', async () => {
    assert.deepEqual(await shown('max by (half) (x)'), [
      ['first', 9],
      ['second', 9],
    ]);
    assert.deepEqual(await shown('count by (half) (x > 2)'), [
      ['first', 3],
      ['second', 2],
    ]);
    assert.deepEqual(await shown('sum without (i) (x{half="second"})'), [['second', 16]]);
    assert.deepEqual(await shown('stdvar(x{half="second"})'), [['', 9.5]]);
    assert.deepEqual(
      await shown('avg(vector(1.7e308) or x{i="0"} * 0 + 1.7e308)'),
      [['', 1.7e308]],
      'though the sum is too large',
    );
    assert.deepEqual(await shown('quantile(0.5, x{half="second"})'), [['', 3]]);
  });

  test('counts equal values', async () => {
    const found = await rows('count_values("v", x)');
    assert.deepEqual(found.map(({ labels, values }) => [labelOf(labels, 'v'), values[0]]).sort(), [
      ['1', 1],
      ['2', 1],
      ['3', 1],
      ['4', 1],
      ['7', 1],
      ['9', 2],
      ['NaN', 1],
    ]);
  });
});

test('a quantile is found without sorting', () => {
  for (let length = 1; length < 60; length++) {
    const given = Float64Array.from({ length }, (_, at) => Math.round(Math.sin(at * length) * 20) / 2 + 0);
    if (length % 7 === 0) given[length >> 1] = Number.NaN;
    const sorted = [...given].sort((a, b) => (Number.isNaN(a) ? -1 : Number.isNaN(b) ? 1 : a - b));
    for (const share of [0, 0.25, 0.5, 0.9, 1, -1, 2, Number.NaN]) {
      const wanted = quantileOf(share, length, (rank) => sorted[rank] as number);
      assert.equal(quantileIn(share, given.slice(), length), wanted, `${share} of ${length}`);
    }
  }
});
