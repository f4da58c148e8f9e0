// Log queries on lines in memory.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Labels } from '../engine/engine.ts';
import { evaluateLogs, type LogQueryOptions } from './logs.ts';
import { parseLogQuery } from './syntax/parse.ts';
import { type MemoryLine, MemoryReader } from './testing.ts';

const second = 1_000_000_000n;
const at = (index: number): bigint => 1_700_000_000n * second + BigInt(index) * second;

const lines = (texts: string[], labels: Labels = { tag: 'web' }): MemoryLine[] =>
  texts.map((line, index) => ({ labels, timeNs: at(index), line }));

async function search(given: MemoryLine[], query: string, options: Partial<LogQueryOptions> = {}) {
  const reader = new MemoryReader(given);
  const streams = await evaluateLogs(reader, parseLogQuery(query), {
    tenant: 'p',
    fromNs: at(0),
    toNs: at(1000),
    direction: 'forward',
    limit: 5000,
    ...options,
  });
  return { streams, contains: reader.selections[0]?.contains };
}

const found = async (given: MemoryLine[], query: string, options: Partial<LogQueryOptions> = {}): Promise<string[]> =>
  (await search(given, query, options)).streams.flatMap((stream) => stream.lines.map(({ line }) => line));

async function labelsOf(line: string, query: string, labels: Labels = { tag: 'web' }): Promise<Labels> {
  const [stream] = (await search(lines([line], labels), query)).streams;
  return Object.fromEntries(stream?.pairs ?? [['no', 'line']]);
}

suite('line filters', () => {
  const texts = ['GET /a 200', 'GET /b 500 from 10.1.2.3', 'POST /c 404', 'error: 500'];
  const cases: [string, number[]][] = [
    ['|= "500"', [1, 3]],
    ['!= "500"', [0, 2]],
    ['|= "GET" |= "500"', [1]],
    ['|= "POST" or "error"', [2, 3]],
    ['!= "POST" or "error"', [0, 1]],
    ['|~ "GET|POST"', [0, 1, 2]],
    ['|~ `/[ab] \\d+`', [0, 1]],
    ['!~ "(?i)get"', [2, 3]],
    ['|= ip("10.0.0.0/8")', [1]],
    ['|> "<_> /c <_>"', [2]],
    ['!> "GET <_>"', [2, 3]],
  ];
  for (const [filter, expected] of cases)
    test(`LOG-06: ${filter} keeps the lines it should`, async () => {
      const wanted = expected.map((index) => texts[index]);
      assert.deepEqual(await found(lines(texts), `{tag="web"} ${filter}`), wanted);
    });

  test('LOG-06: words that every line must contain are passed to the engine, until a stage changes lines', async () => {
    const query = '{tag="web"} |= "a" |~ `took \\d+ms` |~ "x|y" or "z" != "b" | line_format "{{.x}}" |= "c"';
    assert.deepEqual((await search(lines([]), query)).contains, ['a', 'took ', 'ms']);
    assert.deepEqual((await search(lines([]), '{tag="web"} |~ `(?i)foo` |~ `ab?c+d{2}e` |~ `[a]bc`')).contains, ['bc']);
  });
});

suite('parsers', () => {
  const cases: [string, string, Labels][] = [
    [
      '{"a":"x","b":{"c":1.50,"d-e":true},"list":[1],"none":null,"tag":"y"}',
      '| json',
      { a: 'x', b_c: '1.50', b_d_e: 'true', tag_extracted: 'y' },
    ],
    [
      '{"a":[{"b":"deep"}],"x y":"q"}',
      '| json one="a[0].b", two="[\\"x y\\"]", gone',
      { one: 'deep', two: 'q', gone: '' },
    ],
    ['{"a":"x", broken', '| json', { a: 'x', __error__: 'JSONParserErr' }],
    ['a=1 b="x \\"y\\"" c d=', '| logfmt', { a: '1', b: 'x "y"' }],
    ['a=1 c d=', '| logfmt --keep-empty', { a: '1', c: '', d: '' }],
    ['a=1 b=x"', '| logfmt --strict', { a: '1', __error__: 'LogfmtParserErr' }],
    ['level=warn took=3ms', '| logfmt lvl="level", took', { lvl: 'warn', took: '3ms' }],
    ['GET /x 200', '| regexp `(?P<method>\\w+) (?P<path>\\S+)`', { method: 'GET', path: '/x' }],
    ['1.2.3.4 - - "GET /x"', '| pattern `<ip> - <_> "<method> <path>"`', { ip: '1.2.3.4', method: 'GET', path: '/x' }],
    ['{"_entry":"the line","pod":"p"}', '| unpack', { pod: 'p' }],
    ['a=1 b=2 c=3', '| logfmt | drop a, b="9", tag', { b: '2', c: '3' }],
    ['a=1 b=2 c=3', '| logfmt | keep a, c=~"3"', { a: '1', c: '3' }],
    ['a=1 b=2', '| logfmt | label_format x=a, y="{{.b}}{{.tag}}"', { b: '2', x: '1', y: '2web' }],
  ];
  for (const [line, stage, expected] of cases)
    test(`LOG-06: ${stage} of ${line}`, async () => {
      const { __error_details__: _, ...labels } = await labelsOf(line, `{tag="web"} ${stage}`);
      const isKept = !/\| (?:keep|drop)/.test(stage);
      assert.deepEqual(labels, isKept ? { tag: 'web', ...expected } : expected);
    });

  test('LOG-06: label filters compare texts, numbers, durations and sizes', async () => {
    const given = lines(['n=5 d=1500ms s=2KiB', 'n=50 d=20s s=3MB', 'n=x d=1s s=1B']);
    const kept = async (filter: string): Promise<string[]> =>
      (await found(given, `{tag="web"} | logfmt | ${filter}`)).map((line) => line.split(' ')[0] as string);
    assert.deepEqual((await kept('n = 5 or d > 10s')).sort(), ['n=5', 'n=50', 'n=x']);
    assert.deepEqual(await kept('d >= 1.5s and s < 1MB'), ['n=5']);
    assert.deepEqual(await kept('n =~ "5.?" , s != "2KiB"'), ['n=50']);
  });

  test('LOG-06: both sides of `and` are evaluated, and each can mark the line with an error', async () => {
    const { __error__: error } = await labelsOf('n=5 d=x', '{tag="web"} | logfmt | (n > 9 and d > 1s) or n == 5');
    assert.equal(error, 'LabelFilterErr');
  });

  test('decolorize takes time in proportion to the line, even with unfinished sequences', async () => {
    const endless = `\x1b${';'.repeat(250_000)}`;
    const { streams } = await search(
      lines(['\x1b[1;31mred\x1b[0m \x1b]0;title\x07plain', endless]),
      '{tag="web"} | decolorize',
    );
    const texts = streams.flatMap((stream) => stream.lines.map(({ line }) => line));
    assert.deepEqual(texts.sort(), [endless, 'red plain']);
  });

  test('LOG-06: line_format has the functions of Go templates', async () => {
    const given = lines(['a=hello b=3 c=2.5']);
    const cases: [string, string][] = [
      ['{{.a | upper}}-{{ add .b 1 }}-{{ mulf .c 2 }}', 'HELLO-4-5'],
      ['{{ if eq .a "hello" }}yes{{ else }}no{{ end }}', 'yes'],
      ['{{ range $i, $e := fromJson `[1,"x"]` }}{{ $i }}={{ $e }};{{ end }}', '0=1;1=x;'],
      ['{{ printf "%05.1f|%-4s|%q" (float64 .c) .b .a }}', '002.5|3   |"hello"'],
      ['{{ __timestamp__ | date "2006-01-02T15:04:05Z07:00" }}', '2023-11-14T22:13:20Z'],
      ['{{ regexReplaceAll "(l+)" .a "<$1>" }} {{ .missing }}|{{ __line__ | trunc 3 }}', 'he<ll>o |a=h'],
      ['{{ .a | trimPrefix "he" | alignRight 5 }}', '  llo'],
    ];
    for (const [template, expected] of cases)
      assert.deepEqual(await found(given, `{tag="web"} | logfmt | line_format ${JSON.stringify(template)}`), [
        expected,
      ]);
  });
});

suite('results', () => {
  const given = [...lines(['w0', 'w1', 'w2']), ...lines(['d0', 'd1', 'd2'], { tag: 'db' })];

  test('LOG-06: the newest lines of all streams come first, up to the limit', async () => {
    const times = async (direction: 'forward' | 'backward'): Promise<string[]> =>
      (await found(given, '{tag=~".+"}', { direction, limit: 3 })).sort();
    assert.equal((await times('backward')).filter((line) => line.endsWith('2')).length, 2);
    assert.equal((await times('forward')).filter((line) => line.endsWith('0')).length, 2);
  });

  test('LOG-06: metadata of single lines are labels for filters, and can be returned separately', async () => {
    const withMetadata = [
      { labels: { tag: 'web' }, timeNs: at(0), line: 'a=1', metadata: { trace: 't1', tag: 'own' } },
    ];
    const { streams } = await search(withMetadata, '{tag="web"} | trace="t1" | logfmt');
    assert.deepEqual(Object.fromEntries(streams[0]?.pairs ?? []), {
      tag: 'web',
      tag_extracted: 'own',
      trace: 't1',
      a: '1',
    });
    const apart = await search(withMetadata, '{tag="web"} | logfmt', { isCategorized: true });
    const [stream] = apart.streams;
    assert.deepEqual(stream?.pairs, [['tag', 'web']]);
    assert.deepEqual(stream?.lines[0]?.parsed?.pairs, [['a', '1']]);
    assert.deepEqual(stream?.lines[0]?.metadata?.pairs, [
      ['tag_extracted', 'own'],
      ['trace', 't1'],
    ]);
  });

  test('a query ends when its client disconnects', async () => {
    const signal = AbortSignal.abort();
    await assert.rejects(search(given, '{tag="web"}', { signal }), /cancelled by the client/);
  });
});
