// Functions of vectors: labels, order, histograms, time and numbers. Prometheus' own cases cover more (test/clients).
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { evaluate } from '../evaluate.ts';
import { labelsText } from '../labels.ts';
import { QueryError } from '../query-error.ts';
import { parseQuery } from '../syntax/parse.ts';
import { signatures } from '../syntax/signatures.ts';
import { labelsOf, MemoryReader } from '../testing.ts';

const momentMs = Date.UTC(2024, 1, 29, 13, 45);
const reader = new MemoryReader();

function add(name: string, labels: Record<string, string>, value: number): void {
  reader.add(labelsOf({ __name__: name, ...labels }), [
    [momentMs - 60_000, value / 2],
    [momentMs, value],
  ]);
}

add('x', { host: 'a10:80', job: 'one', instance: 'i' }, -1.25);
add('x', { host: 'a9:81', job: 'one', instance: 'j' }, 7.5);
add('target_info', { job: 'one', instance: 'i', version: '2' }, 1);
for (const [le, count] of [
  ['0.1', 1],
  ['1', 5],
  ['+Inf', 10],
] as const)
  add('h_bucket', { le }, count);

async function ask(query: string): Promise<[string, number][]> {
  const options = { startMs: momentMs, endMs: momentMs, stepMs: 0, mostSamples: 1e6 };
  const { result } = await evaluate(reader, 'tenant', parseQuery(query), options);
  if (result.type === 'scalar') return [['', result.value]];
  assert.equal(result.type, 'vector');
  return 'rows' in result ? result.rows.map(({ labels, values }) => [labelsText(labels), values[0] as number]) : [];
}

const one = async (query: string): Promise<number | undefined> => (await ask(query))[0]?.[1];

suite('functions', () => {
  test('of labels', async () => {
    const replaced = 'label_replace(sum by (host) (x), "port", "$port-$1", "host", "(.*):(?P<port>.*)")';
    assert.deepEqual(await ask(replaced), [
      ['{host="a10:80", port="80-a10"}', -1.25],
      ['{host="a9:81", port="81-a9"}', 7.5],
    ]);
    assert.deepEqual(
      await ask('label_join(sum by (host, job) (x{job="one",host=~"a9.*"}), "both", "/", "job", "none", "host")'),
      [['{both="one//a9:81", host="a9:81", job="one"}', 7.5]],
    );
    await assert.rejects(ask('label_replace(x, "a", "", "b", "(")'), QueryError);
  });

  test('of order', async () => {
    assert.deepEqual(
      (await ask('sort_desc(x)')).map(([, value]) => value),
      [7.5, -1.25],
    );
    assert.deepEqual(
      (await ask('sort(x)')).map(([, value]) => value),
      [-1.25, 7.5],
    );
    assert.deepEqual(
      (await ask('sort_by_label(x, "host")')).map(([, value]) => value),
      [7.5, -1.25],
      'a9 comes before a10',
    );
  });

  test('of histograms', async () => {
    assert.equal(await one('histogram_quantile(0.3, h_bucket)'), 0.1 + 0.9 * (2 / 4));
    assert.equal(await one('histogram_quantile(0.9, h_bucket)'), 1);
    assert.equal(await one('histogram_fraction(0, 1, h_bucket)'), 0.5);
    assert.deepEqual(
      (await ask('histogram_quantiles(h_bucket, "q", 0.05, 1)')).map(([name]) => name),
      ['{q="0.05"}', '{q="1.0"}'],
    );
    for (const name of ['count', 'sum', 'avg', 'stddev', 'stdvar'])
      await assert.rejects(ask(`histogram_${name}(h_bucket)`), /is for native histograms, which are not stored here/);
  });

  test('of time', async () => {
    for (const [name, wanted] of [
      ['year', 2024],
      ['month', 2],
      ['day_of_month', 29],
      ['day_of_week', 4],
      ['day_of_year', 60],
      ['days_in_month', 29],
      ['hour', 13],
      ['minute', 45],
    ] as const) {
      assert.equal(await one(`${name}()`), wanted, name);
      assert.equal(await one(`${name}(vector(${momentMs / 1000}))`), wanted, name);
    }
    assert.equal(await one('time() - scalar(timestamp(h_bucket{le="1"} offset 30s))'), 60);
  });

  test('of numbers', async () => {
    for (const [query, wanted] of [
      ['abs(sum(x{instance="i"}))', 1.25],
      ['round(vector(-1.5))', -1],
      ['round(vector(7.49), 0.5)', 7.5],
      ['clamp(vector(5), 1, 3)', 3],
      ['clamp_min(vector(0), NaN)', Number.NaN],
      ['sgn(vector(-3))', -1],
      ['deg(vector(pi()))', 180],
      ['vector(1 ^ NaN)', 1],
      ['vector(-7 % 3)', -1],
      ['scalar(x)', Number.NaN],
      ['max_of(2, 3) + min_of(2, 3)', 5],
    ] as const)
      assert.equal(await one(query), wanted, query);
    assert.deepEqual(await ask('clamp(vector(5), 3, 1)'), []);
  });

  test('of absent series', async () => {
    assert.deepEqual(await ask('absent(y{job="one", host=~"a.*", zone="z", zone="w"})'), [['{job="one"}', 1]]);
    assert.deepEqual(await ask('absent_over_time(y{job="one"}[5m])'), [['{job="one"}', 1]]);
    assert.deepEqual(await ask('absent(x)'), []);
  });

  test('of info series', async () => {
    assert.deepEqual(await ask('info(x{instance="i"}, {version=~".+"})'), [
      ['{__name__="x", host="a10:80", instance="i", job="one", version="2"}', -1.25],
    ]);
    assert.equal((await ask('info(x)')).length, 2);
  });

  test('with the edges of a range made exact', async () => {
    assert.equal(await one('increase(h_bucket{le="1"}[30s] smoothed)'), 1.25);
    assert.equal(await one('increase(h_bucket{le="1"}[30s] anchored)'), 2.5);
    assert.equal(await one('h_bucket{le="1"} offset 30s smoothed'), 3.75);
  });

  test('are all there', async () => {
    for (const [name, { takes, gives }] of signatures) {
      const args = { vector: 'x{instance="i"}', matrix: 'x[5m]', scalar: '0.5', string: '"job"' };
      const call = name === 'info' ? 'info(x, {job="one"})' : `${name}(${takes.map((type) => args[type]).join(', ')})`;
      const query = gives === 'scalar' ? `vector(${call})` : call;
      await ask(query).catch((error: unknown) => assert.ok(error instanceof QueryError, `${query}: ${error}`));
    }
  });
});
