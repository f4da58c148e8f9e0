// Names of OpenTelemetry in the translation of Prometheus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelName, metricName, type Suffix, unitName } from './names.ts';
import { decimal } from './translation.ts';

test('metric names consist of name, unit and kind', () => {
  const cases: [name: string, unit: string, suffix: Suffix, expected: string][] = [
    ['simple', '', undefined, 'simple'],
    ['http.server.request.duration', 's', undefined, 'http_server_request_duration_seconds'],
    ['response_time_seconds', 's', undefined, 'response_time_seconds'],
    ['requests', '', 'total', 'requests_total'],
    ['total.requests', '', 'total', 'requests_total'],
    ['requests_total', '', 'total', 'requests_total'],
    ['cpu.usage', '1', 'ratio', 'cpu_usage_ratio'],
    ['throughput', 'By/s', undefined, 'throughput_bytes_per_second'],
    ['requests', '1/s', undefined, 'requests_per_second'],
    ['requests', '{request}/s', 'total', 'requests_per_second_total'],
    ['size', 'By/{custom}', undefined, 'size_bytes'],
    ['a', 'custom_unit', undefined, 'a_custom_unit'],
    ['a', 'unit@with#special/chars', undefined, 'a_unit_with_special_per_chars'],
    ['a__b--c', 'x__y', undefined, 'a_b_c_x_y'],
    ['99.percentile', '', undefined, '_99_percentile'],
    ['disk', 'TiBy', undefined, 'disk_tebibytes'],
    ['ns:metric', '%', undefined, 'ns:metric_percent'],
    ['@#$%', '', undefined, ''],
    ['', '', 'total', ''],
  ];
  for (const [name, unit, suffix, expected] of cases) assert.equal(metricName(name, unit, suffix), expected, name);
});

test('units and attributes get valid label names', () => {
  assert.equal(unitName('ms'), 'milliseconds');
  assert.equal(unitName('By/s'), 'bytes_per_second');
  assert.equal(unitName('1'), '');
  assert.equal(unitName('constructor'), 'constructor');
  assert.equal(labelName('http.method'), 'http_method');
  assert.equal(labelName('ä'), 'key_');
  assert.equal(labelName('1st'), 'key_1st');
  assert.equal(labelName('_own'), 'key_own');
  assert.equal(labelName('__kept__'), '__kept__');
});

test('bounds are written without an exponent', () => {
  const cases: [number, string][] = [
    [0.005, '0.005'],
    [10, '10'],
    [-2.5, '-2.5'],
    [5e-7, '0.0000005'],
    [-1.25e-9, '-0.00000000125'],
    [1e21, `1${'0'.repeat(21)}`],
    [1.5e25, `15${'0'.repeat(24)}`],
    [Number.POSITIVE_INFINITY, '+Inf'],
  ];
  for (const [value, expected] of cases) assert.equal(decimal(value), expected);
});
