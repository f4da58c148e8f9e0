// The HTTP API of Loki on lines in memory: the requests of clients, and the form of errors.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type MemoryLine, MemoryReader } from '../logql/testing.ts';
import { answer } from './answer.ts';

const second = 1_000_000_000n;
const nowMs = 1_700_000_100_000;
const start = 1_700_000_000n * second;
const lines: MemoryLine[] = Array.from({ length: 50 }, (_, index) => ({
  labels: { tag: index % 2 ? 'web' : 'db', source: 'generic' },
  timeNs: start + BigInt(index) * second,
  line: index % 2 ? `{"n":${index},"level":"info"}` : `n=${index} took=${index}ms`,
  ...(index === 1 && { metadata: { trace: 'abc' } }),
}));

async function ask(path: string, parameters: Record<string, string> = {}) {
  const reader = new MemoryReader(lines);
  const question = { tenant: 'p', path, parameters: new URLSearchParams(parameters).toString(), nowMs };
  const { status, contentType, body } = await answer(reader, question, new AbortController().signal);
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return { status, contentType, text: Buffer.concat(parts).toString('utf8') };
}

interface Answer {
  status: string;
  data: { resultType: string; result: { stream?: object; metric?: object; values?: unknown[][]; value?: unknown[] }[] };
}
const json = async (path: string, parameters: Record<string, string> = {}): Promise<Answer> => {
  const { status, text } = await ask(path, parameters);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Answer;
};

test('LOG-06: query_range finds lines, newest first, a hundred without a limit', async () => {
  const { data } = await json('query_range', { query: '{tag="web"}', start: String(start), limit: '2' });
  assert.equal(data.resultType, 'streams');
  assert.deepEqual(data.result[0]?.stream, { source: 'generic', tag: 'web' });
  assert.deepEqual(
    data.result[0]?.values?.map(([time]) => time),
    [`${start + 49n * second}`, `${start + 47n * second}`],
  );
});

test("Grafana's data source gets parsed labels and metadata separate from those of the stream", async () => {
  const { text } = await ask('query_range', {
    query: '{tag="web"} | json',
    direction: 'forward',
    limit: '1',
    'X-Loki-Response-Encoding-Flags': 'categorize-labels',
  });
  const { data } = JSON.parse(text) as Answer & { data: { encodingFlags: string[] } };
  assert.deepEqual((data as { encodingFlags?: string[] }).encodingFlags, ['categorize-labels']);
  assert.deepEqual(data.result[0]?.values, [
    [
      `${start + second}`,
      '{"n":1,"level":"info"}',
      { structuredMetadata: { trace: 'abc' }, parsed: { level: 'info', n: '1' } },
    ],
  ]);
});

test("Grafana's health check and its histogram of lines work", async () => {
  const health = await json('query', { query: 'vector(1)+vector(1)', time: '4000000000' });
  assert.deepEqual(health.data.result, [{ metric: {}, value: [4_000_000_000, '2'] }]);
  const histogram = await json('query_range', {
    query: 'sum by (level) (count_over_time({source="generic"} | json | __error__="" [10s]))',
    start: String(start),
    end: String(start + 50n * second),
    step: '10s',
  });
  assert.equal(histogram.data.resultType, 'matrix');
  assert.deepEqual(histogram.data.result[0]?.metric, { level: 'info' });
});

test('LOG-06: labels, values, series, statistics and volumes describe the streams', async () => {
  const range = { start: String(start), end: String(start + 100n * second) };
  assert.deepEqual((await json('labels', range)).data, ['source', 'tag']);
  assert.deepEqual((await json('label/tag/values', range)).data, ['db', 'web']);
  assert.deepEqual((await json('label/tag/values', { ...range, query: '{tag="db"}' })).data, ['db']);
  assert.equal(((await json('series', { ...range, 'match[]': '{tag="db"}' })).data as unknown as object[]).length, 1);
  const stats = JSON.parse((await ask('index/stats', { ...range, query: '{tag="db"}' })).text);
  assert.deepEqual([stats.streams, stats.entries], [1, 25]);
  const volume = await json('index/volume', { ...range, query: '{source="generic"}', targetLabels: 'tag' });
  assert.deepEqual(
    volume.data.result.map(({ metric }) => metric),
    [{ tag: 'web' }, { tag: 'db' }],
  );
  const fields = JSON.parse((await ask('detected_fields', { ...range, query: '{source="generic"}' })).text);
  assert.deepEqual(
    fields.fields.map(({ label, type, parsers }: Record<string, unknown>) => [label, type, parsers]),
    [
      ['level', 'string', ['json']],
      ['n', 'int', ['json', 'logfmt']],
      ['took', 'duration', ['logfmt']],
      ['trace', 'string', null],
    ],
  );
  assert.deepEqual(JSON.parse((await ask('detected_labels', range)).text).detectedLabels, [
    { label: 'source', cardinality: 1 },
    { label: 'tag', cardinality: 2 },
  ]);
});

suite('errors are plain text with status 400', () => {
  const cases: [string, Record<string, string>, RegExp][] = [
    ['query_range', { query: '{tag="web"' }, /^parse error at line 1, col 11: syntax error: unexpected \$end/],
    ['query_range', { query: '{tag=~".*"}' }, /^parse error : queries require at least one regexp or equality matcher/],
    [
      'query_range',
      { query: '{tag="x"} |~ "("' },
      /^parse error : stage '\|~ "\("' : error parsing regexp: missing closing \)/,
    ],
    ['query_range', { query: '{tag="x"}', limit: '5001' }, /^max entries limit per query exceeded/],
    [
      'query_range',
      { query: 'rate({tag="x"}[1m])', start: '1', step: '1' },
      /^exceeded maximum resolution of 11,000 points/,
    ],
    ['query_range', { query: '{tag="x"}', since: '31d', step: '1h' }, /^the query time range exceeds the limit/],
    ['query', { query: 'rate({tag="x"}[31d])' }, /^the query time range exceeds the limit/],
    ['query', { query: '{tag="x"}' }, /^log queries are not supported as an instant query type/],
    [
      'query',
      { query: 'sum_over_time({tag="x"}[1m])' },
      /^parse error : invalid aggregation sum_over_time without unwrap/,
    ],
  ];
  for (const [path, parameters, expected] of cases)
    test(`LOG-06: ${path} ${JSON.stringify(parameters)}`, async () => {
      const { status, contentType, text } = await ask(path, parameters);
      assert.equal(status, 400);
      assert.match(contentType ?? '', /^text\/plain/);
      assert.match(text, expected);
    });

  test('endlessly nested queries are refused, and such lines are read', async () => {
    const nested = `${'('.repeat(30_000)}1${')'.repeat(30_000)}`;
    const chained = Array.from({ length: 30_000 }, () => '1').join('+');
    for (const query of [nested, chained]) assert.match((await ask('query', { query })).text, /nested too deeply/);
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const reader = new MemoryReader([{ labels: { tag: 'x' }, timeNs: start, line: deep }]);
    const parameters = new URLSearchParams({ query: '{tag="x"} | json', start: String(start) }).toString();
    const question = { tenant: 'p', path: 'query_range', parameters, nowMs };
    assert.equal((await answer(reader, question, new AbortController().signal)).status, 200);
  });

  test('an unknown path is not found', async () => assert.equal((await ask('nothing')).status, 404));
});

test('formatted queries are equivalent', async () => {
  const query =
    'sum by (tag) (rate({tag=~"a|b"} |= "x" or "y" | json a="b.c" | n>=5 or ( d<1m30s , x="y" ) | unwrap duration(d)[1m] offset 5m)) / 2';
  const once = (await json('format_query', { query })).data as unknown as string;
  assert.equal((await json('format_query', { query: once })).data as unknown as string, once);
});
