// The models of log search.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { valuesQuery } from '../../../console/logs/fields/fields-model.ts';
import { histogramOf } from '../../../console/logs/histogram/histogram-plot.ts';
import { levelCounts, levelFieldOf, levelNamed, levelOf } from '../../../console/logs/lines/level.ts';
import { LinesModel, pageSize } from '../../../console/logs/lines/lines-model.ts';
import { exactTime, type LogLine, linesOf } from '../../../console/logs/lines/log-line.ts';
import { fieldsOf, summaryOf } from '../../../console/logs/lines/parsed-fields.ts';
import { RowLayout } from '../../../console/logs/lines/row-layout.ts';
import { savedLines } from '../../../console/logs/lines/save.ts';
import type { LinesQuestion, RangeAnswer } from '../../../console/logs/loki.ts';
import type { Filter } from '../../../console/logs/query/filter.ts';
import { placeOf, plainProblem } from '../../../console/logs/query/problem.ts';
import {
  asExpression,
  emptySearch,
  logqlOf,
  searchAddress,
  searchIn,
  withFilter,
  withoutFilter,
} from '../../../console/logs/query/search.ts';
import { type SubmittedSearch, wholeSteps } from '../../../console/logs/submitted-search.ts';
import { parseQuery } from '../../../src/testing/black-box/log-queries.ts';

const filter = (name: string, value: string, more: Partial<Filter> = {}): Filter => ({
  name,
  value,
  origin: 'label',
  isExcluded: false,
  ...more,
});

const line = (text: string, more: Partial<LogLine> = {}): LogLine => ({
  id: 0,
  key: text,
  timeNs: '1',
  labels: {},
  metadata: {},
  parsed: {},
  text,
  ...more,
});

suite('a log search', () => {
  test('builds LogQL from words, phrases and excluded words', () => {
    const search = { ...emptySearch, words: 'time.out "was refused" -health' };
    const query = logqlOf(search);
    assert.equal(query, '{tag=~".+"} |~ "(?i)time\\\\.out" |~ "(?i)was refused" !~ "(?i)health"');
    parseQuery(query);
    for (const words of ['a`b "c\\', '{}|= "', '\u0000\ud800', '-', '""', '(?i)[', 'é "']) {
      parseQuery(logqlOf({ ...emptySearch, words }));
    }
  });

  test('puts filters where they are cheapest, and combines several values of one field with or', () => {
    let search = emptySearch;
    for (const one of [
      filter('tag', 'web'),
      filter('tag', 'a|b'),
      filter('host', 'x"y', { isExcluded: true }),
      filter('status', '500', { origin: 'json' }),
      filter('user_id', '7', { origin: 'json', isExcluded: true }),
      filter('text_level', 'ERROR', { origin: 'text' }),
    ])
      search = withFilter(search, one);
    const query = logqlOf(search);
    assert.match(query, /^\{tag=~"web\|a\\\\\|b", host!="x\\"y"\} \| json \| regexp `/);
    assert.ok(query.endsWith('| status="500" | user_id!="7" | said_level="ERROR" or word_level="ERROR"'), query);
    parseQuery(query);
    const turned = withFilter(search, filter('status', '500', { origin: 'json', isExcluded: true }));
    assert.equal(turned.filters.filter(({ name }) => name === 'status').length, 1, 'the opposite replaces it');
    assert.equal(withoutFilter(turned, turned.filters[0] as Filter).filters.length, turned.filters.length - 1);
  });

  test('can be converted to LogQL, which gets filters at its end', () => {
    const search = asExpression({ ...emptySearch, words: 'x' });
    const { expression } = withFilter(search, filter('status', '1', { origin: 'json' }));
    assert.equal(expression, '{tag=~".+"} |~ "(?i)x" | json | status="1"');
    parseQuery(expression);
  });

  test('is written to the address and read from it', () => {
    const search = withFilter({ ...emptySearch, words: 'a "b c"' }, filter('tag', 'ü&"=', { isExcluded: true }));
    const address = new URLSearchParams(searchAddress(search));
    assert.deepEqual(searchIn(new URLSearchParams(address.toString())), search);
    const expression = asExpression(search);
    assert.equal(logqlOf(searchIn(new URLSearchParams(searchAddress(expression)))), logqlOf(search));
    const hostile = new URLSearchParams([
      ['filter', '["a} or {","label","+","x"]'],
      ['filter', 'no JSON'],
      ['filter', '["a","label","+",1]'],
    ]);
    assert.deepEqual(searchIn(hostile).filters, []);
  });

  test('marks the place of a syntax error', () => {
    const message = 'parse error at line 2, col 4: syntax error: unexpected IDENTIFIER';
    assert.deepEqual(placeOf('{a="b"}\n|= wrong', message), { line: '|= wrong', from: 3, to: 8 });
    assert.equal(plainProblem(message), 'syntax error: unexpected IDENTIFIER');
    assert.equal(placeOf('x', 'query timed out'), undefined);
  });
});

suite('the lines of a log search', () => {
  test('have a level by label, field or word', () => {
    assert.deepEqual(['WARN', 'Error', 'crit', '30', 'notice', 'x', ''].map(levelNamed), [
      'warning',
      'error',
      'fatal',
      'info',
      'info',
      'other',
      'other',
    ]);
    const json = line('{"level":"error","a":1}');
    const logfmt = line('level=warn msg="a b"');
    const text = line('2026-01-01 [ERROR] it broke');
    assert.deepEqual([json, logfmt, text].map(levelOf), ['error', 'warning', 'error']);
    assert.equal(levelOf(line('no error here')), 'other');
    assert.equal(levelOf(line('x', { labels: { level: 'debug' } })), 'debug');
    assert.deepEqual(levelFieldOf([json, json]), { name: 'level', origin: 'json' });
    assert.deepEqual(levelFieldOf([json, text]), { name: 'text_level', origin: 'text' });
    assert.equal(levelFieldOf([line('plain')]), undefined);
    for (const lines of [[json], [logfmt], [json, text], [line('x', { labels: { level: 'a' } })], []])
      parseQuery(levelCounts('{tag="web"} |= "x"', levelFieldOf(lines), 15));
    parseQuery(valuesQuery('{tag="web"}', { name: 'status', origin: 'json' }, 3600));
  });

  test('have fields named like in LogQL, and a message', () => {
    assert.deepEqual(fieldsOf('{"a":{"b.c":1},"2":true,"l":[1],"n":null,"m":"x"}'), {
      origin: 'json',
      fields: [
        ['_2', 'true'],
        ['a_b_c', '1'],
        ['m', 'x'],
      ],
    });
    assert.deepEqual(fieldsOf('level=info msg="a \\"b\\"" took=3ms').fields, [
      ['level', 'info'],
      ['msg', 'a "b"'],
      ['took', '3ms'],
    ]);
    assert.equal(fieldsOf('a sentence with one x=1 in it and more words').origin, undefined);
    assert.deepEqual(summaryOf('{"level":"info","message":"hi","a":1}'), { message: 'hi', rest: [['a', '1']] });
    assert.deepEqual(summaryOf('{broken'), { message: '{broken', rest: [] });
    assert.equal(exactTime('1700000000123456789'), '2023-11-14T22:13:20.123456789Z');
  });

  test('are counted in bars of whole steps, the most severe at the bottom', () => {
    const { span, stepS } = wholeSteps({ fromS: 1003, toS: 4601 }, 600);
    assert.equal(stepS, 60);
    assert.deepEqual(span, { fromS: 960, toS: 4620 });
    const submitted = { source: { id: '', name: '', path: '' }, query: '', isFollowing: true, stepS };
    const counts = histogramOf({ ...submitted, span: { fromS: 960, toS: 1140 } }, { name: 'level', origin: 'json' }, [
      {
        metric: { level: 'info' },
        values: [
          [1020, '3'],
          [1140, '1'],
        ],
      },
      { metric: { level: 'warn' }, values: [[1080, '2']] },
      { metric: { level: 'warning' }, values: [[1080, '5']] },
      { metric: {}, values: [[1080, '1']] },
    ]);
    assert.deepEqual(
      counts.plot.lines.map(({ name, values }) => [name, values]),
      [
        ['other', [0, 1, 0]],
        ['info', [3, 0, 1]],
        ['warning', [0, 7, 0]],
      ],
    );
    assert.equal(counts.count, 12);
    assert.deepEqual(counts.totals[0], { level: 'warning', count: 7, words: ['warn', 'warning'] });
  });

  test('have positions in the list for any heights', () => {
    const ids = Array.from({ length: 10_000 }, (_, at) => at);
    const layout = new RowLayout(ids, 20, new Map([[1, 300]]));
    assert.equal(layout.totalPx, 9999 * 20 + 300);
    assert.deepEqual([layout.rowAt(0), layout.rowAt(319), layout.rowAt(320), layout.rowAt(1e9)], [0, 1, 2, 9999]);
    assert.deepEqual(layout.visible(320, 100, 2), [0, 10]);
    assert.deepEqual(new RowLayout([], 20, new Map()).visible(0, 100, 2), [0, 0]);
  });
});

// A server with lines of known times, some of them equal.
class Server {
  readonly texts: [timeNs: bigint, text: string][] = [];
  readonly questions: LinesQuestion[] = [];

  ask = async (_: SubmittedSearch, question: LinesQuestion): Promise<RangeAnswer> => {
    this.questions.push(question);
    const { startNs, endNs, limit } = question;
    const values = this.texts
      .filter(([timeNs]) => timeNs >= BigInt(startNs) && timeNs < BigInt(endNs))
      .sort(([a], [b]) => Number(b - a))
      .slice(0, limit)
      .map(([timeNs, text]): [string, string] => [String(timeNs), text]);
    return { resultType: 'streams', result: [{ stream: { tag: 'a' }, values }] };
  };
}

const second = 1_000_000_000n;
const submitted: SubmittedSearch = {
  source: { id: '', name: '', path: '' },
  query: '{}',
  span: { fromS: 1000, toS: 2000 },
  stepS: 10,
  isFollowing: true,
};

suite('lines that are loaded in pages', () => {
  test('come once each, even if a page ends between lines of one moment', async () => {
    const server = new Server();
    for (let at = 0; at < 500; at++) server.texts.push([(1000n + BigInt(at >> 2)) * second, `line ${at}`]);
    const model = new LinesModel(server.ask);
    assert.ok(await model.load(submitted));
    assert.equal(model.lines.value.length, pageSize);
    while (!model.isWhole.value) await model.loadOlder();
    const texts = model.lines.value.map(({ text }) => text);
    assert.equal(new Set(texts).size, 500);
    assert.equal(texts.length, 500);
    const before = server.questions.length;
    await model.loadOlder();
    assert.equal(server.questions.length, before, 'there is nothing to ask for');
  });

  test('are followed by new ones, including late ones', async () => {
    const server = new Server();
    server.texts.push([1990n * second, 'old']);
    const model = new LinesModel(server.ask);
    await model.load(submitted);
    assert.equal(await model.loadNewer(2000), 0);
    server.texts.push([1995n * second, 'new'], [1985n * second, 'late'], [2001n * second, 'newest']);
    assert.equal(await model.loadNewer(2001), 3);
    assert.deepEqual(
      model.lines.value.map(({ text }) => text),
      ['newest', 'new', 'old', 'late'],
    );
    assert.equal(await model.loadNewer(2002), 0);
  });

  test('are dropped after another search has started, and failures are shown', async () => {
    const server = new Server();
    server.texts.push([1500n * second, 'x']);
    let fails = false;
    const model = new LinesModel((one, question) =>
      fails ? Promise.reject(new Error('no')) : server.ask(one, question),
    );
    const [first, other] = await Promise.all([model.load(submitted), model.load(submitted)]);
    assert.deepEqual([first, other], [false, true]);
    assert.equal(model.lines.value.length, 1);
    fails = true;
    assert.equal(await model.load(submitted), false);
    assert.deepEqual([model.lines.value.length, (model.failure.value as Error).message], [0, 'no']);
  });

  test('are saved once each, as JSON or as text', async () => {
    const server = new Server();
    for (let at = 0; at < 12_000; at++) server.texts.push([1000n * second + BigInt(at >> 3), `line ${at}`]);
    const ending = new AbortController().signal;
    const progress: number[] = [];
    const saved = await savedLines(submitted, 'ndjson', ending, (count) => progress.push(count), server.ask);
    const records = saved.parts
      .join('')
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one) as { line: string });
    assert.equal(new Set(records.map((one) => one.line)).size, 12_000);
    assert.deepEqual([saved.count, saved.isCut, progress.at(-1)], [12_000, false, 12_000]);
    const { parts } = await savedLines(submitted, 'text', ending, () => undefined, server.ask);
    assert.match(parts.join(''), /^1970-01-01T00:16:40\.000001499Z line 11\d\d\d\n/);
  });

  test('of several streams are sorted together', () => {
    const found = linesOf([
      {
        stream: { tag: 'a' },
        values: [
          ['5', 'x'],
          ['100', 'y'],
        ],
      },
      { stream: { tag: 'b' }, values: [['50', 'z', { parsed: { p: '1' } }]] },
    ]);
    assert.deepEqual(
      found.map(({ text }) => text),
      ['y', 'z', 'x'],
    );
    assert.equal(found[1]?.parsed.p, '1');
  });
});
