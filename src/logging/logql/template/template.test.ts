// Templates of lines and labels, with the functions that Loki documents.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StringMap } from '../../../core/go-template/values.ts';
import { parseTemplate } from './template.ts';

const data = {
  labels: new StringMap([
    ['a', 'hello world'],
    ['n', '42'],
    ['f', '2.75'],
    ['json', '{"list":[1,2.5,"x"],"map":{"k":"v"},"none":null}'],
    ['when', '2026-11-17 10:20:30'],
    ['epoch', '1679577215'],
    ['empty', ''],
  ]),
  line: '  the line\t',
  timeNs: 1_679_577_215_123_456_789n,
};
const expand = (text: string): string => parseTemplate('line', text).expand(data);

const cases: [string, string][] = [
  // control
  ['{{ if and .a (not .empty) }}yes{{ end }}', 'yes'],
  ['{{ if eq .n "1" "42" }}one{{ else if gt 1 2 }}two{{ else }}three{{ end }}', 'one'],
  ['{{ with .empty }}full{{ else }}none{{ end }}{{ with .n }}{{ . }}{{ end }}', 'none42'],
  ['{{ $x := .n }}{{ $x = add $x 1 }}{{ $x }}', '43'],
  ['{{ range $i, $e := (fromJson .json).list }}{{ if $i }},{{ end }}{{ $e }}{{ end }}', '1,2.5,x'],
  ['{{ range (fromJson .json).list }}{{ if eq (printf "%v" .) "2.5" }}{{ break }}{{ end }}{{ . }};{{ end }}', '1;'],
  [
    '{{ range $k, $v := (fromJson .json).map }}{{ $k }}={{ $v }}{{ end }}{{ (fromJson .json).missing }}',
    'k=v<no value>',
  ],
  ['a {{- /* dropped */ -}} b {{- " c " -}} d', 'ab c d'],
  ['{{ index (fromJson .json).list 2 }} {{ len .a }} {{ slice .a 0 5 }}', 'x 11 hello'],
  // numbers
  ['{{ add .n 1 2 }} {{ sub 1 .n }} {{ mul .n 2 }} {{ div .n 5 }} {{ mod .n 5 }}', '45 -41 84 8 2'],
  ['{{ addf .f 0.25 }} {{ subf .f 1 }} {{ mulf .f 2 }} {{ divf 1 8 }}', '3 1.75 5.5 0.125'],
  ['{{ addf 7.681 1.5 }} {{ subf 0.3 0.1 }} {{ mulf 1.1 3 }} {{ addf -0.5 0.25 }}', '9.181 0.2 3.3 -0.25'],
  ['{{ max .n 50 7 }} {{ min .n 50 7 }} {{ maxf 1.5 .f }} {{ minf 1.5 .f }}', '50 7 2.75 1.5'],
  ['{{ ceil .f }} {{ floor .f }} {{ round .f 1 }} {{ int .f }} {{ float64 "1e3" }}', '3 2 2.8 2 1000'],
  ['{{ bytes "2KiB" }} {{ duration "1m30s" }} {{ duration_seconds "250ms" }}', '2048 90 0.25'],
  [
    '{{ printf "%5.2f|%-5s|%03d|%x|%t|%q|%v|%%" 3.14159 "ab" 7 255 true "q" 1.5 }}',
    ' 3.14|ab   |007|ff|true|"q"|1.5|%',
  ],
  // texts
  ['{{ .a | title | replace "o" "0" | trunc 7 }}|{{ trunc -3 .a }}|{{ substr 2 5 .a }}', 'Hell0 W|rld|llo'],
  [
    '{{ trimAll "hd" .a }}|{{ trimPrefix "hello" .a }}|{{ trimSuffix "world" .a }}|{{ trim __line__ }}',
    'ello worl| world|hello |the line',
  ],
  ['{{ indent 2 "a\\nb" }}|{{ nindent 1 "c" }}|{{ repeat 3 "ab" }}', '  a\n  b|\n c|ababab'],
  ['{{ contains "wor" .a }} {{ hasPrefix "hell" .a }} {{ hasSuffix "x" .a }} {{ count "l+" .a }}', 'true true false 2'],
  [
    '{{ urlencode "a b&c" }} {{ urldecode "a%20b%26c" }} {{ b64enc "hi" }} {{ b64dec "aGk=" }}',
    'a+b%26c a b&c aGk= hi',
  ],
  ['{{ alignLeft 3 .a }}|{{ alignRight 13 .a }}|{{ default "none" .empty }}', 'hel|  hello world|none'],
  ['{{ regexReplaceAll "(w)(o)" .a "$2$1" }} {{ regexReplaceAllLiteral "o" .a "$1" }}', 'hello owrld hell$1 w$1rld'],
  ['{{ ToUpper .n }}{{ Replace .a "l" "L" 2 }}{{ TrimRight "xyy" "y" }}', '42heLLo worldx'],
  // times
  [
    '{{ unixEpoch __timestamp__ }} {{ unixEpochMillis __timestamp__ }} {{ unixEpochNanos __timestamp__ }}',
    '1679577215 1679577215123 1679577215123456789',
  ],
  ['{{ date "Mon Jan _2 15:04:05.000 MST 2006" __timestamp__ }}', 'Thu Mar 23 13:13:35.123 UTC 2023'],
  ['{{ date "2006-01-02T15:04:05.999999999Z07:00" (unixToTime .epoch) }}', '2023-03-23T13:13:35Z'],
  ['{{ .when | toDate "2006-01-02 15:04:05" | unixEpoch }}', '1794910830'],
  ['{{ toDateInZone "2006-01-02 15:04:05" "Europe/Berlin" .when | date "3:04PM -0700" }}', '10:20AM +0100'],
];

for (const [text, expected] of cases) test(text, () => assert.equal(expand(text), expected));

test('short templates cannot create texts that exhaust the memory', () => {
  const long = '{{ $x := repeat 1000000 "a" }}';
  for (const text of [
    '{{ $x := "aaaaaaaaaaaaaaaa" }}{{ range $i := 40 }}{{ $x = printf "%s%s" $x $x }}{{ end }}{{ alignLeft 5 $x }}',
    `${long}{{ $y := print $x $x $x }}`,
    `${long}{{ len (println $x $x) }}`,
    `${long}{{ len (indent 1000 (replace "a" "\\n" $x)) }}`,
    `${long}{{ len (Replace $x "a" $x 500) }}`,
    `${long}{{ len (regexReplaceAll "a+" $x "$0$0$0") }}`,
    `${long}{{ range $i := 99999 }}{{ $y := upper $x }}{{ end }}`,
  ])
    assert.throws(() => expand(text), /too long|too much text/);
  const spaced = '{{ $y := print "x" (repeat 1000000 " ") "x" }}{{ len (trim $y) }} {{ len (trim (repeat 9 " ")) }}';
  assert.equal(expand(spaced), '1000002 0');
});

test('errors of a template are reported when it is parsed, or mark the line', () => {
  for (const [text, message] of [
    ['{{ nothing .a }}', /template: line:1: function "nothing" not defined/],
    ['{{ if .a }}', /unexpected EOF/],
    ['{{ .a', /unclosed action/],
    ['{{ end }}', /unexpected \{\{end\}\}/],
  ] as const)
    assert.throws(() => parseTemplate('line', text), message);
  assert.throws(() => expand('{{ div 1 0 }}'), /divide by zero/);
  assert.throws(() => expand('{{ .a.b }}'), /can't evaluate field b in type string/);
  assert.throws(() => expand('{{ repeat 9999999 .a }}'), /too long/);
  assert.throws(() => expand('{{ range $i := 99999 }}{{ range $j := 99999 }}{{ end }}{{ end }}'), /too many rounds/);
});
