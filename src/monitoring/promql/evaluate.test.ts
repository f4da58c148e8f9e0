// The semantics of queries: the samples of each step, the labels of results, and the limits of a query.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Selection } from '../engine/engine.ts';
import { stale } from '../series.ts';
import { type EvaluationOptions, evaluate } from './evaluate.ts';
import { labelsText } from './labels.ts';
import { QueryError } from './query-error.ts';
import { parseQuery } from './syntax/parse.ts';
import { labelsOf, MemoryReader } from './testing.ts';

type Samples = Iterable<readonly [timeMs: number, value: number]>;

function readerOf(series: readonly (readonly [Record<string, string>, Samples])[]): MemoryReader {
  const reader = new MemoryReader();
  for (const [labels, samples] of series) reader.add(labelsOf(labels), samples);
  return reader;
}

const every = (stepMs: number, ...values: number[]): [number, number][] =>
  values.map((value, at) => [at * stepMs, value]);

async function ask(
  reader: MemoryReader,
  query: string,
  times: Partial<EvaluationOptions> = {},
): Promise<Record<string, unknown>> {
  const startMs = times.startMs ?? 0;
  const options = { startMs, endMs: startMs, stepMs: 0, mostSamples: 1e6, ...times };
  const { result, grid } = await evaluate(reader, 'tenant', parseQuery(query), options);
  if (result.type === 'matrix')
    return Object.fromEntries(
      result.series.map(({ labels, times, values }) => [labelsText(labels), [[...times], [...values]]]),
    );
  if (!('rows' in result)) return { '': result.value };
  return Object.fromEntries(
    result.rows.map(({ labels, values, present }) => {
      const shown = [...values].map((value, step) => (present[step] ? value : undefined));
      return [labelsText(labels), grid.count === 1 && times.stepMs === undefined ? shown[0] : shown];
    }),
  );
}

const fails = async (
  reader: MemoryReader,
  query: string,
  message: RegExp | string,
  times?: Partial<EvaluationOptions>,
): Promise<void> => {
  await assert.rejects(ask(reader, query, times), (error) => {
    assert.ok(error instanceof QueryError, String(error));
    if (typeof message === 'string') assert.equal(error.message, message);
    else assert.match(error.message, message);
    return true;
  });
};

suite('an aggregation over many series', () => {
  const numbers = Array.from({ length: 7 }, (_, at) => at);
  const reader = readerOf(
    numbers.map((at) => [{ __name__: 'x', part: String(at % 3), at: String(at) }, every(60_000, at, at + 1, at + 2)]),
  );
  let inParts = 0;
  const counting = Object.assign(Object.create(reader) as MemoryReader, {
    select: () => assert.fail('it asked for all series at once'),
    async *parts(selection: Selection) {
      for await (const part of reader.parts(selection)) {
        inParts += part.length;
        yield part;
      }
    },
  });

  for (const [query, expected] of [
    ['count({__name__=~".+"})', { '{}': 7 }],
    ['sum(x) - max(x)', { '{}': 15 }],
    ['sum by (part) (x)', { '{part="0"}': 9, '{part="1"}': 5, '{part="2"}': 7 }],
    ['sum by (part) (x @ 60)', { '{part="0"}': 12, '{part="1"}': 7, '{part="2"}': 9 }],
    ['group without (at) (x)', { '{part="0"}': 1, '{part="1"}': 1, '{part="2"}': 1 }],
    ['stdvar(x) + min(x)', { '{}': 4 }],
    ['sum(increase(x[1m])) == bool 3', {}],
    ['vector(1) and on() (count(x) > 6)', { '{}': 1 }],
  ] as const)
    test(`reads them in parts: ${query}`, async () => {
      inParts = 0;
      assert.deepEqual(await ask(counting, query), expected);
      assert.equal(inParts, 7, 'each of them once, even if two need it');
    });

  test('reads them in parts over a range too', async () => {
    const times = { startMs: 0, endMs: 120_000, stepMs: 60_000 };
    assert.deepEqual(await ask(counting, 'sum(x)', times), { '{}': [21, 28, 35] });
    assert.deepEqual(await ask(counting, 'sum(sum_over_time(x[2m]))', times), { '{}': [21, 49, 63] });
  });

  test('reads all of them at once if necessary: a rate of several metrics could have the same labels', async () => {
    await assert.rejects(ask(counting, 'sum(rate({__name__=~"x|y"}[5m]))'), /asked for all series/);
    await assert.rejects(ask(counting, 'topk(1, x)'), /asked for all series/);
  });
});

suite('what a selector shows', () => {
  const reader = readerOf([[{ __name__: 'x' }, [...every(60_000, 1, 2, 3), [180_000, stale], [240_000, 5]]]]);

  test('[METRIC-08] is the last sample that is less than five minutes old', async () => {
    assert.deepEqual(await ask(reader, 'x', { startMs: 59_999 }), { '{__name__="x"}': 1 });
    assert.deepEqual(await ask(reader, 'x', { startMs: 539_999 }), { '{__name__="x"}': 5 });
    assert.deepEqual(await ask(reader, 'x', { startMs: 540_000 }), {}, 'the left end is not included');
    assert.deepEqual(await ask(reader, 'x', { startMs: 250_000, lookbackMs: 10_000 }), {});
  });

  test('ends at a stale marker', async () => {
    const shown = await ask(reader, 'x', { startMs: 120_000, endMs: 240_000, stepMs: 30_000 });
    assert.deepEqual(shown, { '{__name__="x"}': [3, 3, undefined, undefined, 5] });
    assert.deepEqual(await ask(reader, 'count_over_time(x[5m])', { startMs: 240_000 }), { '{}': 4 });
  });

  test('is read at another time with offset and @', async () => {
    const shown = { '{__name__="x"}': 2 };
    for (const query of ['x offset 1m', 'x @ 60', 'x @ 120 offset 1m', 'x offset 1m @ 120'])
      assert.deepEqual(await ask(reader, query, { startMs: 120_000 }), shown, query);
    assert.deepEqual(await ask(reader, 'x offset -1m', { startMs: 0 }), shown);
    const times = { startMs: 0, endMs: 120_000, stepMs: 60_000 };
    assert.deepEqual(await ask(reader, 'x @ start() + x @ end()', times), { '{}': [4, 4, 4] });
  });

  test('of a range does not include its left end', async () => {
    assert.deepEqual(await ask(reader, 'x[2m]', { startMs: 120_000 }), {
      '{__name__="x"}': [
        [60_000, 120_000],
        [2, 3],
      ],
    });
    assert.deepEqual(await ask(reader, 'count_over_time(x[1m])', { startMs: 120_000 }), { '{}': 1 });
  });
});

suite('a subquery', () => {
  const reader = readerOf([[{ __name__: 'x' }, every(10_000, ...Array.from({ length: 100 }, (_, at) => at))]]);

  test('is evaluated at multiples of its own step', async () => {
    const shown = await ask(reader, 'x[1m:25s]', { startMs: 101_000 });
    assert.deepEqual(shown, {
      '{__name__="x"}': [
        [50_000, 75_000, 100_000],
        [5, 7, 10],
      ],
    });
  });

  test('has a default step of one minute', async () => {
    assert.deepEqual(await ask(reader, 'count_over_time(x[5m:])', { startMs: 600_000 }), { '{}': 5 });
  });

  test('nests, over a range', async () => {
    const times = { startMs: 300_000, endMs: 420_000, stepMs: 60_000 };
    const shown = await ask(reader, 'max_over_time(sum(rate(x[1m]))[2m:30s] offset 1m)', times);
    assert.deepEqual(shown, { '{}': [0.1, 0.1, 0.1] });
  });
});

suite('series that become the same', () => {
  const reader = readerOf([
    [{ __name__: 'a', job: '1' }, every(60_000, 1, 2)],
    [{ __name__: 'b', job: '1' }, every(60_000, 3, 4)],
    [{ __name__: 'c', job: '1' }, [[600_000, 9]]],
  ]);

  test('at the same time are an error', async () => {
    const message = 'vector cannot contain metrics with the same labelset';
    for (const query of [
      'abs({job="1"})',
      'rate({job="1"}[5m])',
      '-{job="1"}',
      'label_replace({job="1"}, "__name__", "x", "", "")',
    ])
      await fails(reader, query, message, { startMs: 60_000 });
  });

  test('at different times are merged', async () => {
    const times = { startMs: 0, endMs: 600_000, stepMs: 600_000 };
    assert.deepEqual(await ask(reader, 'abs({__name__=~"a|c"})', times), { '{job="1"}': [1, 9] });
  });

  test('keep their names until the end on request', async () => {
    const query = 'sum by (job) (rate({__name__=~"a|b"}[5m])) > 0';
    await fails(reader, query, /same labelset/, { startMs: 60_000 });
    const late = { startMs: 60_000, lateNames: true };
    assert.deepEqual(Object.keys(await ask(reader, query, late)), ['{job="1"}']);
  });
});

suite('vectors that are matched', () => {
  const reader = readerOf([
    [{ __name__: 'many', job: '1', i: 'a' }, every(60_000, 10)],
    [{ __name__: 'many', job: '1', i: 'b' }, every(60_000, 20)],
    [{ __name__: 'one', job: '1', zone: 'z' }, every(60_000, 5)],
    [{ __name__: 'two', job: '1', k: '1' }, every(60_000, 1)],
    [{ __name__: 'two', job: '1', k: '2' }, every(60_000, 2)],
  ]);

  test('many to one, with labels of the one', async () => {
    assert.deepEqual(await ask(reader, 'many / on (job) group_left (zone) one'), {
      '{i="a", job="1", zone="z"}': 2,
      '{i="b", job="1", zone="z"}': 4,
    });
    assert.deepEqual(await ask(reader, 'one - ignoring (i, zone) group_right many'), {
      '{i="a", job="1"}': -5,
      '{i="b", job="1"}': -15,
    });
  });

  test('many to many only by sets', async () => {
    await fails(reader, 'many + on (job) one', /many-to-one matching must be explicit/);
    await fails(
      reader,
      'one + on (job) two',
      /found duplicate series for the match group \{job="1"\} on the right hand-side/,
    );
    await fails(reader, 'many + on (job) group_left two', /many-to-many matching not allowed/);
    assert.deepEqual(Object.keys(await ask(reader, 'many and on (job) two')).length, 2);
    assert.deepEqual(await ask(reader, 'many unless on (job) two'), {});
    assert.deepEqual(Object.keys(await ask(reader, 'many or two')).length, 4);
  });

  test('keep the name of the left side in comparisons only', async () => {
    assert.deepEqual(await ask(reader, 'many{i="a"} > ignoring (i, zone) one'), { '{__name__="many", job="1"}': 10 });
    assert.deepEqual(await ask(reader, 'many{i="a"} > on (job) one'), { '{job="1"}': 10 });
    assert.deepEqual(await ask(reader, 'one >= one'), { '{__name__="one", job="1", zone="z"}': 5 });
    assert.deepEqual(await ask(reader, 'one >= bool one'), { '{job="1", zone="z"}': 1 });
  });
});

suite('the limits of a query', () => {
  const series = Array.from(
    { length: 10 },
    (_, at) => [{ __name__: 'x', i: `${at}` }, every(1000, ...new Array<number>(100).fill(1))] as const,
  );

  test('is limited', async () => {
    const message = 'query processing would load too many samples into memory in query execution';
    await fails(readerOf(series), 'x[5m]', message, { startMs: 99_000, mostSamples: 999 });
    await fails(readerOf(series), 'sum(x)', message, { startMs: 0, endMs: 99_000, stepMs: 10, mostSamples: 50_000 });
  });

  test('are not spent on cancelled queries', async () => {
    const gone = AbortSignal.abort();
    await fails(readerOf(series), 'x', /canceled/, { signal: gone });
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
    await fails(readerOf(series), 'x', /timed out/, { signal: late });
  });

  test('include one fetch for selectors with the same samples', async () => {
    const reader = readerOf(series);
    await ask(reader, 'sum(rate(x[1m])) / sum(rate(x[5m])) + x offset 1d', { startMs: 600_000 });
    const fetched = reader.selections.map(({ fromMs, toMs }) => [fromMs, toMs]).sort(([a], [b]) => (a ?? 0) - (b ?? 0));
    assert.deepEqual(fetched, [
      [600_000 - 86_400_000 - 300_000 + 1, 600_000 - 86_400_000],
      [300_001, 600_000],
    ]);
  });
});

test('a part that is the same at every step is evaluated once, whatever is around it', async () => {
  const reader = readerOf([[{ __name__: 'x' }, every(60_000, 1, 2, 3, 4)]]);
  const times = { startMs: 0, endMs: 180_000, stepMs: 60_000 };
  assert.deepEqual(await ask(reader, 'sum_over_time(x[5m] @ 180) + x', times), { '{}': [11, 12, 13, 14] });
  assert.deepEqual(await ask(reader, 'timestamp(x @ 60) - time()', times), { '{}': [60, 0, -60, -120] });
});
