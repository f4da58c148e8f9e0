// Regular expressions of queries, which are searched in lines.
import type { RE2JS } from 're2js';
import { BadPattern, compileFinder } from '../../../core/regexp.ts';
import { parseError } from '../query-error.ts';

// `what`: the prefix of the error message for an invalid pattern.
export function compileRe2(pattern: string, what = ''): RE2JS {
  try {
    return compileFinder(pattern);
  } catch (error) {
    throw error instanceof BadPattern ? parseError(`${what}${error.message}`) : error;
  }
}

const literalForm = /^(?:[^\\.+*?()|[\]{}^$]|\\[!-/:-@[-\x60{-~])*$/;
const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');

// Whether a line contains a match. Words and lists of words are searched as texts; other patterns only in lines that
// contain their required words.
export function lineTest(pattern: string): (line: string) => boolean {
  const options = pattern.split('|');
  if (!pattern.includes('\\|') && options.every((option) => literalForm.test(option))) {
    const words = options.map(unescaped);
    const [only] = words;
    if (words.length === 1) return (line) => line.includes(only as string);
    compileRe2(pattern);
    return (line) => words.some((word) => line.includes(word));
  }
  const re2 = compileRe2(pattern);
  const needed = requiredWords(pattern);
  if (needed.length === 0) return (line) => re2.test(line);
  return (line) => needed.every((word) => line.includes(word)) && re2.test(line);
}

const leastWord = 2;
const tokenForm =
  /\\([^A-Za-z0-9])|(\\.)|(\[\^?\]?(?:\\.|\[:\w+:\]|[^\]])*\])|([.^$])|([?*+]|\{\d*,?\d*\})\??|([()|])|(.)/gsu;

// Texts that every matching line contains: those outside of groups, alternatives and repetitions. None if the pattern
// has an unsupported construct.
export function requiredWords(pattern: string): string[] {
  if (/\(\?(?!:|P?<)|\\[QExpPzC]|\\\d/.test(pattern)) return [];
  const words: string[] = [];
  let run = '';
  let depth = 0;
  const end = (): void => {
    if (run.length >= leastWord) words.push(run);
    run = '';
  };
  for (const [, escaped, , , , repeat, bracket, plain] of pattern.matchAll(tokenForm)) {
    if (bracket === '|' && depth === 0) return [];
    if (bracket) {
      end();
      depth += bracket === '(' ? 1 : bracket === ')' ? -1 : 0;
    } else if (depth > 0) continue;
    else if (repeat) {
      if (repeat !== '+') run = [...run].slice(0, -1).join('');
      end();
    } else if (escaped ?? plain) run += escaped ?? plain;
    else end();
  }
  end();
  return depth === 0 ? words : [];
}
