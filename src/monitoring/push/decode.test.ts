// Mangled pushes of every format: unreadable or read, never another error, and never more content than was sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as zlib from 'node:zlib';
import type { Values } from '../../base/json.ts';
import { compress } from '../../core/compression/snappy.ts';
import { ProtobufWriter } from '../../core/push/protobuf/writer.ts';
import { type PushCoding, UnreadablePush } from '../../core/push/push-body.ts';
import { numbers } from '../../core/push/testing.ts';
import type { Described, Labels } from '../series.ts';
import { decode } from './decode.ts';
import { protobufOf } from './otlp/testing.ts';
import { encodeWriteRequest } from './remote-write/encode.ts';
import type { Push, PushFormat, Sink } from './sink.ts';
import { Recorder, receivedMs } from './testing.ts';

const rounds = 20_000;
const limits = { mostBytes: 0x4000 };

class Counter implements Sink {
  calls = 0;

  known(): number {
    return -1;
  }

  register(labels: Labels): number {
    for (const [name, value] of labels) assert.ok(name !== '' && value !== '');
    return this.calls++;
  }

  sample(series: number, timeMs: number, value: number): void {
    assert.ok(series >= 0 && Number.isInteger(timeMs) && typeof value === 'number');
    this.calls++;
  }

  describe({ name }: Described): void {
    assert.notEqual(name, '');
    this.calls++;
  }

  reject(count: number, why: string): void {
    assert.ok(count > 0 && why !== '' && why.length < 1500, why);
    this.calls += count;
  }
}

const otlp: Values = {
  resourceMetrics: [
    {
      resource: { attributes: [attribute('service.name', 'shop'), attribute('host.name', 'h')] },
      scopeMetrics: [
        {
          metrics: [
            { name: 'a.b', unit: 'By', gauge: { dataPoints: [{ asInt: '1', timeUnixNano: '5', attributes: [] }] } },
            {
              name: 'c',
              sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ asDouble: 1.5, flags: 1 }] },
            },
            {
              name: 'd',
              histogram: {
                aggregationTemporality: 2,
                dataPoints: [{ count: '3', sum: 2, bucketCounts: ['1', '2'], explicitBounds: [5] }],
              },
            },
            {
              name: 'e',
              summary: { dataPoints: [{ count: '1', sum: 1, quantileValues: [{ quantile: 1, value: 2 }] }] },
            },
          ],
        },
      ],
    },
  ],
};

function attribute(key: string, stringValue: string): Values {
  return { key, value: { stringValue } };
}

function remoteWrite2(): Buffer {
  const out = new ProtobufWriter();
  for (const symbol of ['', '__name__', 'up', 'job', 'help']) out.text(4, symbol);
  for (let series = 0; series < 3; series++) {
    out.message(5, () => {
      out.bytes(1, Buffer.from([1, 2, 3, 4]));
      out.message(2, () => {
        out.double(1, 1);
        out.int64(2, receivedMs);
      });
      out.message(5, () => {
        out.int64(1, 1);
        out.int64(3, 4);
      });
    });
  }
  return Buffer.from(out.written);
}

const exposition = '# HELP x Help.\n# TYPE x histogram\nx_bucket{le="1",a="\\"b\\\\"} 5 1700000000000\nx_sum 1e3\n';
const good: Record<PushFormat, Buffer> = {
  'remote-write-1': encodeWriteRequest(
    [
      {
        labels: [
          ['__name__', 'up'],
          ['job', 'a'],
        ],
        times: [1, -2],
        values: [1, 2],
      },
      {
        labels: [
          ['__name__', 'x'],
          ['path', '/ä'],
        ],
        times: [receivedMs],
        values: [Number.NaN],
      },
    ],
    [{ name: 'up', type: 'gauge', help: 'Help.', unit: '' }],
  ),
  'remote-write-2': remoteWrite2(),
  text: Buffer.from(`${exposition}{"a.b",c="d"} NaN\n`),
  openmetrics: Buffer.from(`${exposition.replace(' 1700000000000', ' 1.5 # {a="b"} 1')}# EOF\n`),
  json: Buffer.from(
    JSON.stringify({
      timeseries: [{ labels: { __name__: 'a' }, samples: [[1, 2], { value: 'NaN', timestamp: '5' }] }],
      metrics: [{ name: 'b', labels: { c: 'd' }, value: 1, type: 'gauge' }],
      metadata: [{ metricFamilyName: 'a', type: 'COUNTER' }],
    }),
  ),
  otlp: protobufOf(otlp),
  'otlp-json': Buffer.from(JSON.stringify(otlp)),
};

// Changes, cuts, duplicates and swaps parts, and inserts text that readers often handle wrongly.
function mangled(body: Buffer, next: (end: number) => number): Buffer {
  const awkward = [
    Buffer.alloc(1),
    Buffer.from('ffffffffffffffffff01', 'hex'),
    Buffer.from('"{}[]#\\\n'),
    Buffer.from('80', 'hex'),
  ];
  let bytes = Buffer.from(body);
  for (let change = next(4); change >= 0; change--) {
    const at = next(bytes.length + 1);
    const to = at + next(Math.min(24, bytes.length + 1 - at));
    const way = next(6);
    if (way === 0) bytes = bytes.subarray(0, at);
    else if (way === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
    else if (way === 2) bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
    else if (way === 3) bytes = Buffer.concat([bytes.subarray(0, at), awkward[next(4)] as Buffer, bytes.subarray(at)]);
    else if (at < bytes.length) bytes[at] = way === 4 ? next(256) : (bytes[at] as number) ^ (1 << next(8));
  }
  return bytes;
}

function survives(push: Push): boolean {
  const sink = new Counter();
  let read = true;
  try {
    decode(push, sink, limits);
  } catch (error) {
    if (!(error instanceof UnreadablePush)) throw error;
    assert.notEqual(error.message, '');
    read = false;
  }
  assert.ok(sink.calls <= 10 * limits.mostBytes);
  return read;
}

for (const [format, body] of Object.entries(good) as [PushFormat, Buffer][]) {
  test(`mangled pushes of ${format} are read or unreadable`, () => {
    const next = numbers(format.length * 7919);
    assert.ok(survives({ format, coding: 'identity', body, receivedMs }), 'the original push is read');
    let read = 0;
    for (let round = 0; round < rounds; round++) {
      if (survives({ format, coding: 'identity', body: mangled(body, next), receivedMs })) read++;
    }
    assert.ok(read > 0 && read < rounds, `${read} of ${rounds} were read`);
  });
}

test('mangled compressed bodies are read or unreadable', () => {
  const next = numbers(5);
  const codings: [PushCoding, Buffer][] = [
    ['snappy', compress(good.text)],
    ['gzip', zlib.gzipSync(good.text)],
    ['zstd', zlib.zstdCompressSync(good.text)],
    ['deflate', zlib.deflateSync(good.text)],
  ];
  for (const [coding, body] of codings) {
    assert.ok(survives({ format: 'text', coding, body, receivedMs }));
    for (let round = 0; round < 2000; round++)
      survives({ format: 'text', coding, body: mangled(body, next), receivedMs });
  }
});

test('a push has the same content whether its series are known or not', () => {
  for (const [format, body] of Object.entries(good) as [PushFormat, Buffer][]) {
    const sink = new Recorder();
    const push: Push = { format, coding: 'identity', body, receivedMs };
    decode(push, sink, limits);
    const first = sink.samples;
    sink.samples = [];
    decode(push, sink, limits);
    assert.ok(first.length > 0);
    assert.deepEqual(sink.samples, first, format);
  }
});
