// Regular expressions that users write, in RE2's syntax and in linear time, whatever the pattern. Nothing of them ever
// reaches V8's own engine, which can backtrack for ever. Most patterns that people write are words, lists of words,
// prefixes and suffixes: those are compared as texts, as Prometheus does, and the rest goes to re2js.
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

export class BadPattern extends Error {}

type Test = (text: string) => boolean;

// Matches whole texts, and the dot takes a newline: ^(?s:pattern)$, which is how Prometheus reads a matcher.
export interface Pattern {
  test: Test;
  // What each group captured, by its number less one; undefined where the text does not match.
  groups(text: string): (string | undefined)[] | undefined;
  names: ReadonlyMap<string, number>; // group numbers by name
}

const maxPatterns = 256;
const maxLength = 65_536;
const maxProgram = 10_000; // instructions
const maxSearchProgram = 500; // of a program that is compiled and matched on the event loop
const maxExpanded = 100_000; // characters, each as often as counted repetitions can repeat it
const maxSearchExpanded = 20_000; // compiling takes about a microsecond for each
const patterns = new Map<string, Pattern>();

export function compilePattern(pattern: string): Pattern {
  const cached = patterns.get(pattern);
  if (cached) return cached;
  const compiled = compileWhole(pattern);
  if (patterns.size >= maxPatterns) patterns.delete(patterns.keys().next().value as string);
  patterns.set(pattern, compiled);
  return compiled;
}

// Finds the pattern anywhere in a text; the dot takes no newline.
export function compileSearch(pattern: string): Test {
  const [, start, escaped = '', end] = searchForm.exec(pattern) ?? [];
  if (start === undefined) {
    const re2 = compileRe2(pattern, false, maxSearchProgram, maxSearchExpanded);
    return (text) => re2.test(text);
  }
  const literal = unquote(escaped);
  if (start && end) return (text) => text === literal;
  if (start) return (text) => text.startsWith(literal);
  return end ? (text) => text.endsWith(literal) : (text) => text.includes(literal);
}

// The compiled pattern itself, for finding, capturing and replacing parts of a text; the dot matches no newline. Its
// cost fits a worker thread, not the event loop.
export function compileFinder(pattern: string): RE2JS {
  return compileRe2(pattern, false);
}

function compileWhole(pattern: string): Pattern {
  const simple = simpleTest(pattern);
  let compiled = simple ? undefined : compileRe2(pattern, true);
  const re2 = (): RE2JS => {
    compiled ??= compileRe2(pattern, true);
    return compiled;
  };
  return {
    test: simple ?? ((text) => re2().testExact(text)),
    groups(text) {
      const match = re2().matcher(text);
      if (!match.matches()) return undefined;
      return Array.from({ length: match.groupCount() }, (_, index) => match.group(index + 1) ?? undefined);
    },
    get names() {
      return new Map(Object.entries(re2().namedGroups()));
    },
  };
}

// Our own expressions that read users' patterns. They take linear time, as no two of their branches begin alike.
const literalChar = String.raw`[^\\.+*?()|[\]{}^$]|\\[!-/:-@[-\x60{-~]`;
const searchForm = new RegExp(`^(\\^?)((?:${literalChar})*)(\\$?)$`);
const optionForm = new RegExp(`^\\^?(\\.[*+])?((?:${literalChar})*)(\\.[*+])?\\$?$`);
const groupForm = new RegExp(`^\\((?:\\?:)?((?:${literalChar}|[|.*+])*)\\)$`);

const unquote = (text: string): string => text.replace(/\\(.)/g, '$1');

// A list of words in one group or none, each with .* or .+ before or after it. Anchors say nothing new.
function simpleTest(pattern: string): Test | undefined {
  if (pattern.length > maxLength || pattern.includes('\\|')) return undefined;
  const words = new Set<string>();
  const tests: Test[] = [];
  for (const option of (groupForm.exec(pattern)?.[1] ?? pattern).split('|')) {
    const [, head, escaped, tail] = optionForm.exec(option) ?? [];
    if (escaped === undefined || (head && tail && escaped === '')) return undefined;
    const literal = unquote(escaped);
    if (!head && !tail) words.add(literal);
    else tests.push(affixTest(literal, lengthOf(head), lengthOf(tail)));
  }
  const [first, second] = tests;
  if (!first) return (text) => words.has(text);
  if (!second && words.size === 0) return first;
  return (text) => words.has(text) || tests.some((test) => test(text));
}

const lengthOf = (affix: string | undefined): number | undefined => (affix ? Number(affix === '.+') : undefined);

// `head` and `tail`: the minimum number of characters before and after the literal; undefined: none are allowed.
function affixTest(literal: string, head: number | undefined, tail: number | undefined): Test {
  const least = literal.length + (head ?? 0) + (tail ?? 0);
  if (head === undefined) return (text) => text.length >= least && text.startsWith(literal);
  if (tail === undefined) return (text) => text.length >= least && text.endsWith(literal);
  return (text) => {
    const at = text.indexOf(literal, head);
    return at >= 0 && text.length - at - literal.length >= tail;
  };
}

let library: typeof import('re2js') | undefined;

// re2js is loaded with the first pattern that needs it, so that a start does not wait for it.
function compileRe2(pattern: string, isDotAll: boolean, most = maxProgram, mostExpanded = maxExpanded): RE2JS {
  library ??= createRequire(import.meta.url)('re2js') as typeof import('re2js');
  if (pattern.length > maxLength || expandedLength(pattern) > mostExpanded) throw tooLarge();
  try {
    const re2 = library.RE2JS.compile(pattern, isDotAll ? library.RE2JS.DOTALL : 0);
    if (re2.programSize() > most) throw tooLarge();
    return re2;
  } catch (error) {
    if (!(error instanceof library.RE2JSSyntaxException)) throw error;
    if (isDotAll) compileRe2(pattern, false); // throws the error without the flag, which re2js writes into the pattern
    throw new BadPattern(`error parsing regexp: ${error.error}: \`${error.input ?? ''}\``);
  }
}

// An upper bound: groups nest and so multiply, up to the 1,000 at which re2js refuses; single characters can't.
function expandedLength(pattern: string): number {
  let ofGroups = 1;
  let ofCharacters = 1;
  for (const [, group, least, most] of pattern.matchAll(/(\)?)\{(\d{1,4})(?:,(\d{0,4}))?\}/g)) {
    const count = Math.max(1, Number(least), Number(most ?? 0));
    if (group) ofGroups = Math.min(1000, ofGroups * count);
    else ofCharacters = Math.max(ofCharacters, count);
  }
  return pattern.length * Math.min(1000, ofGroups * ofCharacters);
}

const tooLarge = (): BadPattern => new BadPattern('error parsing regexp: expression too large');
