// Labels in canonical form: sorted by name, without empty ones, which count as absent. Their text identifies a stream.
import { compilePattern } from '../../core/regexp.ts';
import type { Labels, Matcher } from './engine.ts';

export function labelsKey(labels: Labels): string {
  const names = Object.keys(labels).filter((name) => labels[name] !== '');
  return JSON.stringify(names.sort().map((name) => [name, labels[name]]));
}

export const labelsOfKey = (key: string): Labels => Object.fromEntries(JSON.parse(key) as [string, string][]);

// Returns an empty text if the label is absent; names such as `constructor` are labels too.
export const labelOf = (labels: Labels, name: string): string =>
  Object.hasOwn(labels, name) ? (labels[name] as string) : '';

// Returns a test whether labels match all matchers.
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
