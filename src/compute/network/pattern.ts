// Regular expressions that users write (MATCHES), matched in time that grows with text times pattern and never more:
// all ways are walked side by side, so nothing is tried twice. Understood are characters, `.`, classes, \d \w \s and
// their opposites, groups, `|`, `^`, `$`, and `* + ? {n} {n,} {n,m}` with or without a lazy `?`. Back references,
// look-around and word boundaries are not, because no such walk can judge the first two.

export type Pattern = (text: string) => boolean;

export const longestPattern = 255;
const longestText = 2048; // what lies behind is not looked at
const mostStates = 500;

// undefined: not understood, or too large.
export function patternOf(source: string): Pattern | undefined {
  if (source.length > longestPattern) return undefined;
  try {
    const node = new Parser(source).all();
    const states: State[] = [];
    emit(node, states);
    add(states, { op: 'found' });
    return (text) => search(states, text);
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

class NotUnderstood extends Error {}

interface Characters {
  isNegated: boolean;
  ranges: [number, number][]; // character codes, both ends included, in order and apart from each other
}

type Node =
  | { kind: 'characters'; of: Characters }
  | { kind: 'start' | 'end' }
  | { kind: 'row'; parts: Node[] }
  | { kind: 'either'; parts: Node[] }
  | { kind: 'repeat'; part: Node; least: number; most: number };

type State = { op: 'characters'; of: Characters } | { op: 'start' | 'end' | 'found' } | { op: 'go'; to: number[] };

const digits: [number, number][] = [[48, 57]];
const words: [number, number][] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const spaces: [number, number][] = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const lineEnds: [number, number][] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
const controls: { [letter: string]: number } = { t: 9, n: 10, v: 11, f: 12, r: 13 };

class Parser {
  #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  all(): Node {
    const node = this.#either();
    if (this.#at < this.#source.length) throw new NotUnderstood();
    return node;
  }

  #next(): string | undefined {
    return this.#source[this.#at];
  }

  #takes(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #either(): Node {
    const parts = [this.#row()];
    while (this.#takes('|')) parts.push(this.#row());
    return parts.length === 1 ? (parts[0] as Node) : { kind: 'either', parts };
  }

  #row(): Node {
    const parts: Node[] = [];
    for (let next = this.#next(); next !== undefined && next !== '|' && next !== ')'; next = this.#next())
      parts.push(this.#repeated());
    return { kind: 'row', parts };
  }

  #repeated(): Node {
    const part = this.#part();
    const times = this.#times();
    if (!times) return part;
    if (part.kind === 'start' || part.kind === 'end') throw new NotUnderstood();
    this.#takes('?');
    return { kind: 'repeat', part, ...times };
  }

  #times(): { least: number; most: number } | undefined {
    if (this.#takes('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.#takes('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (this.#takes('?')) return { least: 0, most: 1 };
    const counted = /^\{(\d{1,4})(,?)(\d{0,4})\}/.exec(this.#source.slice(this.#at));
    if (!counted) return undefined;
    const [text, least = '', comma, most] = counted;
    this.#at += text.length;
    const times = { least: Number(least), most: Number(most || (comma ? Number.POSITIVE_INFINITY : least)) };
    if ((most && !comma) || times.most < times.least) throw new NotUnderstood();
    return times;
  }

  #part(): Node {
    const character = this.#next() as string;
    this.#at += 1;
    if (character === '^') return { kind: 'start' };
    if (character === '$') return { kind: 'end' };
    if (character === '.') return { kind: 'characters', of: { isNegated: true, ranges: lineEnds } };
    if (character === '(') return this.#group();
    if (character === '[') return { kind: 'characters', of: this.#class() };
    if (character === '\\') return { kind: 'characters', of: this.#escape() };
    if ('*+?{'.includes(character)) throw new NotUnderstood();
    return { kind: 'characters', of: single(character) };
  }

  #group(): Node {
    if (this.#next() === '?' && !this.#takes('?:')) throw new NotUnderstood();
    const node = this.#either();
    if (!this.#takes(')')) throw new NotUnderstood();
    return node;
  }

  #escape(): Characters {
    const character = this.#next();
    this.#at += 1;
    if (character === undefined) throw new NotUnderstood();
    const ranges = { d: digits, w: words, s: spaces }[character.toLowerCase()];
    if (ranges) return { isNegated: character < 'a', ranges };
    const control = controls[character];
    if (control !== undefined) return { isNegated: false, ranges: [[control, control]] };
    if (/[\dA-Za-z]/.test(character)) throw new NotUnderstood();
    return single(character);
  }

  #class(): Characters {
    const isNegated = this.#takes('^');
    const ranges: [number, number][] = [];
    while (!this.#takes(']')) {
      const from = this.#classPart();
      const isRange = this.#next() === '-' && this.#source[this.#at + 1] !== ']';
      if (!isRange) {
        ranges.push(...from);
        continue;
      }
      this.#at += 1;
      const [[first, firstEnd] = [0, 0]] = from;
      const [[last, lastEnd] = [0, 0]] = this.#classPart();
      if (first !== firstEnd || last !== lastEnd || last < first) throw new NotUnderstood();
      ranges.push([first, last]);
    }
    return { isNegated, ranges: inOrder(ranges) };
  }

  #classPart(): [number, number][] {
    const character = this.#next();
    if (character === undefined) throw new NotUnderstood();
    this.#at += 1;
    if (character !== '\\') return single(character).ranges;
    const { isNegated, ranges } = this.#escape();
    return isNegated ? opposite(ranges) : ranges;
  }
}

const single = (character: string): Characters => {
  const code = character.charCodeAt(0);
  return { isNegated: false, ranges: [[code, code]] };
};

function inOrder(ranges: [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [first, last] of ranges.toSorted(([one], [other]) => one - other)) {
    const before = merged.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

function opposite(ranges: [number, number][]): [number, number][] {
  const gaps: [number, number][] = [];
  let from = 0;
  for (const [first, last] of ranges) {
    if (first > from) gaps.push([from, first - 1]);
    from = last + 1;
  }
  return [...gaps, [from, 0xffff]];
}

function add(states: State[], state: State): void {
  if (states.length >= mostStates) throw new NotUnderstood();
  states.push(state);
}

function emit(node: Node, states: State[]): void {
  if (node.kind === 'characters') add(states, { op: 'characters', of: node.of });
  else if (node.kind === 'row') for (const part of node.parts) emit(part, states);
  else if (node.kind === 'either') emitEither(node.parts, states);
  else if (node.kind === 'repeat') emitRepeat(node.part, node.least, node.most, states);
  else add(states, { op: node.kind });
}

function emitEither(parts: Node[], states: State[]): void {
  const ways: number[] = [];
  const ends: number[][] = [];
  add(states, { op: 'go', to: ways });
  for (const part of parts) {
    ways.push(states.length);
    emit(part, states);
    const end: number[] = [];
    ends.push(end);
    add(states, { op: 'go', to: end });
  }
  for (const end of ends) end.push(states.length);
}

function emitRepeat(part: Node, least: number, most: number, states: State[]): void {
  for (let times = 0; times < least; times++) emit(part, states);
  const skips: number[][] = [];
  const optional = most === Number.POSITIVE_INFINITY ? 1 : most - least;
  const from = states.length;
  for (let times = 0; times < optional; times++) {
    const ways = [states.length + 1];
    skips.push(ways);
    add(states, { op: 'go', to: ways });
    emit(part, states);
  }
  if (most === Number.POSITIVE_INFINITY) add(states, { op: 'go', to: [from] });
  for (const ways of skips) ways.push(states.length);
}

function search(states: State[], text: string): boolean {
  let current: number[] = [];
  const seen = new Int32Array(states.length).fill(-1); // at which character each state was entered last
  for (let at = 0; ; at++) {
    const next: number[] = [];
    if (enter(states, current, 0, at, text, seen)) return true;
    if (at >= text.length || at >= longestText) return false;
    const code = text.charCodeAt(at);
    for (const state of current) {
      const here = states[state];
      if (here?.op === 'characters' && isOf(here.of, code))
        if (enter(states, next, state + 1, at + 1, text, seen)) return true;
    }
    current = next;
  }
}

// Adds a state with all that can be reached from it without reading on; true when that is the end.
function enter(states: State[], into: number[], first: number, at: number, text: string, seen: Int32Array): boolean {
  const open = [first];
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    if (seen[number] === at) continue;
    seen[number] = at;
    const state = states[number] as State;
    if (state.op === 'found') return true;
    if (state.op === 'characters') into.push(number);
    else if (state.op === 'go') open.push(...state.to);
    else if (state.op === 'start' ? at === 0 : at === text.length) open.push(number + 1);
  }
  return false;
}

function isOf({ isNegated, ranges }: Characters, code: number): boolean {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = ranges[middle] as [number, number];
    if (code < first) high = middle - 1;
    else if (code > last) low = middle + 1;
    else return !isNegated;
  }
  return isNegated;
}
