// The test of a matcher against a label value; a missing label has the empty value.
import { compilePattern } from '../../core/regexp.ts';
import type { Matcher } from '../series.ts';

export function matcherTest({ op, value }: Matcher): (text: string) => boolean {
  if (op === '=') return (text) => text === value;
  if (op === '!=') return (text) => text !== value;
  const { test } = compilePattern(value);
  return op === '=~' ? test : (text) => !test(text);
}
