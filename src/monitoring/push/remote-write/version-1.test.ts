// Remote write 1.0 and our encoder of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compress } from '../../../core/compression/snappy.ts';
import { ProtobufWriter } from '../../../core/push/protobuf/writer.ts';
import { UnreadablePush } from '../../../core/push/push-body.ts';
import { type Described, stale } from '../../series.ts';
import { decode } from '../decode.ts';
import { mostBytes, Recorder, read, receivedMs } from '../testing.ts';
import { encodeRemoteWrite, encodeWriteRequest } from './encode.ts';

const up: [string, string][] = [
  ['__name__', 'up'],
  ['job', 'a'],
];

function label(out: ProtobufWriter, name: string | Uint8Array, value: string | Uint8Array): void {
  out.message(1, () => {
    out.bytes(1, Buffer.from(name as string));
    out.bytes(2, Buffer.from(value as string));
  });
}

const sample = (out: ProtobufWriter, value: number, timeMs: number): void =>
  out.message(2, () => {
    out.double(1, value);
    out.int64(2, timeMs);
  });

function series(...fields: ((out: ProtobufWriter) => void)[]): Buffer {
  const out = new ProtobufWriter();
  out.message(1, () => {
    for (const write of fields) write(out);
  });
  return Buffer.from(out.written);
}

test('[METRIC-04] the bytes that Prometheus sends are read', () => {
  // up{job="a"} 1 @1700000000000, compressed, as its Go code writes it.
  const labels = '0a0e 0a085f5f6e616d655f5f 12027570 0a08 0a036a6f62 120161';
  const hex = `0a2c ${labels} 1210 09000000000000f03f 1080d095ffbc31`;
  const body = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  const sink = new Recorder();
  decode({ format: 'remote-write-1', coding: 'snappy', body: compress(body), receivedMs: 5 }, sink, { mostBytes });
  assert.deepEqual(sink.samples, ['up{job=a} 1']);
});

test('series, samples, stale markers and metadata are decoded as encoded', () => {
  const described: Described[] = [
    { name: 'up', type: 'gauge', help: 'Is it up? "ä"\n', unit: '' },
    { name: 'x_seconds', type: 'histogram', help: '', unit: 'seconds' },
  ];
  const body = encodeRemoteWrite(
    [
      { labels: up, times: [1, 2, 3, -4], values: [1.5, Number.NaN, stale, Number.NEGATIVE_INFINITY] },
      {
        labels: [
          ['__name__', 'größe'],
          ['http.path', '/ä"\n'],
        ],
        times: new Float64Array([9]),
        values: [0],
      },
    ],
    described,
  );
  const sink = new Recorder();
  decode({ format: 'remote-write-1', coding: 'snappy', body, receivedMs }, sink, { mostBytes });
  assert.deepEqual(sink.samples, [
    'up{job=a} 1.5 @1',
    'up{job=a} NaN @2',
    'up{job=a} stale @3',
    'up{job=a} -Infinity @-4',
    'größe{http.path=/ä"\n} 0 @9',
  ]);
  assert.deepEqual(sink.described, described);
});

test('the labels of a known series are not decoded again', () => {
  const body = encodeWriteRequest([{ labels: up, times: [1], values: [1] }]);
  const sink = new Recorder();
  read('remote-write-1', body, sink);
  read('remote-write-1', body, sink);
  assert.equal(sink.registered, 1);
  assert.deepEqual(sink.samples, ['up{job=a} 1 @1', 'up{job=a} 1 @1']);
});

test('labels may be after and between the samples', () => {
  const name = (out: ProtobufWriter): void => label(out, '__name__', 'up');
  const job = (out: ProtobufWriter): void => label(out, 'job', 'a');
  const one = (out: ProtobufWriter): void => sample(out, 1, 1);
  const two = (out: ProtobufWriter): void => sample(out, 2, 2);
  for (const fields of [
    [one, two, name, job],
    [name, one, job, two],
    [one, name, job, two],
    [job, one, two, name],
  ]) {
    const sink = new Recorder();
    for (let round = 0; round < 2; round++) read('remote-write-1', series(...fields), sink);
    assert.deepEqual(sink.samples.slice(0, 2), ['up{job=a} 1 @1', 'up{job=a} 2 @2']);
    assert.deepEqual(sink.samples.slice(2), sink.samples.slice(0, 2));
    assert.equal(sink.keys, 0, 'bytes with samples in them are not a key');
  }
});

test('unsorted labels and empty values give the same series', () => {
  const body = series(
    (out) => label(out, 'job', 'a'),
    (out) => label(out, 'empty', ''),
    (out) => label(out, '__name__', 'up'),
    (out) => sample(out, 1, 1),
  );
  assert.deepEqual(read('remote-write-1', body).samples, ['up{job=a} 1 @1']);
});

test('series with bad labels are rejected separately, with a reason and the number of samples', () => {
  const good = series(
    (out) => label(out, '__name__', 'good'),
    (out) => sample(out, 1, 1),
  );
  const cases: [fields: ((out: ProtobufWriter) => void)[], why: RegExp][] = [
    [[(out) => label(out, 'job', 'a')], /has no name/],
    [[(out) => label(out, '__name__', 'm'), (out) => label(out, '__name__', 'n')], /is used twice/],
    [[(out) => label(out, '__name__', Buffer.from([0xff]))], /not valid UTF-8/],
    [[(out) => label(out, Buffer.from([0xc3]), 'm')], /not valid UTF-8/],
    [[], /has no name/],
  ];
  for (const [labels, why] of cases) {
    const one = series(...labels, (out) => sample(out, 1, 1));
    const two = series(
      ...labels,
      (out) => sample(out, 1, 1),
      (out) => sample(out, 2, 2),
    );
    for (const [at, bad] of [one, two].entries()) {
      const sink = read('remote-write-1', Buffer.concat([bad, good]));
      assert.deepEqual(sink.samples, ['good 1 @1']);
      assert.equal(sink.rejected.length, 1);
      assert.equal(sink.rejected[0]?.[0], at + 1);
      assert.match(sink.rejected[0]?.[1] ?? '', why);
    }
  }
});

test('samples of a refused series are passed on with the returned handle', () => {
  const body = encodeWriteRequest([{ labels: up, times: [1, 2], values: [1, 2] }]);
  const sink = read('remote-write-1', body, new Recorder(() => true));
  assert.deepEqual([sink.samples, sink.rejected.length], [[], 2]);
});

test('exemplars are ignored, native histograms are rejected, unknown fields are skipped', () => {
  const body = series(
    (out) => label(out, '__name__', 'm'),
    (out) => out.message(3, () => out.double(2, 1)),
    (out) => out.message(4, () => out.int64(1, 1)),
    (out) => out.message(4, () => out.int64(1, 1)),
    (out) => sample(out, 1, 1),
    (out) => out.int64(99, 7),
  );
  const sink = read('remote-write-1', Buffer.concat([Buffer.from([0x10, 0x02]), body]));
  assert.deepEqual(sink.samples, ['m 1 @1']);
  assert.deepEqual(sink.rejected, [[2, 'native histograms are not supported: send classic ones']]);
});

test('a series without samples is ignored', () => {
  const sink = read('remote-write-1', encodeWriteRequest([{ labels: up, times: [], values: [] }]));
  assert.deepEqual([sink.registered, sink.rejected], [0, []]);
});

test('a body truncated at any byte except the end of a series is unreadable', () => {
  const one = encodeWriteRequest([{ labels: up, times: [1], values: [1] }]);
  for (let length = 1; length < one.length; length++)
    assert.throws(() => read('remote-write-1', one.subarray(0, length)), UnreadablePush, String(length));
});
