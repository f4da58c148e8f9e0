// Templates of labels and annotations, and the numbers in them as Go writes them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '../../../testing/processor-time.ts';
import { printf, scientific, shortest, significant } from './number-format.ts';
import { parseTemplate } from './template.ts';

const data = {
  labels: new Map([
    ['instance', 'web-1:9100'],
    ['job', 'node'],
    ['odd-name', 'x'],
  ]),
  value: 1234567.891,
  externalURL: 'http://localhost:7070/console',
};
const expand = (text: string, value = data.value): string => parseTemplate(text).expand({ ...data, value });

test('numbers are written as Go writes them', () => {
  const plain: [number, string][] = [
    [0, '0'],
    [1, '1'],
    [-1.5, '-1.5'],
    [100_000, '100000'],
    [1_000_000, '1e+06'],
    [1_234_567, '1.234567e+06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [Number.NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
    [0.1 + 0.2, '0.30000000000000004'],
  ];
  for (const [value, text] of plain) assert.equal(shortest(value), text);
  const four: [number, string][] = [
    [1000, '1000'],
    [12_346, '1.235e+04'],
    [0.1234567, '0.1235'],
    [10.5, '10.5'],
    [1.9999, '2'],
    [99.999, '100'],
    [0, '0'],
  ];
  for (const [value, text] of four) assert.equal(significant(value, 4), text);
  assert.deepEqual([scientific(1), scientific(-0.05), scientific(Infinity)], ['1e+00', '-5e-02', '+Inf']);
});

test('printf knows the usual verbs', () => {
  const known: [string, (string | number | boolean)[], string][] = [
    ['%s is %v', ['a', 1.5], 'a is 1.5'],
    ['%.2f%%', [12.345], '12.35%'],
    ['%5d|%-5d|%05d', [42, 42, 42], '   42|42   |00042'],
    ['%+d %e %g', [1, 1500, 0.25], '+1 1.500000e+03 0.25'],
    ['%q %x %t', ['a"b', 255, true], '"a\\"b" ff true'],
    ['%.3s|%6.2f', ['abcdef', 2.34567], 'abc|  2.35'],
    ['%d', ['x'], '%!d(x)'],
    ['%d %s', [1], '1 %!s(MISSING)'],
    ['a', [1], 'a%!(EXTRA 1)'],
  ];
  for (const [format, args, text] of known) assert.equal(printf(format, args), text, format);
});

test('[METRIC-07] templates of alerts are expanded as Prometheus expands them', () => {
  const known: [string, string, number?][] = [
    ['plain { text }', 'plain { text }'],
    ['{{ $labels.instance }} of {{ .Labels.job }}', 'web-1:9100 of node'],
    ['{{ $value }}', '1.234567891e+06'],
    ['{{ $value | humanize }}B', '1.235MB'],
    ['{{ humanize1024 $value }}', '1.177Mi'],
    ['{{ $value | humanizePercentage }}', '12.34%', 0.12344],
    ['{{ humanizeDuration .Value }}', '1d 1h 1m 5s', 90_065],
    ['{{ humanizeDuration .Value }}', '59.5s', 59.5],
    ['{{ humanizeDuration .Value }}', '5ms', 0.005],
    ['{{ humanizeDuration .Value }}', '-1m 1s', -61],
    ['{{ humanizeTimestamp .Value }}', '2026-01-02 03:04:05 +0000 UTC', 1_767_323_045],
    ['{{ humanizeTimestamp .Value }}', '2026-01-02 03:04:05.25 +0000 UTC', 1_767_323_045.25],
    ['{{ $value | humanize }}', '500m', 0.5],
    ['{{ $value | humanize }}', '1m', 0.001],
    ['{{ $value | humanize }}', '0', 0],
    ['{{ $value | humanize }}', '+Inf', Infinity],
    ['{{ printf "%.1f of %s" $value $labels.job }}', '1234567.9 of node'],
    ['{{ $value | printf "%.0f" }}', '1234568'],
    ['{{ $labels.missing }}|{{ index $labels "odd-name" }}', '|x'],
    ['{{ $labels }}', 'map[instance:web-1:9100 job:node odd-name:x]'],
    ['{{ $labels.job | toUpper }} {{ title "some words" }}', 'NODE Some Words'],
    ['{{ stripPort $labels.instance }} {{ stripPort "[::1]:9" }}', 'web-1 ::1'],
    ['{{ "a\\tb" }}{{ `c\\d` }}', 'a\tbc\\d'],
    ['a {{- " b " -}} c', 'a b c'],
    ['a{{/* nothing */}}b', 'ab'],
    ['{{ if gt $value 5.0 }}high{{ else }}low{{ end }}', 'high'],
    ['{{ if gt $value 5.0 }}high{{ else }}low{{ end }}', 'low', 1],
    ['{{ if eq $labels.job "x" "y" }}1{{ else if $labels.job }}2{{ else }}3{{ end }}', '2'],
    ['{{ if and $labels.job (not $labels.missing) }}both{{ end }}', 'both'],
    ['{{ if true }}{{ if false }}a{{ else }}b{{ end }}c{{ end }}', 'bc'],
    ['{{ $externalURL }}{{ $externalLabels.x }}', data.externalURL],
    ['{{ or $labels.missing "none" }} {{ len $labels.job }}', 'none 4'],
    ['{{ urlquery "a b&c" }}', 'a+b%26c'],
    ['{{ urlquery "\\ud800" }}', '%EF%BF%BD'],
  ];
  for (const [text, wanted, value] of known) {
    assert.equal(parseTemplate(text).problem, undefined, text);
    assert.equal(expand(text, value), wanted, text);
  }
});

test('what is wrong with a template is told when it is written', () => {
  const wrong: [string, RegExp][] = [
    ['{{ $lables.x }}', /undefined variable "\$lables\.x"/],
    ['{{ $value', /unclosed action/],
    ['{{ nothing $value }}', /function "nothing" not defined/],
    ['{{ range $x }}{{ end }}', /range.* is not offered/],
    ['{{ with query "up" }}{{ end }}', /with.* is not offered/],
    ['{{ if true }}', /without its/],
    ['{{ end }}', /unexpected/],
    ['{{ else }}', /unexpected/],
    ['{{ if true }}{{ else }}{{ else }}{{ end }}', /without its/],
    ['{{ $x := 5 }}', /undefined variable|not offered/],
    ['{{ }}', /missing value/],
    ['{{ $value | }}', /missing value/],
    ['{{ $value 5 }}', /non-function/],
    ['{{ $value.x }}', /can't evaluate field x/],
    ['{{ ( $value }}', /unclosed left paren/],
    ['{{ "a }}', /unclosed action/],
    ['{{ a;b }}', /not defined|unexpected/],
    [`${'{{ if true }}'.repeat(100)}${'{{ end }}'.repeat(100)}`, /too many/],
    [`{{ ${'('.repeat(1000)} }}`, /too many|unclosed/],
  ];
  for (const [text, problem] of wrong)
    assert.match(parseTemplate(text).problem ?? 'nothing', problem, text.slice(0, 80));
});

test('what goes wrong while it is expanded is told in its place', () => {
  assert.match(expand('{{ humanize $labels.job }}'), /^<error expanding template: "node" is no number>$/);
  assert.match(expand('{{ if lt $labels.job 5 }}{{ end }}'), /different kinds/);
  assert.match(expand('{{ humanize }}'), /wrong number of args for humanize: want 1 got 0/);
});

test('a template can not take long, whatever it is', () => {
  const texts = [
    '{{'.repeat(20_000),
    '{{ $value }}'.repeat(5000),
    `{{ ${'"" '.repeat(10_000)} }}`,
    '{{/*'.repeat(20_000),
  ];
  const usedMs = processorMs(() => {
    for (const text of texts) expand(text);
  });
  assert.ok(usedMs < 5000, `${usedMs} ms`);
});
