// Strings: by pattern, by format, or any characters between two lengths.
import { runInNewContext } from 'node:vm';
import { EngineError, type JsonSchema } from '../../engine.ts';
import { characterOf, everything } from './characters.ts';
import type { Compiler } from './compiler.ts';
import { formats } from './formats.ts';
import { patternExpression } from './pattern.ts';
import { anyOf, type Expression, literal, repeated } from './rules.ts';

const quote = literal('"');
const maxMatchMs = 200;
const maxCounted = 1000; // GBNF spells repetitions out
const maxRepeats = 20; // of a part of a pattern, for models that find no end

export function stringExpression({ rules, limits }: Compiler, schema: JsonSchema): Expression | undefined {
  const { minLength: least = 0, maxLength, pattern, format } = schema as Record<string, number | string | undefined>;
  const leastLength = Number(least);
  const lengths = { leastLength, mostLength: Number(maxLength ?? Number.POSITIVE_INFINITY) };
  if (lengths.mostLength < leastLength) return undefined;
  const isBounded = Number.isFinite(limits.characters);
  const repeats = { ...lengths, maxRepeats: isBounded ? maxRepeats : Number.POSITIVE_INFINITY };
  const known = typeof format === 'string' ? formats[format] : undefined;
  if (known && typeof pattern === 'string' && !matches(pattern, known.example))
    throw new EngineError('schema', `The format ${format} and the pattern ${pattern} can't be enforced together.`);
  const chosen = known?.pattern ?? pattern;
  const inside =
    typeof chosen === 'string' ? patternExpression(chosen, repeats) : characters(lengths, limits.characters);
  return inside === undefined ? undefined : rules.named([quote, inside, quote].filter(Boolean).join(' '));

  function characters({ leastLength: from, mostLength }: typeof lengths, endAt: number): Expression {
    const one = rules.named(anyOf([characterOf(everything), '"\\\\" ["\\\\/nt]']) ?? '');
    const to = Math.min(mostLength, Math.max(from, endAt));
    if (Number.isFinite(to) && (to <= maxCounted || to === from)) return repeated(one, from, to);
    return Number.isFinite(mostLength) ? repeated(one, from, Math.max(from, maxCounted)) : repeated(one, from);
  }
}

// A pattern may use look-around, which needs JavaScript's own engine. It can backtrack forever, so it has a time limit.
function matches(pattern: string, text: string): boolean {
  const test = (flags: string): boolean =>
    runInNewContext('new RegExp(pattern, flags).test(text)', { pattern, flags, text }, { timeout: maxMatchMs });
  try {
    return test('u');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    return test('');
  }
}
