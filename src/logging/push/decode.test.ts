// Pushes of all formats become lines of streams, and invalid ones store nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Encoder, ExtData, encode } from '@msgpack/msgpack';
import { compress } from '../../core/compression/snappy.ts';
import { ProtobufWriter } from '../../core/push/protobuf/writer.ts';
import { decodePush } from './decode.ts';
import { FrameScanner } from './message-frame.ts';
import type { LogPush, LogPushFormat } from './push.ts';

const second = 1_700_000_000;
const ns = BigInt(second) * 1_000_000_000n;
const streams = [
  { tag: 'app', source: 'generic', labels: ['level'], oldestNs: ns - 10n ** 12n },
  { tag: 'web', source: 'http', labels: [], oldestNs: ns - 10n ** 12n },
];

const pushOf = (format: LogPushFormat, body: Uint8Array | string, more: Partial<LogPush> = {}): LogPush => ({
  tenant: 'p1',
  format,
  coding: 'identity',
  body: typeof body === 'string' ? Buffer.from(body) : body,
  receivedNs: ns,
  sequence: 0,
  newestNs: ns + 10n ** 12n,
  streams,
  ...more,
});

// Returns the lines by stream: the time after `second` and the line.
function linesOf(push: LogPush): [labels: string, ns: bigint, line: string, metadata?: object | undefined][] {
  const { job, pushed } = decodePush(push);
  assert.equal(pushed.fault, undefined);
  return job.streams.flatMap(({ labels, times, lines, metadata }) =>
    lines.map((line, at): [string, bigint, string, (object | undefined)?] => {
      const { tag, source, pipeline, ...rest } = labels;
      assert.deepEqual([source !== '', pipeline], [true, 'p1']);
      const shown = [tag, ...Object.entries(rest).map((pair) => pair.join('='))].join(' ');
      const lineMetadata = metadata?.[at];
      return lineMetadata
        ? [shown, (times[at] as bigint) - ns, line, lineMetadata]
        : [shown, (times[at] as bigint) - ns, line];
    }),
  );
}

const faultOf = (push: LogPush): string | undefined => decodePush(push).pushed.fault?.kind;

function eventTime(nanoseconds: number): ExtData {
  const data = Buffer.alloc(8);
  data.writeUInt32BE(second, 0);
  data.writeUInt32BE(nanoseconds, 4);
  return new ExtData(0, data);
}

const record = (message: string, more: object = {}): object => ({ message, ...more });

test('[LOG-04] all modes of the forward protocol, with event times and metadata', () => {
  const entries = [
    [eventTime(5), record('a', { level: 'warn' })],
    [[eventTime(6), { host: 'h1' }], record('b')],
    [-1, { group: true }],
  ];
  const expected = [
    ['app level=warn', 5n, '{"message":"a","level":"warn"}'],
    ['app', 6n, '{"message":"b"}', { host: 'h1' }],
  ];
  const packed = Buffer.concat(entries.map((entry) => encode(entry)));
  const modes: unknown[][] = [
    ['app', entries],
    ['app', entries, { size: 2 }],
    ['app', packed, { chunk: 'c1' }],
    ['app', gzipSync(packed), { compressed: 'gzip' }],
    ['app', Buffer.concat([gzipSync(packed.subarray(0, 40)), gzipSync(packed.subarray(40))]), { compressed: 'gzip' }],
  ];
  for (const mode of modes) assert.deepEqual(linesOf(pushOf('forward', encode(mode))), expected);
  assert.equal(decodePush(pushOf('forward', encode(modes[2]))).pushed.ack, 'c1');
  assert.equal(decodePush(pushOf('forward', encode(modes[2]))).job.chunk, 'c1');
  const message = ['app', eventTime(9), record('c'), { chunk: 'c2' }];
  assert.deepEqual(linesOf(pushOf('forward', encode(message))), [['app', 9n, '{"message":"c"}']]);
});

test('entries packed as text, bytes in records and 64-bit integers are read exactly', () => {
  const packed = encode(
    [eventTime(1), { raw: Buffer.from('bytes ä'), id: 12_345_678_901_234_567_890n, __proto__x: 1 }],
    {
      useBigInt64: true,
    },
  );
  const head = Buffer.concat([Buffer.from([0x92]), encode('app'), Buffer.from([0xd9, packed.length]), packed]);
  const line = '{"raw":"bytes ä","id":12345678901234567890,"__proto__x":1}';
  assert.deepEqual(linesOf(pushOf('forward', head)), [['app', 1n, line]]);
});

test('equal lines of one second stay separate and in order if the sender has only seconds', () => {
  const entries = [second, second, second].map((time) => [time, record('same')]);
  const times = linesOf(pushOf('forward', encode(['web', entries]), { sequence: 70 })).map(([, time]) => time);
  assert.deepEqual(times, [70n, 71n, 72n]);
});

test('[LOG-04] an invalid time is replaced by the time of receipt', () => {
  for (const time of [Number.NaN, Number.POSITIVE_INFINITY])
    assert.deepEqual(linesOf(pushOf('forward', encode(['web', time, record('odd')]))), [
      ['web', 0n, '{"message":"odd"}'],
    ]);
});

test('invalid messages, unknown tags and unknown codings are reported', () => {
  assert.deepEqual(faultOf(pushOf('forward', encode(['nope', second, {}]))), 'unknown tag');
  const wrong: unknown[] = [
    ['app'],
    'app',
    ['app', [[second]]],
    ['app', [[second, 'text']]],
    ['app', second, 'text'],
    [1, second, {}],
    ['app', Buffer.from([0xc1]), {}],
    ['app', Buffer.from('x'), { compressed: 'lz4' }],
    ['app', Buffer.from('x'), { compressed: 'gzip' }],
  ];
  for (const message of wrong) assert.equal(faultOf(pushOf('forward', encode(message))), 'unreadable', String(message));
});

test('the end of a message is found piece by piece, and too large ones are refused by their head', () => {
  const value = new Encoder().encode(['app', [[1, { a: 'x'.repeat(300), b: [1.5, null, true, -40000, 2 ** 40] }]], {}]);
  const scanner = new FrameScanner(1000);
  for (let size = 0; size < value.length; size++)
    assert.ok('more' in (scanner.scan(value.subarray(0, size)) as object));
  assert.deepEqual(scanner.scan(value), { size: value.length });
  for (const head of ['c640000000', 'dd40000000', 'df20000000', 'db40000000', 'c940000000'])
    assert.equal(new FrameScanner(1_000_000).scan(Buffer.from(head, 'hex')), 'too large', head);
  assert.equal(new FrameScanner(1000).scan(Buffer.from([0x91, 0xc1])), 'garbage');
});

test('values that are nested too deeply, or too many in one record, are refused before they are decoded', () => {
  const repeated = (pattern: number[], count: number): Buffer =>
    Buffer.alloc(pattern.length * count, Buffer.from(pattern));
  const message = (value: Uint8Array): Buffer =>
    Buffer.concat([Buffer.from([0x93]), encode('app'), encode(second), value]);
  const values = Buffer.concat([Buffer.from([0x81, 0xa1, 0x61, 0xdd, 0, 8, 0, 0]), repeated([0xc0], 0x80000)]);
  const entry = (value: Uint8Array): Buffer => Buffer.concat([Buffer.from([0x92]), encode(second), value]);
  const refused: [LogPushFormat, Uint8Array | string][] = [
    ['forward', message(repeated([0x81, 0xa1, 0x61], 1000))],
    ['forward', message(repeated([0x91], 1000))],
    ['forward', message(values)],
    ['forward', encode(['app', gzipSync(entry(repeated([0x91], 1000))), { compressed: 'gzip' }])],
    ['forward', encode(['app', gzipSync(entry(values)), { compressed: 'gzip' }])],
    ['records', '['.repeat(1000)],
    ['records', `{${Array.from({ length: 70_000 }, (_, at) => `"k${at}":1`).join()}}`],
  ];
  for (const [format, body] of refused)
    assert.equal(faultOf(pushOf(format, body, { tag: 'app' })), 'oversized', `${format} ${body.slice(0, 9)}`);
  let nested: unknown = 1;
  for (let level = 0; level < 90; level++) nested = { a: nested };
  assert.equal(linesOf(pushOf('forward', encode(['app', second, nested]))).length, 1);
  assert.equal(new FrameScanner(1_000_000).scan(repeated([0x91], 1000)), 'too deep');
});

test('[LOG-05] records: an object, a list, lines; with their own time', () => {
  const of = (body: string) => linesOf(pushOf('records', body, { tag: 'web' }));
  assert.deepEqual(of('{"a": 1.0, "id": 12345678901234567890}\n'), [
    ['web', 0n, '{"a": 1.0, "id": 12345678901234567890}'],
  ]);
  assert.deepEqual(of('[{"a":1},{"a":1}]'), [
    ['web', 0n, '{"a":1}'],
    ['web', 1n, '{"a":1}'],
  ]);
  assert.deepEqual(of('{"a":1}\n\n{"b":2}\r\n'), [
    ['web', 0n, '{"a":1}'],
    ['web', 1n, '{"b":2}'],
  ]);
  const timed: [string, bigint][] = [
    [`{"date":${second}.25}`, 250_000_000n],
    [`{"timestamp":${second}007}`, 7_000_000n],
    ['{"@timestamp":"2023-11-14T22:13:20.123456789Z"}', 123_456_789n],
    ['{"time":"2023-11-14T23:13:20.5+01:00"}', 500_000_000n],
    ['{"date":"1990-01-01T00:00:00Z"}', 0n],
  ];
  for (const [body, time] of timed) assert.deepEqual(of(body)[0]?.[1], time, body);
  for (const body of ['', 'text', '1', '"x"', '[1]', '{"a":1}\nx', '<xml/>'])
    assert.equal(faultOf(pushOf('records', body, { tag: 'web' })), 'unreadable', body);
  assert.equal(faultOf(pushOf('records', '{}', { tag: 'nope' })), 'unknown tag');
});

test('the push API of Loki, in JSON and in protobuf', () => {
  const expected = [
    ['web job=x', 1n, 'first', { trace: 'abc' }],
    ['web job=x', 2n, 'second'],
  ];
  const body = JSON.stringify({
    streams: [
      {
        stream: { tag: 'web', job: 'x', source: 'mine' },
        values: [
          [`${ns + 1n}`, 'first', { trace: 'abc' }],
          [`${ns + 2n}`, 'second'],
        ],
      },
    ],
  });
  assert.deepEqual(linesOf(pushOf('loki-json', body)), expected);
  assert.deepEqual(linesOf(pushOf('loki-json', gzipSync(body), { coding: 'gzip' })), expected);
  const wire = (labels: string): Buffer => {
    const out = new ProtobufWriter();
    const entry = (at: number, line: string, metadata?: [string, string]): void =>
      out.message(2, () => {
        out.message(1, () => {
          out.int64(1, second);
          out.int64(2, at);
        });
        out.text(2, line);
        if (metadata)
          out.message(3, () => {
            out.text(1, metadata[0]);
            out.text(2, metadata[1]);
          });
      });
    out.message(1, () => {
      entry(1, 'first', ['trace', 'abc']);
      entry(2, 'second');
      out.text(1, labels);
    });
    return Buffer.from(out.written);
  };
  const labelled = wire('{job="x", tag="web"}');
  assert.deepEqual(linesOf(pushOf('loki', compress(labelled), { coding: 'snappy' })), expected);
  assert.equal(faultOf(pushOf('loki', wire('{job="x"}'))), 'unknown tag');
  assert.equal(faultOf(pushOf('loki', wire('job'))), 'unreadable');
  const one = pushOf('loki', wire('{q="a\\"b\\n\\u00e4", t=`raw`}'), { streams: streams.slice(0, 1) });
  assert.deepEqual(linesOf(one)[1], ['app q=a"b\nä t=raw', 2n, 'second']);
});

test('OTLP: the body is the line, the rest is metadata, and an attribute selects the stream', () => {
  const attribute = (key: string, stringValue: string): object => ({ key, value: { stringValue } });
  const body = {
    resourceLogs: [
      {
        resource: { attributes: [attribute('service.name', 'shop'), attribute('tag', 'web')] },
        scopeLogs: [
          {
            scope: { name: 'lib' },
            logRecords: [
              {
                timeUnixNano: `${ns + 3n}`,
                severityText: 'WARN',
                severityNumber: 13,
                body: { stringValue: 'hello' },
                attributes: [attribute('http.method', 'GET'), attribute('tag', 'app')],
                traceId: '0AF7651916CD43DD8448EB211C80319C',
              },
              { observedTimeUnixNano: `${ns + 4n}`, body: { kvlistValue: { values: [attribute('a', 'b')] } } },
            ],
          },
        ],
      },
    ],
  };
  assert.deepEqual(linesOf(pushOf('otlp-json', JSON.stringify(body))), [
    [
      'app service_name=shop',
      3n,
      'hello',
      {
        http_method: 'GET',
        severity_text: 'WARN',
        severity_number: '13',
        trace_id: '0af7651916cd43dd8448eb211c80319c',
        scope_name: 'lib',
      },
    ],
    ['web service_name=shop', 4n, '{"a":"b"}', { scope_name: 'lib' }],
  ]);
});

test('lines that are too old, in the future or too long are counted and dropped', () => {
  const lines = [`${ns}`, `${ns - 10n ** 13n}`, `${ns + 10n ** 13n}`].map((time) => [time, 'x']);
  const values = [...lines, [`${ns}`, 'y'.repeat(300_000)]];
  const { job, pushed } = decodePush(
    pushOf('loki-json', JSON.stringify({ streams: [{ stream: { tag: 'web' }, values }] })),
  );
  assert.deepEqual([pushed.lines, pushed.dropped, job.streams[0]?.lines.length], [1, 3, 1]);
  assert.match(pushed.reasons.join(), /older.*future.*longer/);
});

test('few bytes that expand to too many lines are refused before the lines are created', () => {
  const many = 500_001;
  const loki = (lines: Buffer): Buffer => {
    const stream = new ProtobufWriter();
    stream.text(1, '{tag="app"}');
    const whole = new ProtobufWriter();
    whole.bytes(1, Buffer.concat([stream.written, lines]));
    return Buffer.from(whole.written);
  };
  const emptyMetadata = Buffer.alloc(600, Buffer.from([0x1a, 0x00]));
  const list = Buffer.concat([
    Buffer.from([0xdd, 0, 7, 0xa1, 0x21]),
    Buffer.alloc(3 * many, Buffer.from([0x92, 0, 0x80])),
  ]);
  const bombs: [LogPushFormat, Uint8Array | string][] = [
    ['loki', loki(Buffer.alloc(2 * many, Buffer.from([0x12, 0x00])))],
    ['loki', loki(Buffer.concat([Buffer.from([0x12, 0xd8, 0x04]), emptyMetadata]))],
    ['forward', Buffer.concat([Buffer.from([0x92]), encode('app'), list])],
    ['forward', encode(['app', gzipSync(list.subarray(5)), { compressed: 'gzip' }])],
    ['records', '{}\n'.repeat(many)],
    ['records', `[${'{},'.repeat(2_000_000)}{}]`],
    ['records', `{"a":[${'[],'.repeat(2_000_000)}[]]}`],
  ];
  for (const [format, body] of bombs)
    assert.equal(faultOf(pushOf(format, body, { tag: 'app' })), 'oversized', `${format} ${body.slice(0, 9)}`);
});

test('attributes shared by many records are refused if each record would have too many', () => {
  const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const otlp = (attributes: object[], records: number, scope = 'lib'): string =>
    JSON.stringify({
      resourceLogs: [
        {
          resource: { attributes: [attribute('tag', 'app'), ...attributes] },
          scopeLogs: [{ scope: { name: scope }, logRecords: Array.from({ length: records }, () => ({})) }],
        },
      ],
    });
  const small = Array.from({ length: 200 }, (_, n) => attribute(`name${n}`, 'x'));
  const long = attribute('text', 'x'.repeat(60_000));
  assert.equal(faultOf(pushOf('otlp-json', otlp(small, 15_000))), 'oversized');
  assert.equal(faultOf(pushOf('otlp-json', otlp([long], 1000))), 'oversized');
  assert.equal(faultOf(pushOf('otlp-json', otlp([], 1000, 'y'.repeat(60_000)))), 'oversized');
  const { pushed } = decodePush(pushOf('otlp-json', otlp([long, attribute('more', 'x'.repeat(10_000))], 3)));
  assert.deepEqual([pushed.lines, pushed.dropped], [0, 3]);
  assert.match(pushed.reasons.join(), /has more than 65536/);
  assert.equal(linesOf(pushOf('otlp-json', otlp([long], 3))).length, 3);
});

test('labels of streams are truncated, however long the attribute is', () => {
  const attributes = ['service.name', 'level'].map((key) => ({ key, value: { stringValue: 'x'.repeat(100_000) } }));
  const body = { resourceLogs: [{ resource: { attributes }, scopeLogs: [{ logRecords: [{}] }] }] };
  const [app] = streams;
  const { job } = decodePush(pushOf('otlp-json', JSON.stringify(body), app && { streams: [app] }));
  const { service_name = '', level = '' } = job.streams[0]?.labels ?? {};
  assert.deepEqual([service_name.length, level.length], [1024, 1024]);
});
