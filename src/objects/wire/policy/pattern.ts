// Patterns of a policy: wildcards, and variables such as ${aws:username}. The value of a variable comes from the
// request, so its "*" and "?" are characters, never wildcards. Two private characters replace them during matching, in
// the pattern and in the text.
import { compileWildcards, type Matcher } from './wildcards.ts';

// The condition keys of a request, in lower case; a key with several values has them all.
export type ConditionContext = ReadonlyMap<string, string | readonly string[]>;

const literal = (text: string): string => text.replaceAll('*', '\uE000').replaceAll('?', '\uE001');

export const matchesPattern = (pattern: string, text: string): boolean => compilePattern(pattern)(text);

export function compilePattern(pattern: string): Matcher {
  const matches = compileWildcards(pattern);
  return (text) => matches(literal(text));
}

export const hasVariable = (pattern: string): boolean => pattern.includes('${');

// Undefined if the request has no value for a variable: such a pattern matches nothing.
export function replaceVariables(pattern: string, context: ConditionContext): string | undefined {
  let isComplete = true;
  const replaced = pattern.replace(/\$\{([^{}]*)\}/g, (_whole, inside: string) => {
    if (inside === '*' || inside === '?' || inside === '$') return literal(inside);
    const [, name = '', fallback] = /^([^,\s]+)(?:\s*,\s*'([^']*)')?$/.exec(inside.trim()) ?? [];
    const value = context.get(name.toLowerCase());
    const text = typeof value === 'string' ? value : fallback;
    if (text === undefined) isComplete = false;
    return literal(text ?? '');
  });
  return isComplete ? replaced : undefined;
}
