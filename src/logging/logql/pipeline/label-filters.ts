// Filters of labels. A value that can't be converted marks the line with an error and passes.
import type { Matcher } from '../../engine/engine.ts';
import { patternOf } from '../syntax/check.ts';
import type { Comparison, LabelFilter } from '../syntax/tree.ts';
import { parseBytes, parseFloat64, parseGoDuration, UnitError } from '../syntax/units.ts';
import { ipTest } from './ip-filter.ts';
import type { LineLabels } from './line-labels.ts';

export type LabelTest = (labels: LineLabels) => boolean;

const labelFilterError = 'LabelFilterErr';

export function labelTest(filter: LabelFilter): LabelTest {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const [left, right] = [labelTest(filter.left), labelTest(filter.right)];
      // `and` evaluates both sides, because each of them can mark the line with an error.
      if (filter.kind === 'or') return (labels) => left(labels) || right(labels);
      return (labels) => {
        const passes = left(labels);
        return right(labels) && passes;
      };
    }
    case 'text': {
      const test = matcherTest(filter.matcher);
      const { name } = filter.matcher;
      return (labels) => test(labels.textOf(name));
    }
    case 'ip': {
      const { name, isNot, pattern } = filter;
      const test = ipTest(pattern);
      return (labels) => {
        if (labels.error !== '') return true;
        const value = labels.get(name);
        return value !== undefined && test(value) !== isNot;
      };
    }
    default:
      return valueTest(filter);
  }
}

const conversions = { number: parseFloat64, duration: parseGoDuration, bytes: parseBytes };

function valueTest({ kind, name, op, value }: Extract<LabelFilter, { op: Comparison }>): LabelTest {
  const convert = conversions[kind];
  const compare = comparing[op];
  return (labels) => {
    const text = labels.get(name);
    if (text === undefined) return false;
    try {
      return compare(convert(text), value);
    } catch (error) {
      if (!(error instanceof UnitError)) throw error;
      labels.failOnce(labelFilterError, error.message);
      return true;
    }
  };
}

const comparing: Readonly<Record<Comparison, (a: number, b: number) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
};

export function matcherTest({ operator, value }: Matcher): (text: string) => boolean {
  if (operator === '=') return (text) => text === value;
  if (operator === '!=') return (text) => text !== value;
  const { test } = patternOf(value);
  return operator === '=~' ? test : (text) => !test(text);
}

export function labelsOfFilter(filter: LabelFilter): string[] {
  if ('left' in filter) return [...labelsOfFilter(filter.left), ...labelsOfFilter(filter.right)];
  return ['matcher' in filter ? filter.matcher.name : filter.name];
}
