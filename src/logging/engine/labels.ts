// Labels in one form: sorted by name, without those that are empty, which count as absent. Their text is the identity
// of a stream.
import { compilePattern } from '../../core/regexp.ts';
import type { Labels, Matcher } from './engine.ts';

export function labelsKey(labels: Labels): string {
  const names = Object.keys(labels).filter((name) => labels[name] !== '');
  return JSON.stringify(names.sort().map((name) => [name, labels[name]]));
}

export const labelsOfKey = (key: string): Labels => Object.fromEntries(JSON.parse(key) as [string, string][]);

// Empty where it is absent; names such as `constructor` are labels too.
export const labelOf = (labels: Labels, name: string): string =>
  Object.hasOwn(labels, name) ? (labels[name] as string) : '';

// Whether labels fit all matchers.
export function matcherTest(matchers: readonly Matcher[]): (labels: Labels) => boolean {
  const tests = matchers.map(({ name, operator, value }) => {
    const test = valueTest(operator, value);
    return (labels: Labels): boolean => test(labelOf(labels, name));
  });
  return (labels) => tests.every((test) => test(labels));
}

function valueTest(operator: Matcher['operator'], value: string): (text: string) => boolean {
  if (operator === '=') return (text) => text === value;
  if (operator === '!=') return (text) => text !== value;
  const { test } = compilePattern(value);
  return operator === '=~' ? test : (text) => !test(text);
}
