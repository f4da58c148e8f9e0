// Compares wildcards with the simplest matcher, and measures patterns that are built to take long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '../../../testing/processor-time.ts';
import { matchesPattern, replaceVariables } from './pattern.ts';
import { matchesWildcards } from './wildcards.ts';

// Tries all possibilities.
function matchesPlainly(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  const [first, rest] = [pattern[0], pattern.slice(1)];
  if (first === '*') return matchesPlainly(rest, text) || (text !== '' && matchesPlainly(pattern, text.slice(1)));
  return text !== '' && (first === '?' || first === text[0]) && matchesPlainly(rest, text.slice(1));
}

const textsOf = (letters: string, most: number): string[] => {
  let last = [''];
  const all = [''];
  for (let length = 1; length <= most; length++) {
    last = last.flatMap((text) => Array.from(letters, (letter) => text + letter));
    all.push(...last);
  }
  return all;
};

test('all short patterns match correctly', () => {
  const texts = textsOf('ab', 4);
  for (const pattern of textsOf('ab*?', 4))
    for (const text of texts)
      assert.equal(matchesWildcards(pattern, text), matchesPlainly(pattern, text), `${pattern} and ${text}`);
});

test('patterns with question marks between stars do not take long', () => {
  const text = 'a'.repeat(15_000);
  const usedMs = processorMs(() => {
    assert.equal(matchesPattern(`*${'a'.repeat(7000)}?b*`, text), false);
    assert.equal(matchesPattern(`*${'?a'.repeat(3500)}*`, text), true);
    assert.equal(matchesPattern(`*${'?'.repeat(7000)}b*`, text), false);
  });
  assert.ok(usedMs < 250, `${usedMs} ms`);
  assert.equal(
    matchesPattern(`*${'a'.repeat(40)}?b${'?'.repeat(40)}c*`, `${'a'.repeat(90)}xb${'y'.repeat(40)}cz`),
    true,
  );
});

test('no pattern of a policy takes long', () => {
  const agent = 'a'.repeat(15_000);
  const usedMs = processorMs(() => {
    for (let round = 0; round < 100; round++) {
      assert.equal(matchesPattern(`*${'a'.repeat(8000)}b*`, agent), false);
      assert.equal(matchesPattern(`*${'a'.repeat(8000)}b`, agent), false);
      assert.equal(replaceVariables('${'.repeat(10_000), new Map()), '${'.repeat(10_000));
      assert.equal(replaceVariables(`\${a${' '.repeat(20_000)}b}`, new Map()), undefined);
    }
  });
  assert.ok(usedMs < 2000, `${usedMs} ms`);
  assert.equal(replaceVariables(`x/\${ aws:userid , 'none' }/\${*}`, new Map()), 'x/none/\uE000');
});
