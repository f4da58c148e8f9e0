// Expressions are parsed as in Prometheus, and errors have its messages.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { QueryError } from '../query-error.ts';
import { parseQuery, parseSelector } from './parse.ts';
import { prettyQuery, queryText } from './print.ts';
import { typeOf } from './type-check.ts';

const errorOf = (text: string): string => {
  try {
    parseQuery(text);
  } catch (error) {
    assert.ok(error instanceof QueryError, String(error));
    assert.equal(error.kind, 'bad_data');
    return error.message;
  }
  return 'it is fine';
};

// The structure of an expression, with parentheses around every operation.
function grouped(text: string): string {
  const visit = (node: ReturnType<typeof parseQuery>): string => {
    if (node.kind === 'binary') return `(${visit(node.left)} ${node.op} ${visit(node.right)})`;
    if (node.kind === 'unary') return `(${node.op}${visit(node.body)})`;
    if (node.kind === 'paren') return visit(node.body);
    return queryText(node);
  };
  return visit(parseQuery(text));
}

suite('an expression', () => {
  test('[METRIC-08] is printed in normal form', () => {
    for (const [text, wanted] of [
      ['sum(rate(x{b="2",a="1"}[5m]))by(job)', 'sum by (job) (rate(x{a="1",b="2"}[5m]))'],
      ['topk ( 3 , x )', 'topk(3, x)'],
      ['SUM WITHOUT (a, "b.c") (x)', 'sum without (a, "b.c") (x)'],
      ['x offset 90m @ 12.5', 'x @ 12.500 offset 1h30m'],
      ['x[5m:] offset -1w', 'x[5m:] offset -1w'],
      ['rate(x[300] @ end())', 'rate(x[5m] @ end())'],
      ['{"a.b", c=~"d|e"}', '{__name__="a.b",c=~"d|e"}'],
      ["x{a='it\\'s'}", 'x{a="it\'s"}'],
      ['a/on(x)group_left(y)b', 'a / on (x) group_left (y) b'],
      ['a == bool ignoring(z) b', 'a == bool ignoring (z) b'],
      ['a + fill_left(1) fill_right(2) b', 'a + fill_left (1) fill_right (2) b'],
      ['x[2 * step() + 1m] # why', 'x[2 * step() + 1m]'],
      ['1_000 + 0x1F + .5 + 1e3 + 1h30m', '1000 + 31 + 0.5 + 1000 + 1h30m'],
      ['increase(x[1m] anchored)', 'increase(x[1m] anchored)'],
      ['max_of(1, min_of(2, 3)) * 2', 'max_of(1, min_of(2, 3)) * 2'],
      ['x[max_of(1m, STEP())]', 'x[max_of(1m, step())]'],
    ] as const)
      assert.equal(queryText(parseQuery(text)), wanted, text);
  });

  test('binds as in the server, not as in the grammar of editors', () => {
    for (const [text, wanted] of [
      ['-2 ^ 2', '(-(2 ^ 2))'],
      ['2 ^ 3 ^ 2', '(2 ^ (3 ^ 2))'],
      ['-a * b', '((-a) * b)'],
      ['a + b @ 1 * c', '(a + (b @ 1.000 * c))'],
      ['-x offset 5m', '(-x offset 5m)'],
      ['a or b and c unless d', '(a or ((b and c) unless d))'],
      ['a - b - c', '((a - b) - c)'],
      ['a > b + c * d', '(a > (b + (c * d)))'],
    ] as const)
      assert.equal(grouped(text), wanted, text);
  });

  test('that is long is split over lines', () => {
    const long = `sum by (job) (rate(http_requests_total{code=~"5..",handler!="/metrics"}[5m])) / sum by (job) (rate(http_requests_total[5m]))`;
    assert.deepEqual(prettyQuery(parseQuery(long)).split('\n'), [
      '  sum by (job) (rate(http_requests_total{code=~"5..",handler!="/metrics"}[5m]))',
      '/',
      '  sum by (job) (rate(http_requests_total[5m]))',
    ]);
  });

  test('has a type', () => {
    const types = ['1', 'x', 'x[5m]', '"a"', '1 + 1', 'x > 1', 'scalar(x)', '-x', 'sum(x)[5m:]']
      .map(parseQuery)
      .map(typeOf);
    const wanted = ['scalar', 'vector', 'matrix', 'string', 'scalar', 'vector', 'scalar', 'vector', 'matrix'];
    assert.deepEqual(types, wanted);
  });
});

suite('errors in an expression have their position', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['', 'unknown position: parse error: no expression found in input'],
    ['sum(', '1:5: parse error: unexpected end of input'],
    ['a b', '1:3: parse error: unexpected identifier "b"'],
    ['a +\n* b', '2:1: parse error: unexpected <op:*>'],
    ['foo(1)', '1:1: parse error: unknown function with name "foo"'],
    ['rate(x)', '1:6: parse error: expected type range vector in call to function "rate", got instant vector'],
    ['abs(x[5m])', '1:5: parse error: expected type instant vector in call to function "abs", got range vector'],
    ['sum(1)', '1:5: parse error: expected type instant vector in aggregation expression, got scalar'],
    ['topk("a", x)', '1:6: parse error: expected type scalar in aggregation parameter, got string'],
    ['1 > 2', '1:3: parse error: comparisons between scalars must use BOOL modifier'],
    ['x + bool y', '1:3: parse error: bool modifier can only be used on comparison operators'],
    ['x and 1', '1:1: parse error: set operator "and" not allowed in binary scalar expression'],
    ['x or on(a) group_left y', '1:1: parse error: no grouping allowed for "or" operation'],
    ['x * on(a) group_left(a) y', '1:3: parse error: label "a" must not occur in ON and GROUP clause at once'],
    ['{a=~".*"}', '1:1: parse error: vector selector must contain at least one non-empty matcher'],
    ['x{__name__="y"}', '1:1: parse error: metric name must not be set twice: "x" or "y"'],
    ['x{a=~"("}', '1:1: parse error: error parsing regexp: missing closing ): `(`'],
    ['clamp(x, 1)', '1:1: parse error: expected 3 argument(s) in call to "clamp", got 2'],
    ['label_join(x, "a")', '1:1: parse error: expected at least 3 argument(s) in call to "label_join", got 2'],
    ['round(x, 1, 2)', '1:1: parse error: expected at most 2 argument(s) in call to "round", got 3'],
    [
      'sum(x) offset 5m',
      '1:1: parse error: offset modifier must be preceded by an instant vector selector or range vector selector or a subquery',
    ],
    ['x offset 1m offset 2m', '1:1: parse error: offset may not be set multiple times'],
    ['(x)[5m]', '1:1: parse error: ranges only allowed for vector selectors'],
    ['x[0s]', '1:3: parse error: duration must be greater than 0'],
    [
      '-"a"',
      '1:1: parse error: unary expression only allowed on expressions of type scalar or instant vector, got "string"',
    ],
    ['1[5m:]', '1:1: parse error: subquery is only allowed on instant vector, got scalar instead'],
    ['x{a="\\q"}', '1:5: parse error: error unquoting string "\\q"'],
    ['ä', "1:1: parse error: unexpected character: 'ä'"],
  ];
  for (const [text, message] of cases) test(text || 'nothing', () => assert.equal(errorOf(text), message));

  test('in lines and bytes', () => assert.match(errorOf('x{a="ä"} +\n  y{b="ü"} )'), /^2:13: /));

  test('even if it is too deep or too long', () => {
    assert.match(errorOf(`${'('.repeat(1000)}x${')'.repeat(1000)}`), /nests too deeply/);
    assert.match(errorOf(`${'- '.repeat(1500)}x`), /more than 1000 parts/);
    assert.match(errorOf(`x${' + x'.repeat(3000)}`), /parse error/);
    assert.equal(errorOf(`x${' or x'.repeat(300)}`), 'it is fine');
    assert.match(errorOf('x'.repeat(200_000)), /longer than/);
  });
});

test('only a selector is accepted as one', () => {
  assert.deepEqual(parseSelector('x{a!="b"}'), [
    { name: 'a', op: '!=', value: 'b' },
    { name: '__name__', op: '=', value: 'x' },
  ]);
  for (const text of ['x offset 5m', 'x[5m]', 'rate(x[5m])', 'x @ 5', '1'])
    assert.throws(() => parseSelector(text), QueryError, text);
});
