// OpenMetrics 1.0.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnreadablePush } from '../../../core/push/push-body.ts';
import { read } from '../testing.ts';

test('[METRIC-04] OpenMetrics is read with types, units and times in seconds', () => {
  const sink = read(
    'openmetrics',
    `# TYPE acme_http_router_request_seconds summary
# UNIT acme_http_router_request_seconds seconds
# HELP acme_http_router_request_seconds Latency of \\"all\\" requests.
acme_http_router_request_seconds_sum{path="/api/v1",method="GET"} 9036.32
acme_http_router_request_seconds_count{path="/api/v1",method="GET"} 807283.0 1605281325
acme_http_router_request_seconds_created{path="/api/v1",method="GET"} 1605281325.0
# TYPE go_goroutines gauge
go_goroutines 69 1520879607.789
# TYPE foo counter
foo_total 17.0 1520879607.789 # {trace_id="KOO5S4vxi0o"} 0.67
foo_created 1520872607.123
# TYPE bar histogram
bar_bucket{le="0.1"} 8 # {trace_id="a}b",id="\\""} 0.054 1520879607.789
bar_bucket{le="+Inf"} 17 # {} 1
bar_count 17
bar_sum 324789.3
# TYPE build info
build_info{version="8.2.7"} 1
# TYPE state stateset
state{state="a"} 1
# TYPE gh gaugehistogram
gh_bucket{le="+Inf"} 1
gh_gcount 1
gh_gsum 2
# TYPE u unknown
u -Inf
# EOF
`,
  );
  assert.deepEqual(sink.samples, [
    'acme_http_router_request_seconds_sum{method=GET,path=/api/v1} 9036.32',
    'acme_http_router_request_seconds_count{method=GET,path=/api/v1} 807283 @1605281325000',
    'acme_http_router_request_seconds_created{method=GET,path=/api/v1} 1605281325',
    'go_goroutines 69 @1520879607789',
    'foo_total 17 @1520879607789',
    'foo_created 1520872607.123',
    'bar_bucket{le=0.1} 8',
    'bar_bucket{le=+Inf} 17',
    'bar_count 17',
    'bar_sum 324789.3',
    'build_info{version=8.2.7} 1',
    'state{state=a} 1',
    'gh_bucket{le=+Inf} 1',
    'gh_gcount 1',
    'gh_gsum 2',
    'u -Infinity',
  ]);
  assert.deepEqual(sink.described[0], {
    name: 'acme_http_router_request_seconds',
    type: 'summary',
    help: 'Latency of "all" requests.',
    unit: 'seconds',
  });
  assert.deepEqual(
    sink.described.slice(1).map(({ name, type }) => `${name} ${type}`),
    [
      'go_goroutines gauge',
      'foo counter',
      'bar histogram',
      'build info',
      'state stateset',
      'gh gaugehistogram',
      'u unknown',
    ],
  );
});

test('times are rounded to milliseconds', () => {
  const body = 'a 1 1.005\nb 1 -1.005\nc 1 1e3\n# EOF';
  assert.deepEqual(read('openmetrics', body).samples, ['a 1 @1005', 'b 1 @-1005', 'c 1 @1000000']);
});

test('an end with or without a line break is accepted, and so is an empty push', () => {
  assert.deepEqual(read('openmetrics', 'x 1\n# EOF').samples, ['x 1']);
  assert.deepEqual(read('openmetrics', '# EOF\n').samples, []);
});

test('errors have their line', () => {
  const cases: [body: string, why: RegExp][] = [
    ['x 1\n', /does not end with # EOF/],
    ['', /does not end with # EOF/],
    ['x 1\n# EOF\ny 1\n', /^line 3: unexpected text after # EOF/],
    ['x 1\n\n# EOF\n', /^line 2: a line is empty/],
    ['# a remark\n# EOF\n', /^line 1: "# a remark" is neither/],
    ['#TYPE x gauge\n# EOF\n', /is neither/],
    ['x 1\r\n# EOF\n', /is not a value/],
    [' x 1\n# EOF\n', /has no name/],
    ['x 1 abc\n# EOF\n', /"abc" is not a time in seconds/],
    ['x 1 NaN\n# EOF\n', /is not a time/],
    ['x 1 1 1\n# EOF\n', /unexpected "1"/],
    ['x 1 # trace 1\n# EOF\n', /unexpected "#"/],
    ['x 1 # {a="b"}\n# EOF\n', /the value is missing/],
    ['x 1 # {a="b"} 1 2 3\n# EOF\n', /unexpected "3" after the exemplar/],
    ['x 1 # {a="b",a="c"} 1\n# EOF\n', /exemplar is wrong.*is used twice/],
    ['x 1 # {a="b" 1\n# EOF\n', /no closing brace/],
    ['# UNIT x s\n# UNIT x s\n# EOF\n', /second UNIT/],
    ['# TYPE x untypedd\n# EOF\n', /not a type/],
  ];
  for (const [body, why] of cases) {
    assert.throws(
      () => read('openmetrics', body),
      (error) => error instanceof UnreadablePush && why.test(error.message),
      body,
    );
  }
});
