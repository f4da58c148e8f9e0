// Regular expressions: what matches, what is refused, and that none takes for ever.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { BadExpression, compilePattern, matcherTest } from './regexp.ts';

suite('a regular expression of a matcher', () => {
  const cases: readonly (readonly [pattern: string, yes: string[], no: string[]])[] = [
    ['', [''], ['a']],
    ['.*', ['', 'a\nb'], []],
    ['.+', ['a', '\n'], ['']],
    ['a|bc|d', ['a', 'bc', 'd'], ['b', 'ab', '']],
    ['(foo|bar)_(1|2)', ['foo_1', 'bar_2'], ['foo_3', 'foo']],
    ['foo.*', ['foo', 'foobar', 'foo\nbar'], ['afoo']],
    ['.*foo', ['foo', 'a foo'], ['foo ']],
    ['.*foo.*', ['foo', 'a foo b'], ['fo o']],
    ['.*?(?i:PRO).*', ['production', 'xPrO'], ['prd']],
    ['(?i)straße', ['STRAßE', 'straße'], ['strasse']],
    ['(?i:[a-c]+)z', ['aBCz'], ['abcZ']],
    ['5..', ['500', '5\n0'], ['50', '5000']],
    ['(?-s)a.b', ['axb'], ['a\nb']],
    ['a{2,3}', ['aa', 'aaa'], ['a', 'aaaa']],
    ['a{,3}', ['a{,3}'], ['aa']],
    ['[^a-c]x', ['dx', '\nx'], ['ax', 'x']],
    ['[[:alpha:]_]+[[:^digit:]]', ['ab_c'], ['1a', 'ab1']],
    ['\\d+\\.\\w\\s\\S', ['12.a b'], ['12xa b']],
    ['\\p{Greek}+\\pN\\P{L}', ['αβ1-'], ['ab1-']],
    ['\\x41\\x{1F600}\\101', ['A😀A'], ['A😀B']],
    ['\\Qa.b*\\E+', ['a.b*', 'a.b**'], ['axb*']],
    ['\\Afoo\\z|\\bbar\\b', ['foo', 'bar'], ['foobar']],
    ['(?m)a$\n^b', ['a\nb'], ['ab']],
    ['a\\-\\/\\_\\"', ['a-/_"'], []],
    ['[\\]\\-a]+', [']-a'], ['b']],
    ['x*', ['', 'xxx'], ['xy']],
    ['(?U)a+b', ['aab'], ['b']],
    ['(a|b)*c', ['c', 'ababc'], ['abab']],
    ['😀.', ['😀😀'], ['😀']],
  ];
  for (const [pattern, yes, no] of cases)
    test(pattern || 'that is empty', () => {
      const { test: matches } = compilePattern(pattern);
      for (const text of yes) assert.ok(matches(text), `it must match ${JSON.stringify(text)}`);
      for (const text of no) assert.ok(!matches(text), `it must not match ${JSON.stringify(text)}`);
      for (const text of yes) assert.ok(compilePattern(pattern).groups(text), `the machine must match ${text}`);
      for (const text of no) assert.equal(compilePattern(pattern).groups(text), undefined, `nor the machine ${text}`);
    });

  for (const pattern of [
    '(',
    'a)',
    '[a',
    '*a',
    'a**',
    '(?=a)',
    '(?<!a)b',
    '\\1',
    '(a)\\1',
    'a{2000}',
    '[b-a]',
    '\\',
    '(?z)a',
    'x{3,2}',
    '[[:foo:]]',
    '\\p{Nope}',
    '\\E',
  ])
    test(`${pattern} is refused`, () => assert.throws(() => compilePattern(pattern), BadExpression));

  test('can not take for ever', () => {
    const long = `${'a'.repeat(3000)}!`;
    for (const pattern of ['(a+)+', '(a|a)*', '(a*)*b', '(.*a){12}', 'a?'.repeat(30) + 'a'.repeat(30), '.*.*.*.*x'])
      assert.equal(compilePattern(pattern).test(long), false, pattern);
    assert.throws(() => compilePattern('((a{500}){500}){500}b*').groups('a'), BadExpression);
  });

  test('tells what it can match where that is little', () => {
    assert.deepEqual(compilePattern('a|b(c|d)').literals, ['a', 'bc', 'bd']);
    assert.equal(compilePattern('a.*').literals, undefined);
  });

  test('gives what its groups took', () => {
    assert.deepEqual(compilePattern('(.*):(\\d+)(x)?').groups('a:b:80'), ['a:b', '80', undefined]);
    assert.deepEqual(compilePattern('(.*?)(a*)').groups('baa'), ['b', 'aa']);
    assert.equal(compilePattern('(?P<host>.*):(?<port>.*)').names.get('port'), 2);
  });
});

test('a matcher of equality needs no expression', () => {
  assert.ok(matcherTest({ name: 'a', op: '=', value: '(' })('('));
  assert.ok(matcherTest({ name: 'a', op: '!=', value: '(' })(''));
  assert.ok(matcherTest({ name: 'a', op: '!~', value: 'x+' })('y'));
});
