// Remote write 2.0.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProtobufWriter } from '../../../core/push/protobuf/writer.ts';
import { UnreadablePush } from '../../../core/push/push-body.ts';
import { decode } from '../decode.ts';
import { Recorder, read, receivedMs } from '../testing.ts';
import { encodeWriteRequest } from './encode.ts';

const symbols = ['', '__name__', 'up', 'job', 'a', 'Is it up?', 'seconds', 'x_bucket', 'le', '1', 'x_sum', 'ää'];

interface Series {
  refs: number[];
  samples?: [timeMs: number, value: number][];
  metadata?: [type: number, help: number, unit: number];
  histograms?: number;
  unpacked?: boolean;
}

function request(series: Series[], texts: (string | Uint8Array)[] = symbols): Buffer {
  const out = new ProtobufWriter();
  for (const text of texts) out.bytes(4, Buffer.from(text as string));
  for (const each of series) out.message(5, () => writeSeries(out, each));
  return Buffer.from(out.written);
}

function writeSeries(
  out: ProtobufWriter,
  { refs, samples = [[1, 1]], metadata, histograms = 0, unpacked }: Series,
): void {
  if (unpacked) for (const ref of refs) out.int64(1, ref);
  else out.bytes(1, packed(refs));
  for (const [timeMs, value] of samples) {
    out.message(2, () => {
      out.double(1, value);
      out.int64(2, timeMs);
    });
  }
  for (let at = 0; at < histograms; at++) out.message(3, () => out.int64(15, 1));
  out.message(4, () => out.double(2, 1));
  if (metadata) {
    out.message(5, () => {
      for (const [at, field] of [1, 3, 4].entries()) out.int64(field, metadata[at] as number);
    });
  }
  out.int64(6, 1_600_000_000_000);
}

// A packed field has its numbers after the tag.
function packed(refs: number[]): Buffer {
  return Buffer.concat(
    refs.map((ref) => {
      const out = new ProtobufWriter();
      out.int64(1, ref);
      return Buffer.from(out.written.subarray(1));
    }),
  );
}

test('[METRIC-04] series, samples and metadata of remote write 2.0 are read', () => {
  const sink = read(
    'remote-write-2',
    request([
      {
        refs: [1, 2, 3, 4],
        samples: [
          [1, 1],
          [2, 2.5],
        ],
        metadata: [2, 5, 0],
      },
      { refs: [1, 2, 3, 11], metadata: [2, 5, 0] },
      { refs: [1, 7, 8, 9], metadata: [3, 0, 6], unpacked: true },
      { refs: [3, 4, 1, 10], metadata: [3, 0, 6] },
    ]),
  );
  assert.deepEqual(sink.samples, [
    'up{job=a} 1 @1',
    'up{job=a} 2.5 @2',
    'up{job=ää} 1 @1',
    'x_bucket{le=1} 1 @1',
    'x_sum{job=a} 1 @1',
  ]);
  assert.deepEqual(sink.described, [
    { name: 'up', type: 'gauge', help: 'Is it up?', unit: '' },
    { name: 'x', type: 'histogram', help: '', unit: 'seconds' },
    { name: 'x', type: 'histogram', help: '', unit: 'seconds' },
  ]);
  assert.deepEqual(sink.rejected, []);
});

test('a series of remote write 1.0 is known by the same bytes', () => {
  const long = 'v'.repeat(300);
  const sink = new Recorder();
  const labels: [string, string][] = [
    ['__name__', 'up'],
    ['job', long],
  ];
  read('remote-write-1', encodeWriteRequest([{ labels, times: [1], values: [1] }]), sink);
  read('remote-write-2', request([{ refs: [1, 2, 3, 4] }], ['', '__name__', 'up', 'job', long]), sink);
  assert.equal(sink.registered, 1);
  assert.equal(sink.samples.length, 2);
});

test('the symbol table may follow the series', () => {
  const out = new ProtobufWriter();
  out.message(5, () => writeSeries(out, { refs: [1, 2, 3, 4] }));
  for (const text of symbols) out.text(4, text);
  assert.deepEqual(read('remote-write-2', Buffer.from(out.written)).samples, ['up{job=a} 1 @1']);
});

test('series with bad references or labels are rejected separately', () => {
  const texts = [...symbols, Buffer.from([0xff])];
  const cases: [series: Series, why: RegExp][] = [
    [{ refs: [1, 2, 3] }, /name but no value/],
    [{ refs: [1, 99] }, /the text 99 of 13/],
    [{ refs: [1, -1], unpacked: true }, /the text -1 of 13/],
    [{ refs: [3, 4] }, /has no name/],
    [{ refs: [] }, /has no name/],
    [{ refs: [1, 2, 3, 4, 3, 4] }, /is used twice/],
    [{ refs: [1, 12] }, /not valid UTF-8/],
    [{ refs: Array.from({ length: 1000 }, () => 3) }, /more than 256 labels/],
    [{ refs: [1, 2], samples: [], histograms: 1 }, /native histograms/],
  ];
  for (const [bad, why] of cases) {
    const sink = read('remote-write-2', request([bad, { refs: [1, 2] }], texts));
    assert.deepEqual(sink.samples, ['up 1 @1'], String(why));
    assert.equal(sink.rejected.length, 1);
    assert.equal(sink.rejected[0]?.[0], 1);
    assert.match(sink.rejected[0]?.[1] ?? '', why);
  }
});

test('a few bytes that refer repeatedly to a long text are bounded', () => {
  const texts = ['', '__name__', 'v'.repeat(30_000)];
  const many = request(
    Array.from({ length: 2000 }, () => ({ refs: [1, 2] })),
    texts,
  );
  const push = { format: 'remote-write-2', coding: 'identity', body: many, receivedMs } as const;
  assert.throws(
    () => decode(push, new Recorder(), { mostBytes: many.length }),
    (error) => error instanceof UnreadablePush && error.tooLarge,
  );
  const sink = read('remote-write-2', request([{ refs: [1, 2, 2, 2, 2, 2] }], texts));
  assert.match(sink.rejected[0]?.[1] ?? '', /more than 65536 bytes/);
});

test('a truncated body is unreadable at every byte of a series', () => {
  const whole = request([{ refs: [1, 2, 3, 4], metadata: [2, 5, 0] }]);
  const start = request([]).length;
  for (let length = start + 1; length < whole.length; length++)
    assert.throws(() => read('remote-write-2', whole.subarray(0, length)), UnreadablePush, String(length));
});
