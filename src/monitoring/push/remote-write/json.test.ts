// JSON pushes of both shapes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compress } from '../../../core/compression/snappy.ts';
import { UnreadablePush } from '../../../core/push/push-body.ts';
import { decode } from '../decode.ts';
import { mostBytes, Recorder, read, receivedMs } from '../testing.ts';

const push = (body: unknown): Recorder => read('json', JSON.stringify(body));

test('[METRIC-04] Snappy-compressed JSON is read', () => {
  const body = compress(Buffer.from('{"metrics":[{"name":"up","labels":{"job":"a"},"value":1}]}'));
  const sink = new Recorder();
  decode({ format: 'json', coding: 'snappy', body, receivedMs }, sink, { mostBytes });
  assert.deepEqual(sink.samples, ['up{job=a} 1']);
});

test('the mapping of a remote write request is read, in its long and its short form', () => {
  const sink = push({
    timeseries: [
      {
        labels: [
          { name: 'job', value: 'a' },
          { name: '__name__', value: 'up' },
        ],
        samples: [{ value: 1, timestamp: 5 }, { value: 'NaN', timestamp: '6' }, { timestamp: '7' }, { value: '+Inf' }],
        exemplars: [{}],
      },
      {
        labels: { __name__: 'x', code: 200, ok: true },
        samples: [
          [8, 1.5],
          [9, '-Inf'],
        ],
      },
      { labels: { __name__: 'none' }, samples: [] },
      { labels: { __name__: 'h' }, histograms: [{}, {}] },
    ],
    metadata: [
      { type: 'COUNTER', metricFamilyName: 'x', help: 'h', unit: 's' },
      { type: 2, metric_family_name: 'y' },
      { metricFamilyName: '' },
    ],
  });
  assert.deepEqual(sink.samples, [
    'up{job=a} 1 @5',
    'up{job=a} NaN @6',
    'up{job=a} 0 @7',
    'up{job=a} Infinity',
    'x{code=200,ok=true} 1.5 @8',
    'x{code=200,ok=true} -Infinity @9',
  ]);
  assert.deepEqual(sink.described, [
    { name: 'x', type: 'counter', help: 'h', unit: 's' },
    { name: 'y', type: 'gauge', help: '', unit: '' },
  ]);
  assert.deepEqual(sink.rejected, [[2, 'timeseries[3]: native histograms are not supported: send classic ones']]);
});

test('single metrics are read, with their type if it is set', () => {
  const sink = push({
    metrics: [
      { name: 'a', value: 1 },
      { name: 'b', labels: { c: 'd' }, value: '2.5', timestamp: 3, type: 'gauge', help: 'B', unit: 's' },
    ],
  });
  assert.deepEqual(sink.samples, ['a 1', 'b{c=d} 2.5 @3']);
  assert.deepEqual(sink.described, [{ name: 'b', type: 'gauge', help: 'B', unit: 's' }]);
});

test('series with bad labels are rejected separately, with their path', () => {
  const sink = push({
    timeseries: [
      {
        labels: { a: 'b' },
        samples: [
          [1, 1],
          [2, 2],
        ],
      },
    ],
    metrics: [
      { labels: {}, value: 1 },
      {
        name: 'm',
        labels: [
          { name: 'a', value: '1' },
          { name: 'a', value: '2' },
        ],
        value: 1,
      },
      { name: 'good', value: 1 },
    ],
  });
  assert.deepEqual(sink.samples, ['good 1']);
  assert.deepEqual(
    sink.rejected.map(([count, why]) => `${count} ${why.split(':')[0]}`),
    ['2 timeseries[0]', '1 metrics[0]', '1 metrics[1]'],
  );
});

test('errors have their path', () => {
  const cases: [body: unknown, why: RegExp][] = [
    [[], /^the body: expected an object, found "\[\]"/],
    [{}, /none of "timeseries", "metrics" and "metadata"/],
    [{ timeseries: {} }, /^timeseries: expected a list/],
    [{ timeseries: [1] }, /^timeseries\[0\]: expected an object, found "1"/],
    [{ timeseries: [{ labels: 5 }] }, /^timeseries\[0\].labels: expected a list/],
    [{ timeseries: [{ labels: [5] }] }, /^timeseries\[0\].labels\[0\]: expected an object/],
    [{ timeseries: [{ labels: { a: {} } }] }, /^timeseries\[0\].labels.a: expected a text/],
    [{ timeseries: [{ samples: [5] }] }, /samples\[0\]: expected an object/],
    [{ timeseries: [{ samples: [[1]] }] }, /samples\[0\]: expected a time and a value/],
    [{ timeseries: [{ samples: [[1.5, 1]] }] }, /samples\[0\]\[0\]: expected a time in whole milliseconds/],
    [{ timeseries: [{ samples: [[1, 'x']] }] }, /samples\[0\]\[1\]: expected a number, found/],
    [{ timeseries: [{ samples: [{ value: true }] }] }, /value: expected a number/],
    [{ metrics: [{ name: 'a' }] }, /^metrics\[0\].value: expected a number, found nothing/],
    [{ metrics: [{ name: 5, value: 1 }] }, /^metrics\[0\].name: expected a text/],
    [{ metadata: [{ type: 'meter' }] }, /^metadata\[0\].type: expected one of counter/],
    [{ metadata: [{ type: 99 }] }, /^metadata\[0\].type/],
  ];
  for (const [body, why] of cases) {
    assert.throws(
      () => push(body),
      (error) => error instanceof UnreadablePush && why.test(error.message),
      JSON.stringify(body),
    );
  }
  for (const body of ['', '{', '{"a":1,"a":2}', Buffer.from([0x22, 0xff, 0x22]), '['.repeat(5000)])
    assert.throws(() => read('json', body), UnreadablePush);
});
