// OTLP metrics: both encodings of a request have the same result.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Values } from '../../../base/json.ts';
import { ProtobufWriter } from '../../../core/push/protobuf/writer.ts';
import { UnreadablePush } from '../../../core/push/push-body.ts';
import { type Recorder, read } from '../testing.ts';
import { protobufOf } from './testing.ts';

const timeUnixNano = '1544712660300000000';
const text = (key: string, stringValue: string): Values => ({ key, value: { stringValue } });

function request(metrics: Values[], attributes: Values[] = []): Values {
  return { resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ scope: { name: 's' }, metrics }] }] };
}

function recordedIn(sink: Recorder): Pick<Recorder, 'samples' | 'described' | 'rejected'> {
  return { samples: sink.samples, described: sink.described, rejected: sink.rejected };
}

function push(metrics: Values[], attributes?: Values[]): Recorder {
  const sent = request(metrics, attributes);
  const sink = read('otlp', protobufOf(sent));
  assert.deepEqual(recordedIn(read('otlp-json', JSON.stringify(sent))), recordedIn(sink));
  return sink;
}

test('[METRIC-05] gauges and sums of OpenTelemetry become gauges and counters', () => {
  const sink = push([
    {
      name: 'system.memory.usage',
      unit: 'By',
      description: 'In use.',
      gauge: { dataPoints: [{ timeUnixNano, asInt: '-5', attributes: [text('state', 'free')] }, { asDouble: 1.5 }] },
    },
    {
      name: 'http.requests',
      unit: '{request}',
      sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ timeUnixNano, asInt: '9007199254740993' }] },
    },
    { name: 'queue', sum: { aggregationTemporality: 2, dataPoints: [{ timeUnixNano, asDouble: 3 }] } },
    { name: 'cpu.utilization', unit: '1', gauge: { dataPoints: [{ timeUnixNano, asDouble: 0.5 }] } },
  ]);
  assert.deepEqual(sink.samples, [
    'system_memory_usage_bytes{state=free} -5 @1544712660300',
    'system_memory_usage_bytes 1.5',
    'http_requests_total 9007199254740992 @1544712660300',
    'queue 3 @1544712660300',
    'cpu_utilization_ratio 0.5 @1544712660300',
  ]);
  assert.deepEqual(sink.described, [
    { name: 'system_memory_usage_bytes', type: 'gauge', help: 'In use.', unit: 'bytes' },
    { name: 'http_requests_total', type: 'counter', help: '', unit: '' },
    { name: 'queue', type: 'gauge', help: '', unit: '' },
    { name: 'cpu_utilization_ratio', type: 'gauge', help: '', unit: '' },
  ]);
});

test('histograms become cumulative buckets, summaries quantiles', () => {
  const attributes = [text('path', '/'), text('le', 'mine')];
  const sink = push([
    {
      name: 'http.server.duration',
      unit: 'ms',
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [
          {
            timeUnixNano,
            count: '6',
            sum: 21.5,
            bucketCounts: ['1', '2', '3'],
            explicitBounds: [0.000_000_5, 10],
            attributes,
          },
          { timeUnixNano, count: '2', attributes: [text('path', '/none')] },
        ],
      },
    },
    {
      name: 'rpc',
      unit: 's',
      summary: {
        dataPoints: [
          {
            timeUnixNano,
            count: '4',
            sum: 2,
            quantileValues: [
              { quantile: 0.5, value: 1 },
              { quantile: 1, value: 1.5 },
            ],
          },
        ],
      },
    },
  ]);
  const at = ' @1544712660300';
  assert.deepEqual(sink.samples, [
    `http_server_duration_milliseconds_bucket{le=0.0000005,path=/} 1${at}`,
    `http_server_duration_milliseconds_bucket{le=10,path=/} 3${at}`,
    `http_server_duration_milliseconds_bucket{le=+Inf,path=/} 6${at}`,
    `http_server_duration_milliseconds_sum{le=mine,path=/} 21.5${at}`,
    `http_server_duration_milliseconds_count{le=mine,path=/} 6${at}`,
    `http_server_duration_milliseconds_bucket{le=+Inf,path=/none} 2${at}`,
    `http_server_duration_milliseconds_count{path=/none} 2${at}`,
    `rpc_seconds{quantile=0.5} 1${at}`,
    `rpc_seconds{quantile=1} 1.5${at}`,
    `rpc_seconds_sum 2${at}`,
    `rpc_seconds_count 4${at}`,
  ]);
  assert.deepEqual(
    sink.described.map(({ name, type }) => `${name} ${type}`),
    ['http_server_duration_milliseconds histogram', 'rpc_seconds summary'],
  );
});

test('the resource becomes job, instance and target_info', () => {
  const gauge: Values = {
    name: 'a',
    gauge: { dataPoints: [{ timeUnixNano, asInt: '1', attributes: [text('job', 'x')] }] },
  };
  const service = [text('service.name', 'shop'), text('service.namespace', 'eu'), text('service.instance.id', 'i-1')];
  const at = ' @1544712660300';
  assert.deepEqual(push([gauge], [...service, text('host.name', 'h'), text('cloud.region', 'txl')]).samples, [
    `a{instance=i-1,job=eu/shop} 1${at}`,
    `target_info{cloud_region=txl,host_name=h,instance=i-1,job=eu/shop} 1${at}`,
  ]);
  assert.deepEqual(
    push([gauge], service).samples,
    [`a{instance=i-1,job=eu/shop} 1${at}`],
    'there are no other attributes',
  );
  assert.deepEqual(push([gauge], [text('host.name', 'h')]).samples, [`a{job=x} 1${at}`], 'there is no instance');
  assert.deepEqual(push([], [...service, text('host.name', 'h')]).samples, [], 'there is no time');
});

test('attributes of every kind become labels', () => {
  const attributes: Values[] = [
    { key: 'flag', value: { boolValue: true } },
    { key: 'int', value: { intValue: '-7' } },
    { key: 'double', value: { doubleValue: 1.5 } },
    { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, { intValue: '2' }, {}] } } },
    { key: 'map', value: { kvlistValue: { values: [text('z', 'y'), { key: 'a', value: { boolValue: false } }] } } },
    { key: 'bytes', value: { bytesValue: 'AQI=' } },
    { key: 'none', value: {} },
    text('http.method', 'GET'),
    text('http_method', 'POST'),
    text('1st', 'x'),
    text('_own', 'y'),
  ];
  const sink = push([{ name: 'a', gauge: { dataPoints: [{ asInt: '1', attributes }] } }]);
  assert.deepEqual(sink.samples, [
    'a{bytes=AQI=,double=1.5,flag=true,http_method=GET;POST,int=-7,key_1st=x,key_own=y,list=["a",2,""],map={"a":false,"z":"y"}} 1',
  ]);
});

test('unsupported points are rejected with a reason, and the rest is stored', () => {
  const points = [{ asInt: '1' }, { asInt: '2' }];
  const sink = push([
    { name: 'd', sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints: points } },
    { name: 'u', sum: { dataPoints: points } },
    { name: 'dh', histogram: { aggregationTemporality: 1, dataPoints: [{ count: '1' }] } },
    { name: 'e', exponentialHistogram: { aggregationTemporality: 2, dataPoints: [{ count: '1' }] } },
    { name: '…', gauge: { dataPoints: points } },
    { name: 'v', gauge: { dataPoints: [{}, { asInt: '3' }] } },
    { name: 'nothing' },
  ]);
  assert.deepEqual(sink.samples, ['v 3']);
  assert.deepEqual(sink.rejected, [
    [2, 'the metric "d" has delta temporality: set the exporter to cumulative'],
    [2, 'the metric "u" has no temporality: set the exporter to cumulative'],
    [1, 'the metric "dh" has delta temporality: set the exporter to cumulative'],
    [1, 'the metric "e" is an exponential histogram: send explicit buckets'],
    [2, 'the metric "…" has no valid name'],
    [1, 'a point of "v" has no value'],
  ]);
});

test('a point without a recorded value ends its series', () => {
  const sink = push([
    { name: 'a', gauge: { dataPoints: [{ flags: 1 }] } },
    { name: 'h', histogram: { aggregationTemporality: 2, dataPoints: [{ flags: 1, count: '0', sum: 0 }] } },
    { name: 's', summary: { dataPoints: [{ flags: 1, quantileValues: [{ quantile: 0.5, value: 0 }] }] } },
  ]);
  const stale = ['a', 'h_bucket{le=+Inf}', 'h_sum', 'h_count', 's{quantile=0.5}', 's_sum', 's_count'];
  assert.deepEqual(
    sink.samples,
    stale.map((series) => `${series} stale`),
  );
});

test('fields may have any order', () => {
  const out = new ProtobufWriter();
  out.message(1, () => {
    out.message(2, () => {
      out.message(2, () => {
        out.message(7, () => {
          out.int64(3, 1);
          out.message(1, () => out.double(4, 2));
          out.int64(2, 2);
        });
        out.text(1, 'late');
      });
    });
    out.message(1, () =>
      out.message(1, () => {
        out.message(2, () => out.text(1, 'shop'));
        out.text(1, 'service.name');
      }),
    );
  });
  assert.deepEqual(read('otlp', Buffer.from(out.written)).samples, ['late_total{job=shop} 2']);
});

test('unpacked counts and bounds are read too', () => {
  const out = new ProtobufWriter();
  out.message(1, () =>
    out.message(2, () =>
      out.message(2, () => {
        out.text(1, 'h');
        out.message(9, () => {
          out.int64(2, 2);
          out.message(1, () => {
            out.fixed64(4, 3n);
            for (const count of [1n, 2n]) out.fixed64(6, count);
            out.double(7, 5);
          });
        });
      }),
    ),
  );
  const expected = ['h_bucket{le=5} 1', 'h_bucket{le=+Inf} 3', 'h_count 3'];
  assert.deepEqual(read('otlp', Buffer.from(out.written)).samples, expected);
});

test('large requests are bounded, and errors name their field', () => {
  const many = Array.from({ length: 100 }, (_, at) => text(`key${at}`, 'v'.repeat(1000)));
  const buckets = { bucketCounts: Array(2000).fill('1'), explicitBounds: Array.from({ length: 1999 }, (_, at) => at) };
  const histogram = { aggregationTemporality: 2, dataPoints: [{ count: '1', ...buckets, attributes: many }] };
  for (const [format, body] of both(request([{ name: 'h', histogram }])))
    assert.throws(
      () => read(format, body),
      (error) => error instanceof UnreadablePush && error.tooLarge,
    );

  const tooMany = { aggregationTemporality: 2, dataPoints: [{ bucketCounts: Array(3000).fill('1') }] };
  for (const [format, body] of both(request([{ name: 'h', histogram: tooMany }])))
    assert.throws(() => read(format, body), /more than 2048 buckets/);

  let deep: Values = { stringValue: 'x' };
  for (let level = 0; level < 20; level++) deep = { arrayValue: { values: [deep] } };
  for (const [format, body] of both(request([], [{ key: 'deep', value: deep }])))
    assert.throws(() => read(format, body), /nested deeper/);

  const wrong: [body: unknown, why: RegExp][] = [
    [{ resourceMetrics: 5 }, /: resourceMetrics: expected a list/],
    [request([{ name: 5, gauge: { dataPoints: [] } }]), /scopeMetrics\[0\].metrics\[0\].name: expected a text/],
    [request([{ name: 'a', gauge: { dataPoints: [{ asInt: 'x' }] } }]), /dataPoints\[0\].asInt: expected a number/],
    [request([{ name: 'a', gauge: { dataPoints: [{ timeUnixNano: 'x' }] } }]), /timeUnixNano: expected nanoseconds/],
  ];
  for (const [body, why] of wrong) assert.throws(() => read('otlp-json', JSON.stringify(body)), why);
});

const both = (sent: Values): ['otlp' | 'otlp-json', Buffer][] => [
  ['otlp', protobufOf(sent)],
  ['otlp-json', Buffer.from(JSON.stringify(sent))],
];
