// The text format 0.0.4.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnreadablePush } from '../../../core/push/push-body.ts';
import { Recorder, read } from '../testing.ts';
import { mostFamilies } from './metadata.ts';

const refuses = (body: string | Uint8Array, why: RegExp): void =>
  assert.throws(
    () => read('text', body),
    (error) => error instanceof UnreadablePush && why.test(error.message),
    String(body),
  );

test('[METRIC-04] counters, gauges, histograms and summaries are read with their types', () => {
  const sink = read(
    'text',
    `# HELP http_requests_total The total number of HTTP requests.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
http_requests_total{method="post",code="400"}    3 1395066363000

# A remark that says nothing.
# TYPE temperature gauge
temperature -3.5e1
# HELP rpc_duration_seconds A summary.\\nOf two lines, with a \\\\.
# TYPE rpc_duration_seconds summary
rpc_duration_seconds{quantile="0.5"} 4773
rpc_duration_seconds_sum 1.7560473e+07
rpc_duration_seconds_count 2693
# TYPE sizes histogram
sizes_bucket{le="0.05"} 24054
sizes_bucket{le="+Inf"} 144320
sizes_sum 53423
sizes_count 144320
# TYPE other untyped
other NaN -3982045
`,
  );
  assert.deepEqual(sink.samples, [
    'http_requests_total{code=200,method=post} 1027 @1395066363000',
    'http_requests_total{code=400,method=post} 3 @1395066363000',
    'temperature -35',
    'rpc_duration_seconds{quantile=0.5} 4773',
    'rpc_duration_seconds_sum 17560473',
    'rpc_duration_seconds_count 2693',
    'sizes_bucket{le=0.05} 24054',
    'sizes_bucket{le=+Inf} 144320',
    'sizes_sum 53423',
    'sizes_count 144320',
    'other NaN @-3982045',
  ]);
  assert.deepEqual(sink.described, [
    { name: 'http_requests_total', type: 'counter', help: 'The total number of HTTP requests.', unit: '' },
    { name: 'temperature', type: 'gauge', help: '', unit: '' },
    { name: 'rpc_duration_seconds', type: 'summary', help: 'A summary.\nOf two lines, with a \\.', unit: '' },
    { name: 'sizes', type: 'histogram', help: '', unit: '' },
    { name: 'other', type: 'unknown', help: '', unit: '' },
  ]);
});

test('all allowed spellings of lines are read', () => {
  const cases: [line: string, sample: string][] = [
    ['x 1', 'x 1'],
    [' \tx\t 1 \t', 'x 1'],
    ['x{} 1', 'x 1'],
    ['x{a="b",} 1', 'x{a=b} 1'],
    ['x { a = "b" , c="d" } 1', 'x{a=b,c=d} 1'],
    ['x{a="b"}1', 'x{a=b} 1'],
    ['x{a=""} 1', 'x 1'],
    ['x{a="\\\\ \\" \\n \\d"} 1', 'x{a=\\ " \n \\d} 1'],
    ['x{a="}#{",b="ä😀"} 1', 'x{a=}#{,b=ä😀} 1'],
    ['a:b:_c 1', 'a:b:_c 1'],
    ['{"http.requests", "a label"="b"} 1', 'http.requests{a label=b} 1'],
    ['{"http.requests"} 1', 'http.requests 1'],
    ['{__name__="x",a="b"} 1', 'x{a=b} 1'],
    ['x +Inf', 'x Infinity'],
    ['x -inf', 'x -Infinity'],
    ['x nan', 'x NaN'],
    ['x .5', 'x 0.5'],
    ['x 5.', 'x 5'],
    ['x +1e-3 +5', 'x 0.001 @5'],
    ['# just words', ''],
    ['#', ''],
    ['x 1\r', 'x 1'],
    ['', ''],
  ];
  for (const [line, sample] of cases) {
    for (const ending of ['', '\n', '\n\n']) {
      const expected = sample === '' ? [] : [sample];
      assert.deepEqual(read('text', line + ending).samples, expected, JSON.stringify(line));
    }
  }
  assert.deepEqual(read('text', 'x 1\r\ny 2\r\n').samples, ['x 1', 'y 2']);
});

test('an invalid line makes the whole push unreadable, and is named', () => {
  const cases: [body: string | Uint8Array, why: RegExp][] = [
    ['x 1\ny', /^line 2: the value is missing$/],
    ['x one', /"one" is not a value/],
    ['x 0x10', /"0x10" is not a value/],
    ['x 1e999', /is not a value/],
    ['x 1 2 3', /unexpected "3"/],
    ['x 1 1.5', /"1.5" is not a time/],
    ['x 1 99999999999999999999', /is not a time/],
    ['1x 1', /is not the name of a metric/],
    ['x-y 1', /is not the name of a metric/],
    ['{a="b"} 1', /has no name/],
    ['{""} 1', /has no name/],
    ['x{a="b" 1', /no closing brace/],
    ['x{a="b} 1', /no closing brace/],
    ['x{a=b} 1', /expected a value in quotes at "b}"/],
    ['x{a} 1', /expected the name of a label|expected a comma/],
    ['x{a="b" c="d"} 1', /expected a comma or a closing brace/],
    ['x{,} 1', /expected the name of a label/],
    ['x{="b"} 1', /a label has no name/],
    ['x{0a="b"} 1', /expected the name of a label/],
    ['x{"y"} 1', /is used twice/],
    ['x{a="1",a="2"} 1', /"a" is used twice/],
    ['# TYPE x counter\n# TYPE x counter', /^line 2: a second TYPE line for "x"/],
    ['# HELP x a\n# HELP x b', /second HELP/],
    ['x 1\n# TYPE x gauge', /^line 2: .*after its samples/],
    ['# TYPE x meter', /"meter" is not a type/],
    ['# TYPE', /is not the name of a metric/],
    ['# TYPE x', /"" is not a type/],
    ['# TYPE 0x gauge', /is not the name of a metric/],
    ['# TYPE "x gauge', /quote is not closed/],
    [Buffer.from([0x78, 0xff, 0x20, 0x31]), /not valid UTF-8/],
  ];
  for (const [body, why] of cases) refuses(body, why);
});

test('very many metrics are not described', () => {
  const types = (count: number): string => Array.from({ length: count }, (_, at) => `# TYPE m${at} gauge\n`).join('');
  assert.equal(read('text', types(mostFamilies)).described.length, mostFamilies);
  refuses(types(mostFamilies + 1), /^line 50001: the push describes more than 50000 metrics/);
});

test('types and helps may have quoted names', () => {
  const body = '# HELP "http.requests" How many.\n# TYPE "http.requests" counter\n{"http.requests"} 1\n';
  const sink = read('text', body);
  assert.deepEqual(sink.described, [{ name: 'http.requests', type: 'counter', help: 'How many.', unit: '' }]);
});

test('a known series is found by the bytes of its line, and a wrong line stays wrong whatever is known', () => {
  const sink = new Recorder();
  for (let round = 0; round < 3; round++) read('text', 'x{a="b"} 1\n', sink);
  assert.equal(sink.registered, 1);
  for (let round = 0; round < 2; round++)
    assert.throws(() => read('text', 'x{a="b"} 1\n# TYPE x gauge\n', sink), UnreadablePush);
});
