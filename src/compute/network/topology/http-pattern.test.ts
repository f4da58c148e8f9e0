// The pattern matcher compared with the language's own on patterns that both support, and its bounds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chance, chanceOf } from '../../../testing/seed.ts';
import { compileHttpPattern, maxPatternLength } from './http-pattern.ts';

const matches = (source: string, text: string): boolean | undefined => compileHttpPattern(source)?.(text);

test('a pattern is searched in the text, and anchored by ^ and $', () => {
  assert.equal(matches('b+c', 'abbcd'), true);
  assert.equal(matches('^b+c', 'abbcd'), false);
  assert.equal(matches('^/api/v[12](/.*)?$', '/api/v2/users'), true);
  assert.equal(matches('^/api/v[12](/.*)?$', '/api/v3'), false);
  assert.equal(matches('^(?:\\d{1,3}\\.){3}\\d{1,3}$', '10.0.0.255'), true);
  assert.equal(matches('', ''), true);
});

test('an unsupported or too large pattern is invalid', () => {
  const strange = ['(a)\\1', '(?=a)b', '(?<!a)b', '[a', '(a', 'a)', '*a', 'a{3,1}', '[z-a]', 'a\\'];
  for (const source of strange) assert.equal(compileHttpPattern(source), undefined, source);
  assert.equal(compileHttpPattern('a'.repeat(maxPatternLength + 1)), undefined);
  assert.equal(compileHttpPattern('((a{99}){99}){99}'), undefined);
});

test('patterns that hang other engines terminate', () => {
  const text = `${'a'.repeat(2000)}!`;
  for (const source of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*)*x$', '^(a?){50}a{50}b'])
    assert.equal(matches(source, text), false, source);
});

test('random patterns find what the language’s own find', (t) => {
  const chance = chanceOf(t);
  let found = 0;
  for (let round = 0; round < 3000; round++) {
    const source = either(chance, 3);
    const own = compileHttpPattern(source);
    if (!own) continue;
    const theirs = new RegExp(source);
    for (let each = 0; each < 6; each++) {
      const text = Array.from({ length: chance.below(8) }, () => chance.one([...'aab1_ -\n'])).join('');
      assert.equal(own(text), theirs.test(text), `${source} on ${JSON.stringify(text)}`);
      found += Number(own(text));
    }
  }
  assert.ok(found > 1000, `${found} found`);
});

function either(chance: Chance, depth: number): string {
  const row = (): string => Array.from({ length: 1 + chance.below(3) }, () => part(chance, depth)).join('');
  return chance.often(25) ? `${row()}|${row()}` : row();
}

function part(chance: Chance, depth: number): string {
  if (chance.often(8)) return chance.one(['^', '$']);
  const atom =
    depth > 0 && chance.often(35)
      ? `${chance.one(['(', '(?:'])}${either(chance, depth - 1)})`
      : chance.one([
          'a',
          'b',
          '1',
          '.',
          '\\d',
          '\\w',
          '\\S',
          '\\W',
          '[ab]',
          '[^a]',
          '[\\d_-]',
          '[0-9a]',
          '[^\\w]',
          '\\-',
        ]);
  return atom + chance.one(['', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?']);
}
