// The formats that headers select.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOf } from './formats.ts';

const shown = (type: string | undefined, encoding: string | undefined, path: 'push' | 'otlp' = 'push'): string => {
  const form = formatOf(type, encoding, path);
  return form ? `${form.format} ${form.coding}` : '415';
};

test('[METRIC-04] [METRIC-05] the headers of a push select its format', () => {
  const v2 = 'io.prometheus.write.v2.Request';
  const cases: [type: string | undefined, encoding: string | undefined, form: string][] = [
    ['application/x-protobuf', 'snappy', 'remote-write-1 snappy'],
    ['application/x-protobuf', undefined, 'remote-write-1 snappy'],
    ['application/x-protobuf', '', 'remote-write-1 snappy'],
    ['application/x-protobuf', 'zstd', 'remote-write-1 zstd'],
    ['application/x-protobuf', 'identity', 'remote-write-1 identity'],
    [undefined, 'snappy', 'remote-write-1 snappy'],
    ['application/x-protobuf;proto=prometheus.WriteRequest', 'snappy', 'remote-write-1 snappy'],
    [`application/x-protobuf;proto=${v2}`, 'snappy', 'remote-write-2 snappy'],
    [`Application/X-Protobuf ; Proto = "${v2}"`, 'Snappy', 'remote-write-2 snappy'],
    [`application/x-protobuf;proto=${v2}`, undefined, 'remote-write-2 snappy'],
    ['application/x-protobuf;proto=io.prometheus.write.v3.Request', 'snappy', '415'],
    ['application/x-protobuf;proto=constructor', 'snappy', '415'],
    ['text/plain; version=0.0.4; charset=utf-8', undefined, 'text identity'],
    ['text/plain', 'gzip', 'text gzip'],
    ['application/x-www-form-urlencoded', undefined, 'text identity'],
    ['application/openmetrics-text; version=1.0.0; charset=utf-8', undefined, 'openmetrics identity'],
    ['application/json', 'snappy', 'json snappy'],
    ['application/json; charset=utf-8', undefined, 'json identity'],
    ['application/json', 'deflate', 'json deflate'],
    ['application/json', 'br', '415'],
    ['application/json', 'gzip, snappy', '415'],
    ['application/json', 'toString', '415'],
    ['image/png', undefined, '415'],
    ['application/octet-stream', 'snappy', '415'],
  ];
  for (const [type, encoding, form] of cases) assert.equal(shown(type, encoding), form, `${type}, ${encoding}`);
});

test('the path of OTLP accepts only its two encodings', () => {
  assert.equal(shown('application/x-protobuf', undefined, 'otlp'), 'otlp identity');
  assert.equal(shown('application/x-protobuf', 'gzip', 'otlp'), 'otlp gzip');
  assert.equal(shown('application/x-protobuf', 'x-snappy-framed', 'otlp'), 'otlp snappy');
  assert.equal(shown('application/json', 'gzip', 'otlp'), 'otlp-json gzip');
  assert.equal(shown('text/plain', undefined, 'otlp'), '415');
  assert.equal(shown(undefined, undefined, 'otlp'), '415');
});
