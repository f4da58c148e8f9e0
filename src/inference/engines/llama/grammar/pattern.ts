// Regular expressions of schemas as grammars. Unsupported features (look-around, back references) are refused. An
// unanchored pattern matches any text that contains a match; the grammar writes only the match itself.
import { EngineError } from '../../engine.ts';
import {
  characterOf,
  complement,
  digits,
  everything,
  letters,
  type Range,
  space,
  spaces,
  without,
  word,
} from './characters.ts';
import { anyOf, type Expression, repeated, sequence } from './rules.ts';

type Node =
  | { kind: 'set'; ranges: Range[] }
  | { kind: 'sequence'; parts: Node[] }
  | { kind: 'choice'; parts: Node[] }
  | { kind: 'repeat'; part: Node; least: number; most: number };

export interface PatternLimits {
  leastLength: number;
  mostLength: number;
  maxRepeats: number; // instead of no limit
}

export function patternExpression(pattern: string, limits: PatternLimits): Expression | undefined {
  const node = fitted(new Parser(pattern).parse(), limits, pattern);
  return expressionOf(node, limits.maxRepeats);
}

const endless = Number.POSITIVE_INFINITY;

function lengthOf(node: Node): [least: number, most: number] {
  switch (node.kind) {
    case 'set':
      return [1, 1];
    case 'sequence':
      return node.parts.map(lengthOf).reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
    case 'choice': {
      const lengths = node.parts.map(lengthOf);
      return [Math.min(...lengths.map(([least]) => least)), Math.max(...lengths.map(([, most]) => most))];
    }
    case 'repeat': {
      const [least, most] = lengthOf(node.part);
      return [least * node.least, most === 0 ? 0 : most * node.most];
    }
  }
}

// The pattern, restricted to the requested lengths: one repetition of single characters is set to the remaining length.
function fitted(node: Node, { leastLength, mostLength }: PatternLimits, pattern: string): Node {
  const [least, most] = lengthOf(node);
  if (least >= leastLength && most <= mostLength) return node;
  const parts = node.kind === 'sequence' ? node.parts : [node];
  for (const [at, part] of parts.entries()) {
    if (part.kind !== 'repeat' || part.part.kind !== 'set') continue;
    const [otherLeast, otherMost] = lengthOf({ kind: 'sequence', parts: parts.toSpliced(at, 1) });
    const from = Math.max(part.least, leastLength - otherLeast);
    const to = Math.min(part.most, mostLength - otherMost);
    if (from <= to) return { kind: 'sequence', parts: parts.with(at, { ...part, least: from, most: to }) };
  }
  if (mostLength === endless && leastLength <= most && leastLength <= least) return node;
  throw new EngineError('schema', `The lengths of the schema and its pattern ${pattern} can't be enforced together.`);
}

function expressionOf(node: Node, maxRepeats: number): Expression | undefined {
  switch (node.kind) {
    case 'set':
      return characterOf(node.ranges);
    case 'sequence':
      return sequence(...node.parts.map((part) => expressionOf(part, maxRepeats)));
    case 'choice': {
      const parts = node.parts.map((part) => expressionOf(part, maxRepeats));
      return anyOf(parts.map((part) => (part === '' ? '""' : part)));
    }
    case 'repeat': {
      const part = expressionOf(node.part, maxRepeats);
      if (part === undefined) return node.least === 0 ? '' : undefined;
      if (node.most === 0 || part === '') return '';
      const most = Math.min(node.most, Math.max(node.least, maxRepeats));
      return repeated(part, node.least, most === endless ? undefined : most);
    }
  }
}

const classes: Record<string, Range[] | undefined> = {
  d: digits,
  w: word,
  s: space, // of the characters that \s means, the most common one
  D: complement(digits),
  W: complement(word),
  S: complement(spaces),
};
const controls: Record<string, number | undefined> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 };
const lineEnds: Range[] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];

class Parser {
  readonly #pattern: string;
  readonly #characters: string[];
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#characters = [...pattern];
  }

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.#characters.length) throw this.#refused();
    return node;
  }

  #refused(): EngineError {
    return new EngineError('schema', `The pattern ${this.#pattern} of the schema is not one that can be enforced.`);
  }

  #peek(): string | undefined {
    return this.#characters[this.#at];
  }

  #take(text: string): boolean {
    const characters = [...text];
    if (!characters.every((one, at) => this.#characters[this.#at + at] === one)) return false;
    this.#at += characters.length;
    return true;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    return parts.length === 1 ? (parts[0] as Node) : { kind: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    // Anchors at the ends add nothing; inside they can't be enforced.
    this.#take('^');
    for (;;) {
      const next = this.#peek();
      if (next === undefined || next === '|' || next === ')') break;
      if (this.#take('$')) {
        const after = this.#peek();
        if (after === undefined || after === '|' || after === ')') break;
        throw this.#refused();
      }
      parts.push(this.#repeated(this.#atom()));
    }
    return { kind: 'sequence', parts };
  }

  #repeated(part: Node): Node {
    const [least, most] = this.#times();
    if (least === undefined || most === undefined) return part;
    this.#take('?'); // lazy or not: the same texts match
    return { kind: 'repeat', part, least, most };
  }

  #times(): [least?: number, most?: number] {
    if (this.#take('*')) return [0, endless];
    if (this.#take('+')) return [1, endless];
    if (this.#take('?')) return [0, 1];
    const rest = this.#characters.slice(this.#at).join('');
    const [all, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(rest) ?? [];
    if (all === undefined) return [];
    this.#at += all.length;
    const from = Number(least);
    if (comma === '') return [from, from];
    return [from, most === '' ? endless : Number(most)];
  }

  #atom(): Node {
    if (this.#take('(')) {
      if (this.#take('?')) {
        const isName = this.#take('<') && /[A-Za-z_$]/.test(this.#peek() ?? '');
        if (isName) while (!this.#take('>')) if (this.#at++ >= this.#characters.length) throw this.#refused();
        if (!isName && !this.#take(':')) throw this.#refused();
      }
      const inside = this.#choice();
      if (!this.#take(')')) throw this.#refused();
      return inside;
    }
    if (this.#take('[')) return { kind: 'set', ranges: this.#set() };
    if (this.#take('.')) return { kind: 'set', ranges: without(everything, lineEnds) };
    return { kind: 'set', ranges: this.#one() };
  }

  #set(): Range[] {
    const isNegated = this.#take('^');
    const ranges: Range[] = [];
    while (!this.#take(']')) {
      const from = this.#one(true);
      const [low] = from;
      if (this.#peek() === '-' && this.#characters[this.#at + 1] !== ']' && from.length === 1) {
        this.#at++;
        const [high] = this.#one(true);
        if (!low || !high || low[0] !== low[1] || high[1] < low[0]) throw this.#refused();
        ranges.push([low[0], high[1]]);
      } else ranges.push(...from);
    }
    return isNegated ? complement(ranges) : ranges;
  }

  // One character or class.
  #one(isInSet = false): Range[] {
    const one = this.#characters[this.#at++];
    if (one === undefined) throw this.#refused();
    if (one !== '\\') {
      if (!isInSet && /[*+?)^$]/.test(one)) throw this.#refused();
      return single(one.codePointAt(0) ?? 0);
    }
    const escaped = this.#characters[this.#at++] ?? '';
    const known = classes[escaped];
    if (known) return known;
    const control = controls[escaped];
    if (control !== undefined) return single(control);
    if (escaped === 'x') return single(this.#hex(2));
    if (escaped === 'u') return single(this.#take('{') ? this.#braced() : this.#hex(4));
    if (escaped === 'p') return this.#property();
    if (escaped === '' || /[A-Za-z1-9]/.test(escaped)) throw this.#refused();
    return single(escaped.codePointAt(0) ?? 0);
  }

  #hex(length: number): number {
    const text = this.#characters.slice(this.#at, this.#at + length).join('');
    if (!/^[0-9a-fA-F]+$/.test(text) || text.length !== length) throw this.#refused();
    this.#at += length;
    return Number.parseInt(text, 16);
  }

  #braced(): number {
    const end = this.#characters.indexOf('}', this.#at);
    const code = this.#hex(Math.max(1, end - this.#at));
    this.#at++;
    return code;
  }

  // A part of the property's characters is enough: the ASCII ones.
  #property(): Range[] {
    const end = this.#characters.indexOf('}', this.#at);
    const name = this.#characters.slice(this.#at + 1, end).join('');
    this.#at = end + 1;
    if (end > 0 && /^(?:L|Letter|Alphabetic)$/.test(name)) return letters;
    if (end > 0 && /^(?:Lu|Uppercase(?:_Letter)?)$/.test(name)) return [[0x41, 0x5a]];
    if (end > 0 && /^(?:Ll|Lowercase(?:_Letter)?)$/.test(name)) return [[0x61, 0x7a]];
    if (end > 0 && /^(?:N|Nd|Number|Decimal_Number)$/.test(name)) return digits;
    throw this.#refused();
  }
}

const single = (code: number): Range[] => [[code, code]];
