// Regular expressions: matches, refusals with their messages, and bounded time. The expected results
// are those of Go's regexp package, which Prometheus uses.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { processorMs } from '../testing/processor-time.ts';
import { BadPattern, compilePattern, compileSearch } from './regexp.ts';

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
    ['.', ['a', '\n', 'é', '😀'], ['', 'ab']],
    ['a|ab', ['a', 'ab'], ['b', 'abb']],
    ['^a.*|b$', ['a', 'ab', 'b', 'a\n'], ['ba', 'cb']],
    ['(?:a|b\\.c|d.+)', ['a', 'b.c', 'de'], ['bxc', 'd', 'a|b.c']],
    ['a\\|b', ['a|b'], ['a', 'b']],
    ['.+b.+|.*c', ['abc', 'xbbx', 'c'], ['b', 'ab', 'bcx']],
    ['(?s:a.b)|(?-s:c.d)', ['a\nb', 'cxd'], ['c\nd']],
    ['(?i)k', ['k', 'K', '\u212a'], ['x']],
    ['(?i)σ', ['σ', 'ς', 'Σ'], ['s']],
    ['(?i)a|b', ['A', 'B'], ['ab']],
    ['(?i:a)|b', ['A', 'b'], ['B']],
    ['(?i)[^k]', ['x'], ['k', 'K', '\u212a']],
    ['(?i)\\p{Lu}', ['a', 'A', 'É'], ['1']],
    ['\\w+', ['aZ_9'], ['é', 'ſ']],
    ['\\bé', [], ['é']],
    ['[^\\n]', ['a', '😀'], ['\n']],
    ['(?m)^a$', ['a'], ['a\n', '\na']],
    ['a$', ['a'], ['a\n']],
    ['(?s).*(?-s).', ['\na'], ['a\n']],
  ];
  for (const [pattern, yes, no] of cases)
    test(pattern || 'that is empty', () => {
      const { test: matches } = compilePattern(pattern);
      for (const text of yes) assert.ok(matches(text), `it must match ${JSON.stringify(text)}`);
      for (const text of no) assert.ok(!matches(text), `it must not match ${JSON.stringify(text)}`);
      for (const text of yes) assert.ok(compilePattern(pattern).groups(text), `with groups, too: ${text}`);
      for (const text of no) assert.equal(compilePattern(pattern).groups(text), undefined, `with groups, too: ${text}`);
    });

  for (const pattern of [
    '(',
    'a)(b',
    '(?i',
    '\\C',
    'a{1,2}{3}',
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
    test(`${pattern} is refused`, () => assert.throws(() => compilePattern(pattern), BadPattern));

  test('can not take for ever', () => {
    const long = `${'a'.repeat(3000)}!`;
    for (const pattern of ['(a+)+', '(a|a)*', '(a*)*b', '(.*a){12}', 'a?'.repeat(30) + 'a'.repeat(30), '.*.*.*.*x'])
      assert.equal(compilePattern(pattern).test(long), false, pattern);
    assert.throws(() => compilePattern('((a{500}){500}){500}b*').groups('a'), BadPattern);
  });

  for (const [pattern, words] of [
    ['(', 'missing closing ): `(`'],
    ['a)(b', 'unexpected ): `a)(b`'],
    ['x\\', 'trailing backslash at end of expression: ``'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['[b-a]', 'invalid character class range: `b-a`'],
  ] as const)
    test(`${pattern} is refused in Prometheus' words`, () =>
      assert.throws(() => compilePattern(pattern), { message: `error parsing regexp: ${words}` }));

  test('is refused before it is expanded where it would be huge', () => {
    assert.throws(() => compilePattern('a{1000}'.repeat(1000)), /expression too large/);
    assert.throws(() => compilePattern(`(${'ab?'.repeat(20)}){1000}`), /expression too large/);
    assert.ok(compilePattern('(\\d{1,3}\\.){3}\\d{1,3}').test('10.0.0.255'));
  });

  test('returns the texts of its groups', () => {
    assert.deepEqual(compilePattern('(.*):(\\d+)(x)?').groups('a:b:80'), ['a:b', '80', undefined]);
    assert.deepEqual(compilePattern('(.*?)(a*)').groups('baa'), ['b', 'aa']);
    assert.equal(compilePattern('(?P<host>.*):(?<port>.*)').names.get('port'), 2);
  });
});

test('a search that takes long to compile is refused before it is compiled', () => {
  const long = `(${'abcdefghij'.repeat(8)}){1000}`;
  const usedMs = processorMs(() => {
    for (let count = 0; count < 1000; count++) assert.throws(() => compileSearch(long), /expression too large/);
  });
  assert.ok(usedMs < 5000, `${usedMs} ms`);
  assert.ok(compileSearch('(\\d{1,3}\\.){3}\\d{1,3}')('at 10.0.0.255'));
});

test('a search finds the pattern anywhere, and its dot takes no newline', () => {
  const cases: readonly (readonly [pattern: string, yes: string[], no: string[]])[] = [
    ['b', ['abc'], ['ac']],
    ['^b\\.', ['b.c'], ['ab.', 'bc']],
    ['b$', ['ab'], ['ba', 'b\n']],
    ['^b$', ['b'], ['bb']],
    ['', ['', 'a'], []],
    ['a.b', ['xaxbx'], ['a\nb']],
    ['(?s)a.b', ['a\nb'], ['ab']],
    ['^a|b$', ['ax', 'xb'], ['xax']],
  ];
  for (const [pattern, yes, no] of cases) {
    const finds = compileSearch(pattern);
    for (const text of yes) assert.ok(finds(text), `${pattern} in ${JSON.stringify(text)}`);
    for (const text of no) assert.ok(!finds(text), `${pattern} not in ${JSON.stringify(text)}`);
  }
});
