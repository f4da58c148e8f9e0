// What a regular expression of RE2's syntax means, as a tree of sets of characters. Flags are resolved while reading,
// so whoever uses the tree needs to know nothing of them.

// A set of characters: ranges of code points, and Unicode properties that are asked for by name.
export interface CharSet {
  ranges: number[]; // from, to, from, to … both included
  properties: { name: string; isNegated: boolean }[];
  isNegated: boolean;
}

export type AssertionKind = 'start' | 'end' | 'lineStart' | 'lineEnd' | 'word' | 'notWord';

export type Expression =
  | { kind: 'set'; set: CharSet }
  | { kind: 'assertion'; at: AssertionKind }
  | { kind: 'sequence'; parts: Expression[] }
  | { kind: 'choice'; options: Expression[] }
  | { kind: 'repeat'; body: Expression; min: number; max: number; isGreedy: boolean } // max Infinity: no end
  | { kind: 'group'; body: Expression; index: number };

const lastPoint = 0x10ffff;

export const anyCharacter: CharSet = { ranges: [0, lastPoint], properties: [], isNegated: false };
export const notNewline: CharSet = { ranges: [0, 9, 11, lastPoint], properties: [], isNegated: false };

export function hasCharacter(set: CharSet, point: number): boolean {
  return isListed(set, point) !== set.isNegated;
}

function isListed({ ranges, properties }: CharSet, point: number): boolean {
  for (let at = 0; at < ranges.length; at += 2)
    if (point >= (ranges[at] as number) && point <= (ranges[at + 1] as number)) return true;
  return properties.some(({ name, isNegated }) => propertyTest(name).test(String.fromCodePoint(point)) !== isNegated);
}

const tests = new Map<string, RegExp>();
function propertyTest(name: string): RegExp {
  const known = tests.get(name);
  if (known) return known;
  const test = new RegExp(`\\p{${name}}`, 'u');
  tests.set(name, test);
  return test;
}

// The name under which JavaScript knows a Unicode class of RE2: a general category or a script.
export function propertyName(name: string): string | undefined {
  if (name === 'Any') return 'Any';
  const candidate = /^[A-Z][a-z]?$/.test(name) ? name : `Script=${name}`;
  try {
    propertyTest(candidate);
    return candidate;
  } catch {
    return undefined;
  }
}

export function oneCharacter(point: number, ignoresCase: boolean): CharSet {
  const ranges = [point, point];
  if (ignoresCase) for (const other of otherCases(point)) ranges.push(other, other);
  return { ranges, properties: [], isNegated: false };
}

// The same letter in other cases, by Unicode's simple folding: only one character for one.
function otherCases(point: number): number[] {
  const text = String.fromCodePoint(point);
  const others = new Set<number>();
  for (const other of [text.toLowerCase(), text.toUpperCase(), text.toUpperCase().toLowerCase()]) {
    const first = other.codePointAt(0) ?? point;
    if (String.fromCodePoint(first) === other && first !== point) others.add(first);
  }
  return [...others];
}

// Case-blind ranges: exact for letters of ASCII and for small ranges, which is what people write.
export function foldRanges(ranges: readonly number[]): number[] {
  const folded = [...ranges];
  for (let at = 0; at < ranges.length; at += 2) {
    const from = ranges[at] as number;
    const to = Math.min(ranges[at + 1] as number, from + 0x3000);
    for (let point = from; point <= to; point++) for (const other of otherCases(point)) folded.push(other, other);
  }
  return folded;
}

export function complementOf(ranges: readonly number[]): number[] {
  const pairs: [number, number][] = [];
  for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at] as number, ranges[at + 1] as number]);
  pairs.sort(([a], [b]) => a - b);
  const rest: number[] = [];
  let next = 0;
  for (const [from, to] of pairs) {
    if (from > next) rest.push(next, from - 1);
    next = Math.max(next, to + 1);
  }
  if (next <= lastPoint) rest.push(next, lastPoint);
  return rest;
}

const digits = [48, 57];
const upper = [65, 90];
const lower = [97, 122];
const letters = [...upper, ...lower];
const blanks = [9, 10, 12, 13, 32, 32];
export const wordRanges: readonly number[] = [...digits, ...letters, 95, 95];

export const perlClasses: Readonly<Record<string, number[]>> = {
  d: digits,
  D: complementOf(digits),
  s: blanks,
  S: complementOf(blanks),
  w: [...wordRanges],
  W: complementOf(wordRanges),
};

export const posixClasses: Readonly<Record<string, number[]>> = {
  alnum: [...digits, ...letters],
  alpha: letters,
  ascii: [0, 127],
  blank: [9, 9, 32, 32],
  cntrl: [0, 31, 127, 127],
  digit: digits,
  graph: [33, 126],
  lower,
  print: [32, 126],
  punct: [33, 47, 58, 64, 91, 96, 123, 126],
  space: [9, 13, 32, 32],
  upper,
  word: [...wordRanges],
  xdigit: [...digits, 65, 70, 97, 102],
};
