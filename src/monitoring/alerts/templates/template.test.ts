// Templates of labels and annotations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StringMap } from '../../../core/go-template/values.ts';
import { HeavyRule } from '../../../surface/alerting/source.ts';
import { processorMs } from '../../../testing/processor-time.ts';
import { parseTemplate } from './template.ts';

const data = {
  labels: new StringMap([
    ['instance', 'web-1:9100'],
    ['job', 'node'],
    ['odd-name', 'x'],
  ]),
  value: 1234567.891,
  externalURL: 'http://localhost:7070/console',
};
const expand = (text: string, value = data.value): string => parseTemplate(text).expand({ ...data, value });

test('[METRIC-07] templates of alerts are expanded as in Prometheus', () => {
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
    [
      '{{ range $name, $text := $labels }}{{ $name }}={{ $text }};{{ end }}',
      'instance=web-1:9100;job=node;odd-name=x;',
    ],
    ['{{ with $labels.job }}{{ . }}{{ end }}{{ with $labels.missing }}full{{ else }} none{{ end }}', 'node none'],
    ['{{ $half := printf "%.1f" .Value }}{{ $half }} {{ printf "%d" $value }}', '2.5 %!d(float64=2.5)', 2.5],
  ];
  for (const [text, wanted, value] of known) {
    assert.equal(parseTemplate(text).problem, undefined, text);
    assert.equal(expand(text, value), wanted, text);
  }
});

test('a template with an error is refused when it is written', () => {
  const wrong: [string, RegExp][] = [
    ['{{ $lables.x }}', /undefined variable "\$lables"/],
    ['{{ $value', /unclosed action/],
    ['{{ nothing $value }}', /function "nothing" not defined/],
    ['{{ range $x }}{{ end }}', /undefined variable "\$x"/],
    ['{{ with query "up" }}{{ end }}', /function "query" not defined/],
    ['{{ define "a" }}{{ end }}', /define.* is not supported/],
    ['{{ if true }}', /unexpected EOF/],
    ['{{ if true }}{{ $x := 1 }}{{ end }}{{ $x }}', /undefined variable "\$x"/],
    ['{{ end }}', /unexpected/],
    ['{{ else }}', /unexpected/],
    ['{{ if true }}{{ else }}{{ else }}{{ end }}', /unexpected \{\{else\}\}/],
    ['{{ $x = 5 }}', /undefined variable "\$x"/],
    ['{{ }}', /missing value/],
    ['{{ $value | }}', /missing value/],
    ['{{ $value.x }}', /can't evaluate field x/],
    ['{{ if .Nothing }}{{ end }}', /can't evaluate field Nothing/],
    ['{{ ( $value }}', /unclosed left paren/],
    ['{{ "a }}', /unclosed action/],
    ['{{ "\\ud800" }}', /invalid syntax/],
    ['{{ a;b }}', /not defined|unexpected/],
    [`${'{{ if true }}'.repeat(100)}${'{{ end }}'.repeat(100)}`, /too many/],
    [`{{ ${'('.repeat(1000)} }}`, /too many|unclosed/],
  ];
  for (const [text, problem] of wrong)
    assert.match(parseTemplate(text).problem ?? 'nothing', problem, text.slice(0, 80));
});

test('an error of the expansion replaces the text', () => {
  assert.match(expand('{{ humanize $labels.job }}'), /^<error expanding template: .*"node" is not a number>$/);
  assert.match(expand('{{ if lt $labels.job 5 }}{{ end }}'), /incompatible types for comparison/);
  assert.match(expand('{{ if gt $value 5 }}{{ end }}'), /incompatible types for comparison/);
  assert.match(expand('{{ humanize }}'), /wrong number of args for humanize: want 1 got 0/);
  assert.match(expand('{{ $value 5 }}'), /can't give argument to non-function/);
});

test('a rule whose templates exhaust their shared budget is heavy', () => {
  const budget = { left: 1000 };
  const expandAll = (): void => {
    for (let round = 0; round < 100; round++) parseTemplate('{{ humanize $value }}').expand({ ...data, budget });
  };
  assert.throws(expandAll, HeavyRule);
});

test('no template can take long', () => {
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
