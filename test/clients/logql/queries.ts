// Makes LogQL queries by chance that mean something for the lines of data.ts.
import type { Chance } from '../../../src/testing/seed.ts';
import { fromNs, spanS } from './data.ts';

export interface Question {
  path: 'query' | 'query_range';
  parameters: Record<string, string>;
  isLoose: boolean; // topk of equal values: which of them is open
}

type App = 'api' | 'worker' | 'nginx' | 'packed' | 'color';

const secondNs = 1_000_000_000n;
const momentNs = (seconds: number): string => String(fromNs + BigInt(seconds) * secondNs);

export function questionsBy(chance: Chance, count: number): Question[] {
  return Array.from({ length: count }, () => (chance.often(50) ? logQuestion(chance) : metricQuestion(chance)));
}

function logQuestion(chance: Chance): Question {
  const { below, one } = chance;
  const start = below(spanS - 300);
  return {
    path: 'query_range',
    parameters: {
      query: logQuery(chance, one<App>(['api', 'worker', 'nginx', 'packed', 'color'])),
      start: momentNs(start),
      end: momentNs(start + 60 + below(600)),
      limit: one(['5', '20', '30']),
      direction: one(['forward', 'backward']),
    },
    isLoose: false,
  };
}

function metricQuestion(chance: Chance): Question {
  const { below, one, often } = chance;
  const { text, isLoose } = metricQuery(chance, 2);
  const at = 60 * (5 + below(30));
  if (often(50)) return { path: 'query', parameters: { query: text, time: momentNs(at) }, isLoose };
  const step = one([15, 30, 60, 120]);
  return {
    path: 'query_range',
    parameters: { query: text, start: momentNs(at), end: momentNs(at + step * (2 + below(8))), step: String(step) },
    isLoose,
  };
}

function selector({ one, often }: Chance, app: App): string {
  const more = often(30)
    ? `, ${one(['env="prod"', 'env=~"p.*|dev"', 'zone!="b"', 'zone=~"a|b"', 'env!~"d.*"', 'missing=""'])}`
    : '';
  return `{app=${often(80) ? `"${app}"` : `~"${app}|none"`}${more}}`;
}

const words: Record<App, string[]> = {
  api: ['GET', 'error', '500', '"ok":true', 'items', 'not json', 'name'],
  worker: ['level=info', 'done', 'dur=', 'msg="a', 'empty'],
  nginx: ['GET', '404', '10.0.', 'curl', '/api'],
  packed: ['pod-1', '_entry', 'level=warn', 'plain'],
  color: ['foo', 'INFO', 'Grüße', '日本', 'n=1'],
};

function lineFilter({ one, often }: Chance, app: App): string {
  const word = (): string => JSON.stringify(one(words[app]));
  const filters: (() => string)[] = [
    () => `|= ${word()}`,
    () => `!= ${word()}`,
    () => `|= ${word()} or ${word()}`,
    () => `!= ${word()} or ${word()}`,
    () => `|~ ${one(['`(?i)get|foo`', '`[0-9]{3}`', '`level.{1,3}(info|warn)`', '`^\\S+ - `', '`\\bfoo\\b`', '`o+`'])}`,
    () => `!~ ${one(['`5\\d\\d`', '`(?i)error`', '`^{`'])}`,
    () => `|> ${one(['"<_>foo<_>"', '"{<_>}"', '"level=<_> msg=<_>"', '"<_> - <_>"'])}`,
    ...(app === 'nginx'
      ? [() => `|= ip(${one(['"10.0.0.0/16"', '"192.168.4.1-192.168.4.9"', '"::1"', '"2001:db8::/32"'])})`]
      : []),
  ];
  return often(35) ? one(filters)() : '';
}

const parsers: Record<App, string[]> = {
  api: [
    '| json',
    '| json',
    '| json status, who="user.name", town="user[\\"home-town\\"]", tag="tags[1].b", all="tags", gone="x.y"',
    '| json | logfmt',
    '| regexp `"status":(?P<status>\\d+)`',
    '| pattern `<_>"method":"<method>"<_>`',
  ],
  worker: [
    '| logfmt',
    '| logfmt',
    '| logfmt --strict',
    '| logfmt --keep-empty',
    '| logfmt lvl="level", n, gone="nothing"',
    '| logfmt --strict n',
  ],
  nginx: [
    '| pattern `<ip> - <user> [<_>] "<method> <path> <_>" <status> <size> "<agent>"`',
    '| regexp `^(?P<ip>\\S+) - (?P<user>\\S+) .*" (?P<status>\\d{3}) (?P<size>\\d+)`',
    '| pattern `<ip> - <_> "<method> <path>" nothing <status>`',
  ],
  packed: ['| unpack', '| unpack | logfmt', '| json', '| unpack | level="warn"'],
  color: ['| decolorize', '| decolorize | regexp `^(?P<level>[A-Z]+) (?P<word>\\S+) n=(?P<n>\\d+)`', '| logfmt'],
};

const labelFilters: Record<App, string[]> = {
  api: [
    'status >= 500',
    'status = 404',
    'level = "error"',
    'dur > 1s',
    'size > 10KB',
    'ms < 50.5',
    'user_id != 7',
    'who =~ "a.*|b.*"',
    'ok = "true" and status < 300',
    'status=200 or level="warn"',
    '(level="info" or level="warn") and ms >= 100',
    '__error__ = ""',
    '__error__ != ""',
    'app_extracted = "inner"',
    'trace = "t1"',
    'dur < 1m , size <= 1MB',
    'method != "GET", status > 200 or ok="false"',
  ],
  worker: [
    'level = "warn"',
    'n > 20',
    'n = -7',
    'dur >= 500ms',
    'size < 1KB',
    'flag = ""',
    'env_extracted = "inner"',
    '__error__ = ""',
    'lvl != "info"',
    'msg =~ ".*hi.*"',
    'n != 3 or dur > 2s',
    'level != "debug" and size > 100B',
  ],
  nginx: [
    'status >= 400',
    'ip = ip("10.0.0.0/8")',
    'ip != ip("192.168.0.0/16")',
    'size > 1000',
    'size > 50KB',
    'method = "POST"',
    'path =~ "/api.*"',
    'user != "-"',
    'agent =~ ".*X11.*"',
  ],
  packed: ['pod = "pod-1"', 'level =~ "warn|error"', 'node_name = "n1"', '__error__ = ""'],
  color: ['level = "WARN"', 'n >= 10', 'word = "Grüße"', 'n = 3'],
};

const formats: Record<App, string[]> = {
  api: [
    '| line_format "{{.level | upper}} {{.method}} {{.path}} {{.status}}"',
    '| line_format `{{ if eq .level "error" }}!{{ else if .ok }}ok{{ end }} {{ printf "%-6s|%4s" .method .status }}`',
    '| line_format `{{ add .status 1 }} {{ mulf .ms 2 }} {{ div .status 100 }} {{ mod .status 7 }} {{ round .ms 1 }}`',
    '| line_format `{{ .msg | replace "e" "E" | trunc 8 }}|{{ substr 0 3 .path }}|{{ .path | urlencode }}`',
    '| line_format `{{ __timestamp__ | unixEpoch }} {{ date "2006-01-02T15:04:05.000Z07:00" __timestamp__ }}`',
    '| line_format `{{ range $i, $t := fromJson .all }}{{ $i }}{{ end }}{{ .missing }}{{ len .msg }}`',
    '| line_format `{{ regexReplaceAll "(/[a-z]+)" .path "<$1>" }} {{ contains "GET" .method }} {{ .ms | float64 | ceil | int }}`',
    '| label_format lvl=level, both="{{.method}}-{{.status}}"',
    '| label_format path="{{ .path | trimPrefix `/` | default `root` }}", size=missing',
  ],
  worker: [
    '| line_format "{{.level}}: {{.msg}} ({{.n}}) {{ __line__ | lower | trunc 10 }}"',
    '| line_format `{{ if gt (int .n) 20 }}many{{ else }}few{{ end }} {{ .dur | duration }}`',
    '| line_format `{{ .level | title | alignLeft 6 }}|{{ .level | alignRight 3 }}|{{ repeat 2 .level }}|{{ .msg | b64enc }}`',
    '| label_format level="{{ ToUpper .level }}", m=msg',
    '| label_format n="{{ min .n 10 }}"',
  ],
  nginx: [
    '| line_format "{{.ip}} {{.status}}"',
    '| label_format status_class="{{ substr 0 1 .status }}xx"',
    '| line_format `{{ .path | urldecode }} {{ count "a" .path }}`',
  ],
  packed: ['| line_format "{{.pod}} {{.level}}"', '| label_format p=pod'],
  color: ['| line_format `{{ __line__ | trim | len }} {{ .word }}`', '| label_format short="{{ .word | trunc 3 }}"'],
};

const lasts = [
  '| drop level, trace',
  '| keep app, level, status',
  '| drop __error__, __error_details__',
  '| keep env=~"p.*", n',
  '| drop env="prod", missing',
  '',
];

function stages(chance: Chance, app: App, isMetric: boolean): string {
  const { one, often } = chance;
  const parts = [lineFilter(chance, app)];
  if (often(75)) {
    parts.push(one(parsers[app]));
    if (often(45)) parts.push(`| ${one(labelFilters[app])}`);
    if (often(isMetric ? 15 : 45)) parts.push(one(formats[app]));
    if (often(10)) parts.push(lineFilter(chance, app));
    if (often(25)) parts.push(one(lasts));
  }
  return parts.filter((part) => part !== '').join(' ');
}

const logQuery = (chance: Chance, app: App): string => `${selector(chance, app)} ${stages(chance, app, false)}`.trim();

const unwraps: Partial<Record<App, [parser: string, value: string][]>> = {
  api: [
    ['| json', 'ms'],
    ['| json', 'status'],
    ['| json', 'duration(dur)'],
    ['| json', 'bytes(size)'],
    ['| json', 'user_id'],
  ],
  worker: [
    ['| logfmt', 'n'],
    ['| logfmt', 'duration_seconds(dur)'],
    ['| logfmt', 'bytes(size)'],
  ],
  nginx: [['| pattern `<ip> - <_> "<method> <path> <_>" <status> <size> "<_>"`', 'size']],
};

const groupings = ['app', 'env', 'zone', 'app, env', 'level', 'status', 'method', 'missing', 'env, level', 'trace'];
const ranges = ['30s', '1m', '2m', '5m', '10m'];

interface Metric {
  text: string;
  isLoose: boolean;
}

function rangeQuery(chance: Chance): string {
  const { one, often } = chance;
  const range = (): string => `[${one(ranges)}]${often(12) ? ` offset ${one(['1m', '90s', '5m'])}` : ''}`;
  if (often(60)) {
    const app = one<App>(['api', 'worker', 'nginx', 'packed', 'color']);
    // Most lines with errors are taken out, because one of them fails the whole query.
    const pipeline = stages(chance, app, true);
    const clean = pipeline.includes('|') && often(75) ? ' | __error__=""' : '';
    const op = one([
      'count_over_time',
      'rate',
      'bytes_over_time',
      'bytes_rate',
      'count_over_time',
      'rate',
      'absent_over_time',
    ]);
    return `${op}(${selector(chance, app)} ${pipeline}${clean} ${range()})`;
  }
  const app = one(Object.keys(unwraps) as App[]);
  const [parser, value] = one(unwraps[app] as [string, string][]);
  const op = one(['sum', 'avg', 'min', 'max', 'stddev', 'stdvar', 'first', 'last', 'quantile', 'rate', 'rate_counter']);
  const name = op === 'rate' || op === 'rate_counter' ? op : `${op}_over_time`;
  const canGroup = !['sum', 'rate', 'rate_counter'].includes(op);
  const group = canGroup && often(50) ? ` ${one(['by', 'by', 'without'])} (${one(groupings)})` : '';
  const clean = often(85) ? ' | __error__=""' : '';
  const filter = often(40) ? ` ${lineFilter(chance, app)}` : '';
  const parameter = op === 'quantile' ? `${one(['0', '0.5', '0.9', '0.99', '1'])}, ` : '';
  return `${name}(${parameter}${selector(chance, app)}${filter} ${parser} | unwrap ${value}${clean} ${range()})${group}`;
}

function metricQuery(chance: Chance, depth: number): Metric {
  const { one, often } = chance;
  if (depth <= 0 || often(20)) return { text: rangeQuery(chance), isLoose: false };
  const inner = metricQuery(chance, depth - 1);
  const by = (): string => (often(75) ? `${one(['by', 'by', 'by', 'without'])} (${one(groupings)}) ` : '');
  const { text, isLoose } = inner;
  return one<() => Metric>([
    () => ({
      text: `${one(['sum', 'sum', 'sum', 'avg', 'max', 'min', 'count', 'stddev', 'stdvar'])} ${by()}(${text})`,
      isLoose,
    }),
    () => ({ text: `sum ${by()}(${rangeQuery(chance)})`, isLoose: false }),
    () => ({ text: `sum ${by()}(${rangeQuery(chance)})`, isLoose: false }),
    () => ({
      text: `${one(['topk', 'bottomk'])}${often(30) ? ` by (${one(groupings)}) ` : ''}(${one(['1', '2', '5'])}, ${text})`,
      isLoose: true,
    }),
    () => ({ text: `${one(['sort', 'sort_desc'])}(${text})`, isLoose: true }),
    () => ({
      text: `${text} ${one(['*', '/', '+', '-', '%', '^', '>', '<', '>=', '!=', '> bool'])} ${one(['2', '0.5', '10', '1'])}`,
      isLoose,
    }),
    () => ({ text: `${one(['1', '100'])} ${one(['-', '/', '*'])} ${text}`, isLoose }),
    () => ({ text: `label_replace(${text}, "where", "$1-z", "zone", "(.*)")`, isLoose }),
    () => binary(chance),
  ])();
}

function binary(chance: Chance): Metric {
  const { one } = chance;
  const group = one(['app', 'env', 'env, app', 'level']);
  const side = (): string => `sum by (${group}) (${rangeQuery(chance)})`;
  return one<() => Metric>([
    () => ({ text: `${side()} ${one(['/', '-', '*', '+', '>', '==', '> bool'])} ${side()}`, isLoose: false }),
    () => ({ text: `${side()} ${one(['and', 'or', 'unless'])} ${side()}`, isLoose: false }),
    () => ({ text: `${rangeQuery(chance)} / on (${group}) group_left ${side()}`, isLoose: false }),
    () => ({ text: `${side()} * ignoring (${group}) group_right ${rangeQuery(chance)}`, isLoose: false }),
    () => ({ text: `${side()} or vector(${one(['0', '1'])})`, isLoose: false }),
  ])();
}
