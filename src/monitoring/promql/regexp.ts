// Regular expressions of matchers and of label_replace: RE2's syntax, matched against the whole text. Nearly all that
// people write is a list of words or a simple pattern and is tested at once; what could make JavaScript's engine
// backtrack without end is run by a machine that can't.
import type { Matcher } from '../series.ts';
import { BadExpression, type ParsedExpression, parseRe2 } from './re2.ts';
import { Machine } from './re2-machine.ts';
import { anyCharacter, type CharSet, type Expression } from './re2-tree.ts';

export { BadExpression };

export interface Pattern {
  test(text: string): boolean;
  // What each group took, by its number less one; undefined where the text does not match.
  groups(text: string): (string | undefined)[] | undefined;
  names: ReadonlyMap<string, number>;
  literals?: readonly string[]; // all that it matches, where that is a short list
}

const mostLiterals = 1024;
const mostPatterns = 256;
const known = new Map<string, Pattern>();

export function compilePattern(pattern: string): Pattern {
  const found = known.get(pattern);
  if (found) return found;
  const made = create(pattern);
  if (known.size >= mostPatterns) known.delete(known.keys().next().value as string);
  known.set(pattern, made);
  return made;
}

// Whether a label's value is one that the matcher lets through; a label that a series lacks is the empty text.
export function matcherTest({ op, value }: Matcher): (text: string) => boolean {
  if (op === '=') return (text) => text === value;
  if (op === '!=') return (text) => text !== value;
  const { test } = compilePattern(value);
  return op === '=~' ? test : (text) => !test(text);
}

function create(pattern: string): Pattern {
  const parsed = parseRe2(pattern);
  const literals = literalsOf(parsed.body);
  const groups = groupsOf(parsed);
  const { names } = parsed;
  if (literals) {
    const set = new Set(literals);
    return { test: (text) => set.has(text), groups, names, literals };
  }
  return { test: shortcut(parsed.body) ?? testOf(parsed), groups, names };
}

function testOf(parsed: ParsedExpression): (text: string) => boolean {
  if (isSimple(parsed.body)) {
    const regExp = new RegExp(`^(?:${sourceOf(parsed.body)})$`, 'u');
    return (text) => regExp.test(text);
  }
  const machine = new Machine(parsed);
  return (text) => machine.run(text) !== undefined;
}

function groupsOf(parsed: ParsedExpression): Pattern['groups'] {
  let machine: Machine | undefined;
  return (text) => {
    machine ??= new Machine(parsed);
    const marks = machine.run(text);
    if (!marks) return undefined;
    return Array.from({ length: parsed.groups }, (_, index) => {
      const from = marks[2 * index];
      return from === undefined ? undefined : text.slice(from, marks[2 * index + 1]);
    });
  };
}

// Every text that the expression matches, where they are few: words, lists of words, and what can be spelled out.
function literalsOf(expression: Expression): string[] | undefined {
  switch (expression.kind) {
    case 'set':
      return charactersOf(expression.set);
    case 'group':
      return literalsOf(expression.body);
    case 'sequence':
      return productOf(expression.parts);
    case 'choice': {
      const options = expression.options.map(literalsOf);
      if (options.includes(undefined)) return undefined;
      const all = options.flat() as string[];
      return all.length > mostLiterals * 16 ? undefined : all;
    }
    case 'repeat': {
      if (expression.max > 1) return undefined;
      const once = literalsOf(expression.body);
      return once && ['', ...once].slice(expression.min);
    }
    default:
      return undefined;
  }
}

function productOf(parts: readonly Expression[]): string[] | undefined {
  let texts = [''];
  for (const part of parts) {
    const options = literalsOf(part);
    if (!options || options.length * texts.length > mostLiterals) return undefined;
    if (options.length === 1) texts = texts.map((text) => text + options[0]);
    else texts = texts.flatMap((text) => options.map((option) => text + option));
  }
  return texts;
}

function charactersOf({ ranges, properties, isNegated }: CharSet): string[] | undefined {
  if (isNegated || properties.length > 0) return undefined;
  const characters: string[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    const from = ranges[at] as number;
    const to = ranges[at + 1] as number;
    if (to - from > 16) return undefined;
    for (let point = from; point <= to; point++) characters.push(String.fromCodePoint(point));
  }
  return characters.length > 16 ? undefined : characters;
}

// Anything; anything but nothing; and a text at the start, at the end or in the middle.
function shortcut(expression: Expression): ((text: string) => boolean) | undefined {
  const parts = expression.kind === 'sequence' ? expression.parts : [expression];
  const head = anyLength(parts[0]);
  if (parts.length === 1 && head !== undefined) return (text) => text.length >= head;
  const tail = anyLength(parts.at(-1));
  const [middle, ...others] =
    productOf(parts.slice(head === undefined ? 0 : 1, tail === undefined ? undefined : -1)) ?? [];
  if (middle === undefined || others.length > 0) return undefined;
  if (head === undefined && tail === 0) return (text) => text.startsWith(middle);
  if (head === 0 && tail === undefined) return (text) => text.endsWith(middle);
  if (head === 0 && tail === 0) return (text) => text.includes(middle);
  return undefined;
}

// 0 for .* and 1 for .+, with or without a group around.
function anyLength(part: Expression | undefined): number | undefined {
  if (part?.kind === 'group') return anyLength(part.body);
  if (part?.kind !== 'repeat' || part.max !== Number.POSITIVE_INFINITY || part.min > 1) return undefined;
  return part.body.kind === 'set' && part.body.set === anyCharacter ? part.min : undefined;
}

// Few enough ways to go back to: repeats of single characters only, two of them at most, and a few optional parts.
function isSimple(expression: Expression): boolean {
  const count = { repeats: 0, options: 0, size: 0 };
  const visit = (part: Expression): boolean => {
    count.size++;
    if (part.kind === 'sequence') return part.parts.every(visit);
    if (part.kind === 'choice') return part.options.every(visit);
    if (part.kind === 'group') return visit(part.body);
    if (part.kind !== 'repeat') return true;
    if (part.max === 1) count.options++;
    else if (part.body.kind !== 'set') return false;
    else if (part.max !== part.min) count.repeats++;
    return visit(part.body);
  };
  return visit(expression) && count.repeats <= 2 && count.options <= 8 && count.size <= 4000;
}

function sourceOf(expression: Expression): string {
  switch (expression.kind) {
    case 'set':
      return setSource(expression.set);
    case 'assertion':
      return assertionSources[expression.at];
    case 'sequence':
      return expression.parts
        .map((part) => (part.kind === 'choice' ? `(?:${sourceOf(part)})` : sourceOf(part)))
        .join('');
    case 'choice':
      return expression.options.map(sourceOf).join('|');
    case 'group':
      return `(?:${sourceOf(expression.body)})`;
    case 'repeat': {
      const { min, max, isGreedy } = expression;
      const bounds = max === Number.POSITIVE_INFINITY ? `{${min},}` : `{${min},${max}}`;
      return `(?:${sourceOf(expression.body)})${bounds}${isGreedy ? '' : '?'}`;
    }
  }
}

const assertionSources = {
  start: '(?:(?<![^]))',
  end: '(?:(?![^]))',
  lineStart: '(?:(?<![^\\n]))',
  lineEnd: '(?:(?![^\\n]))',
  word: '(?:\\b)',
  notWord: '(?:\\B)',
} as const;

function setSource({ ranges, properties, isNegated }: CharSet): string {
  let inner = '';
  for (let at = 0; at < ranges.length; at += 2) inner += `${escaped(ranges[at])}-${escaped(ranges[at + 1])}`;
  for (const property of properties) inner += `\\${property.isNegated ? 'P' : 'p'}{${property.name}}`;
  return `[${isNegated ? '^' : ''}${inner}]`;
}

const escaped = (point: number | undefined): string => `\\u{${(point ?? 0).toString(16)}}`;
