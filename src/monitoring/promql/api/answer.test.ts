// The HTTP interface of queries: shapes, parameters and errors.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { labelsOf, MemoryReader } from '../testing.ts';
import { answer } from './answer.ts';

const nowMs = 1_700_000_000_500;
const limits = { nowMs, mostSamples: 1e6, mostPoints: 11_000 };

function region(): MemoryReader {
  const reader = new MemoryReader();
  const samples = [0, 1, 2].map((at) => [nowMs - 60_000 + at * 30_000, at + 0.5] as const);
  reader.add(labelsOf({ __name__: 'up', job: 'a', 'odd.name': 'ä"\n' }), samples);
  reader.add(labelsOf({ __name__: 'up', job: 'b' }), [[nowMs, Number.POSITIVE_INFINITY]]);
  reader.descriptions.push({ name: 'up', type: 'gauge', help: 'Is it?', unit: '' });
  return reader;
}

interface Body {
  status: string;
  data?: unknown;
  errorType?: string;
  error?: string;
  warnings?: string[];
  infos?: string[];
}

async function get(
  path: string,
  parameters: Record<string, string> | [string, string][] = {},
  reader = region(),
): Promise<{ status: number; text: string; body: Body }> {
  const { status, body } = await answer(reader, 'tenant', path, new URLSearchParams(parameters), limits);
  const text = Buffer.from(body).toString();
  return { status, text, body: JSON.parse(text) as Body };
}

suite('the result of a query', () => {
  test('[METRIC-08] at one time is a vector, with values as text', async () => {
    const { status, text } = await get('query', { query: 'up' });
    assert.equal(status, 200);
    const first = '{"metric":{"__name__":"up","job":"a","odd.name":"ä\\"\\n"},"value":[1700000000.500,"2.5"]}';
    const second = '{"metric":{"__name__":"up","job":"b"},"value":[1700000000.500,"+Inf"]}';
    assert.equal(text, `{"status":"success","data":{"resultType":"vector","result":[${first},${second}]}}`);
  });

  test('[METRIC-08] over a range is a matrix', async () => {
    const { body } = await get('query_range', {
      query: 'up{job="a"}',
      start: '1699999940.5',
      end: '2023-11-14T22:13:20.5Z',
      step: '30s',
    });
    assert.deepEqual(body.data, {
      resultType: 'matrix',
      result: [
        {
          metric: { __name__: 'up', job: 'a', 'odd.name': 'ä"\n' },
          values: [
            [1699999940.5, '0.5'],
            [1699999970.5, '1.5'],
            [1700000000.5, '2.5'],
          ],
        },
      ],
    });
  });

  test('can be a scalar, a text, or raw samples', async () => {
    assert.deepEqual((await get('query', { query: '1e21', time: '5' })).body.data, {
      resultType: 'scalar',
      result: [5, '1000000000000000000000'],
    });
    assert.deepEqual((await get('query', { query: '"a"', time: '5' })).body.data, {
      resultType: 'string',
      result: [5, 'a'],
    });
    const { body } = await get('query', { query: 'up{job="a"}[45s]' });
    assert.deepEqual((body.data as { result: { values: unknown }[] }).result[0]?.values, [
      [1699999970.5, '1.5'],
      [1700000000.5, '2.5'],
    ]);
  });

  test('is empty without data', async () => {
    assert.equal(
      (await get('query', { query: 'down' })).text,
      '{"status":"success","data":{"resultType":"vector","result":[]}}',
    );
  });

  test('has its annotations', async () => {
    const { body } = await get('query', { query: 'rate(up[5m]) + quantile(2, up)' });
    assert.deepEqual(body.warnings, ['PromQL warning: quantile value should be between 0 and 1, got 2 (1:25)']);
    assert.deepEqual(body.infos, [
      'PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "up" (1:6)',
    ]);
  });

  test('is truncated at its limit', async () => {
    const { body } = await get('query', { query: 'up', limit: '1' });
    assert.equal((body.data as { result: unknown[] }).result.length, 1);
    assert.deepEqual(body.warnings, ['results truncated due to limit']);
  });

  test('can be transferred to another thread', async () => {
    const { body } = await answer(region(), 'tenant', 'query', new URLSearchParams({ query: 'up' }), limits);
    assert.ok(body.buffer instanceof ArrayBuffer);
    assert.equal(body.byteOffset, 0);
  });
});

suite('a query that cannot be answered', () => {
  const range = { start: '0', end: '100', step: '10', query: 'up' };
  const cases: readonly [string, Record<string, string>, number, string, string | RegExp][] = [
    [
      'query',
      { query: 'sum(' },
      400,
      'bad_data',
      'invalid parameter "query": 1:5: parse error: unexpected end of input',
    ],
    [
      'query',
      { query: 'up[step()]' },
      400,
      'bad_data',
      'invalid parameter "query": 3:9: duration must be greater than 0',
    ],
    [
      'query',
      { query: 'up', time: 'soon' },
      400,
      'bad_data',
      `invalid parameter "time": invalid time value for 'time': cannot parse "soon" to a valid timestamp`,
    ],
    ['query', { query: 'up', limit: '-1' }, 400, 'bad_data', 'invalid parameter "limit": limit must be non-negative'],
    [
      'query',
      { query: 'up', timeout: 'x' },
      400,
      'bad_data',
      'invalid parameter "timeout": cannot parse "x" to a valid duration',
    ],
    [
      'query',
      { query: 'up', lookback_delta: 'x' },
      400,
      'bad_data',
      'error parsing lookback delta duration: cannot parse "x" to a valid duration',
    ],
    [
      'query',
      { query: 'label_replace(sum by (job) (up), "job", "", "", "")' },
      422,
      'execution',
      'vector cannot contain metrics with the same labelset',
    ],
    ['query', { query: 'histogram_count(up)' }, 422, 'execution', /native histograms/],
    [
      'query_range',
      { ...range, start: '' },
      400,
      'bad_data',
      'invalid parameter "start": cannot parse "" to a valid timestamp',
    ],
    [
      'query_range',
      { ...range, end: '-1' },
      400,
      'bad_data',
      'invalid parameter "end": end timestamp must not be before start time',
    ],
    [
      'query_range',
      { ...range, step: '0' },
      400,
      'bad_data',
      /^invalid parameter "step": zero or negative query resolution/,
    ],
    [
      'query_range',
      { ...range, step: '0.001' },
      400,
      'bad_data',
      /^exceeded maximum resolution of 11,000 points per timeseries/,
    ],
    [
      'query_range',
      { ...range, query: 'up[5m]' },
      400,
      'bad_data',
      'invalid parameter "query": invalid expression type "range vector" for range query, must be Scalar or instant Vector',
    ],
    ['series', {}, 400, 'bad_data', 'no match[] parameter provided'],
    ['series', { 'match[]': '{job=~".*"}' }, 400, 'bad_data', /at least one non-empty matcher/],
    ['labels', { 'match[]': 'rate(up[5m])' }, 400, 'bad_data', /^invalid parameter "match\[\]"/],
    ['label/%ff/values', {}, 400, 'bad_data', /^invalid label name/],
    ['metadata', { limit: 'x' }, 400, 'bad_data', 'limit must be a number'],
    ['constructor', {}, 404, 'not_found', /./],
    ['admin/tsdb/delete_series', {}, 404, 'not_found', /./],
  ];
  for (const [path, parameters, status, errorType, error] of cases)
    test(`${path} ${JSON.stringify(parameters)}`, async () => {
      const got = await get(path, parameters);
      assert.equal(got.status, status);
      assert.equal(got.body.status, 'error');
      assert.equal(got.body.errorType, errorType);
      if (typeof error === 'string') assert.equal(got.body.error, error);
      else assert.match(got.body.error ?? '', error);
    });

  test('because the store is unavailable can be repeated', async () => {
    const reader = region();
    reader.select = () => Promise.reject(new Fault('unavailable', 'the server is away'));
    const { status, body } = await get('query', { query: 'up' }, reader);
    assert.deepEqual([status, body.errorType, body.error], [503, 'unavailable', 'the server is away']);
  });

  test('a label that nested calls grow too long ends the query', async () => {
    const doubled = (inner: string): string => `label_replace(${inner}, "job", "${'$0'.repeat(1000)}", "job", ".*")`;
    const joined = `label_join(${doubled('up')}, "all", "-" ${', "job"'.repeat(9000)})`;
    for (const query of [doubled(doubled(doubled('up'))), joined]) {
      const { status, body } = await get('query', { query });
      assert.deepEqual([status, body.errorType], [422, 'execution']);
      assert.match(body.error ?? '', /is longer than 1000000 characters/);
    }
  });

  test('because of a bug has no answer', async () => {
    const reader = region();
    reader.select = () => Promise.reject(new TypeError('a bug'));
    await assert.rejects(get('query', { query: 'up' }, reader), TypeError);
  });
});

suite('lists of labels, series and metadata', () => {
  test('[METRIC-08] labels, their values and series', async () => {
    assert.deepEqual((await get('labels')).body.data, ['__name__', 'job', 'odd.name']);
    assert.deepEqual((await get('labels', { 'match[]': 'up{job="b"}' })).body.data, ['__name__', 'job']);
    assert.deepEqual((await get('label/job/values')).body.data, ['a', 'b']);
    assert.deepEqual((await get('label/U__odd_2e_name/values')).body.data, ['ä"\n']);
    assert.deepEqual((await get('label/odd%2Ename/values')).body.data, ['ä"\n']);
    const { body } = await get('label/job/values', { limit: '1' });
    assert.deepEqual([body.data, body.warnings], [['a'], ['results truncated due to limit']]);
    const series = await get('series', [
      ['match[]', 'up{job="a"}'],
      ['match[]', 'up'],
    ]);
    assert.deepEqual(series.body.data, [
      { __name__: 'up', job: 'a', 'odd.name': 'ä"\n' },
      { __name__: 'up', job: 'b' },
    ]);
  });

  test('metadata of metrics, and the version of the server', async () => {
    assert.deepEqual((await get('metadata')).body.data, { up: [{ type: 'gauge', help: 'Is it?', unit: '' }] });
    assert.deepEqual((await get('metadata', { metric: 'down' })).body.data, {});
    assert.match(((await get('status/buildinfo')).body.data as { version: string }).version, /^3\./);
    assert.deepEqual((await get('query_exemplars', { query: 'up' })).body.data, []);
    assert.equal((await get('format_query', { query: 'sum(up)by(job)' })).body.data, 'sum by (job) (up)');
  });
});
