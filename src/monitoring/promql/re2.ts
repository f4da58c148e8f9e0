// Reads regular expressions of RE2's syntax, as Go's regexp package does: what needs to look back or around is refused,
// which is why such an expression can be tried in linear time (re2-machine.ts).
import {
  anyCharacter,
  type CharSet,
  complementOf,
  type Expression,
  foldRanges,
  notNewline,
  oneCharacter,
  perlClasses,
  posixClasses,
  propertyName,
} from './re2-tree.ts';

export interface ParsedExpression {
  body: Expression;
  groups: number;
  names: Map<string, number>; // of groups that have one
}

export class BadExpression extends Error {}

const mostNesting = 200;
const mostRepeats = 1000;
const longest = 65_536;
const repeatForm = /^\{(\d+)(?:(,)(\d*))?\}/;
const groupForm = /^\?(?:P?<([A-Za-z0-9_]+)>|([imsU]*(?:-[imsU]+)?)([:)]))/;
const simpleEscapes: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };

interface Flags {
  ignoresCase: boolean;
  isMultiline: boolean;
  dotTakesNewline: boolean;
  isUngreedy: boolean;
}

// Prometheus lets the dot match a newline; Go by itself does not.
export function parseRe2(pattern: string): ParsedExpression {
  if (pattern.length > longest) throw new BadExpression('error parsing regexp: expression too large');
  const reader = new Reader(pattern);
  const body = reader.choice({ ignoresCase: false, isMultiline: false, dotTakesNewline: true, isUngreedy: false }, 0);
  if (!reader.isDone) throw reader.bad('unexpected )', pattern);
  return { body, groups: reader.groups, names: reader.names };
}

class Reader {
  readonly names = new Map<string, number>();
  readonly #pattern: string;
  groups = 0;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get isDone(): boolean {
    return this.#at >= this.#pattern.length;
  }

  bad(why: string, what: string): BadExpression {
    return new BadExpression(`error parsing regexp: ${why}: \`${what}\``);
  }

  choice(given: Flags, depth: number): Expression {
    if (depth > mostNesting) throw new BadExpression('error parsing regexp: expression nests too deeply');
    const flags = { ...given };
    const options = [this.#sequence(flags, depth)];
    while (this.#takes('|')) options.push(this.#sequence(flags, depth));
    return options.length === 1 ? (options[0] as Expression) : { kind: 'choice', options };
  }

  // A change of flags, (?i), holds for the rest of the group, so `flags` is written to.
  #sequence(flags: Flags, depth: number): Expression {
    const parts: Expression[] = [];
    while (!this.isDone && this.#peek() !== '|' && this.#peek() !== ')') {
      const found = this.#atom(flags, depth);
      for (const part of found) parts.push(part);
      if (found.length > 0) this.#repeats(parts, flags);
      else if (this.#repeatAhead()) throw this.bad('missing argument to repetition operator', this.#peek());
    }
    return parts.length === 1 ? (parts[0] as Expression) : { kind: 'sequence', parts };
  }

  #atom(flags: Flags, depth: number): Expression[] {
    const first = this.#next();
    if (first === '(') return this.#group(flags, depth);
    if (first === '[') return [{ kind: 'set', set: this.#bracket(flags) }];
    if (first === '\\') return this.#escape(flags);
    if (first === '.') return [{ kind: 'set', set: flags.dotTakesNewline ? anyCharacter : notNewline }];
    if (first === '^') return [{ kind: 'assertion', at: flags.isMultiline ? 'lineStart' : 'start' }];
    if (first === '$') return [{ kind: 'assertion', at: flags.isMultiline ? 'lineEnd' : 'end' }];
    if (first === '*' || first === '+' || first === '?')
      throw this.bad('missing argument to repetition operator', first);
    return [literal(first, flags)];
  }

  #group(flags: Flags, depth: number): Expression[] {
    const start = this.#at - 1;
    let inner = flags;
    let index = 0;
    if (this.#peek() === '?') {
      const [all = '', name, changes, end] = groupForm.exec(this.#pattern.slice(this.#at)) ?? [];
      if (all === '' || (changes === '' && end === ')'))
        throw this.bad('invalid or unsupported Perl syntax', this.#pattern.slice(start, start + 4));
      this.#at += all.length;
      if (changes !== undefined) inner = changed(flags, changes);
      if (end === ')') {
        Object.assign(flags, inner);
        return [];
      }
      if (name !== undefined) {
        if (this.names.has(name)) throw this.bad('duplicate capture group name', name);
        index = ++this.groups;
        this.names.set(name, index);
      }
    } else index = ++this.groups;
    const body = this.choice(inner, depth + 1);
    if (!this.#takes(')')) throw this.bad('missing closing )', this.#pattern);
    return [index > 0 ? { kind: 'group', body, index } : body];
  }

  #repeats(parts: Expression[], flags: Flags): void {
    const start = this.#at;
    const bounds = this.#repeatAhead();
    if (!bounds) return;
    this.#at += bounds.length;
    const isLazy = this.#takes('?');
    if (bounds.min > mostRepeats || (bounds.max > mostRepeats && bounds.max !== Number.POSITIVE_INFINITY))
      throw this.bad('invalid repeat count', this.#pattern.slice(start, this.#at));
    if (bounds.max < bounds.min) throw this.bad('invalid repeat count', this.#pattern.slice(start, this.#at));
    if (this.#repeatAhead())
      throw this.bad('invalid nested repetition operator', this.#pattern.slice(start, start + 2));
    const body = parts.pop() as Expression;
    parts.push({ kind: 'repeat', body, min: bounds.min, max: bounds.max, isGreedy: isLazy === flags.isUngreedy });
  }

  #repeatAhead(): { min: number; max: number; length: number } | undefined {
    const endless = Number.POSITIVE_INFINITY;
    const sign = this.#peek();
    if (sign === '*') return { min: 0, max: endless, length: 1 };
    if (sign === '+') return { min: 1, max: endless, length: 1 };
    if (sign === '?') return { min: 0, max: 1, length: 1 };
    const [all, min, comma, max] =
      sign === '{' ? (repeatForm.exec(this.#pattern.slice(this.#at, this.#at + 20)) ?? []) : [];
    if (all === undefined) return undefined;
    return { min: Number(min), max: !comma ? Number(min) : max ? Number(max) : endless, length: all.length };
  }

  #escape(flags: Flags): Expression[] {
    if (this.isDone) throw this.bad('trailing backslash at end of expression', '');
    const sign = this.#peek();
    const assertion = ({ A: 'start', z: 'end', b: 'word', B: 'notWord' } as const)[sign];
    if (assertion) {
      this.#at++;
      return [{ kind: 'assertion', at: assertion }];
    }
    if (sign === 'Q') return this.#quoted(flags);
    const set = this.#classEscape(flags);
    if (set) return [{ kind: 'set', set }];
    return [{ kind: 'set', set: oneCharacter(this.#characterEscape(), flags.ignoresCase) }];
  }

  #quoted(flags: Flags): Expression[] {
    this.#at++;
    const end = this.#pattern.indexOf('\\E', this.#at);
    const text = this.#pattern.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#pattern.length : end + 2;
    return [...text].map((character) => literal(character, flags));
  }

  // \d, \pL, \p{Greek} and their opposites.
  #classEscape({ ignoresCase }: Flags): CharSet | undefined {
    const sign = this.#peek();
    const perl = perlClasses[sign];
    if (perl) {
      this.#at++;
      return { ranges: perl, properties: [], isNegated: false };
    }
    if (sign !== 'p' && sign !== 'P') return undefined;
    const [all, caret, long, short] = /^[pP](?:\{(\^?)([^}]*)\}|(\w))/.exec(this.#pattern.slice(this.#at)) ?? [];
    const name = propertyName(long ?? short ?? '');
    if (!all || !name) throw this.bad('invalid character class range', `\\${all ?? sign}`);
    this.#at += all.length;
    const isNegated = (sign === 'P') !== (caret === '^');
    // With case ignored, upper and lower case letters are the same class.
    const shown = ignoresCase && (name === 'Lu' || name === 'Ll') ? ['Lu', 'Ll'] : [name];
    return { ranges: [], properties: shown.map((each) => ({ name: each, isNegated })), isNegated: false };
  }

  #characterEscape(): number {
    const start = this.#at;
    const sign = this.#next();
    const simple = simpleEscapes[sign];
    if (simple !== undefined) return simple;
    const rest = this.#pattern.slice(start);
    const hex = /^x(?:([\da-fA-F]{2})|\{([\da-fA-F]{1,6})\})/.exec(rest);
    const octal = /^(?:[1-7][0-7]{1,2}|0[0-7]{0,2})/.exec(rest);
    const point = hex ? Number.parseInt(hex[1] ?? hex[2] ?? '', 16) : octal ? Number.parseInt(octal[0], 8) : undefined;
    if (point !== undefined && point <= 0x10ffff) {
      this.#at = start + (hex?.[0].length ?? octal?.[0].length ?? 0);
      return point;
    }
    if (/[A-Za-z0-9]/.test(sign)) throw this.bad('invalid escape sequence', `\\${sign}`);
    return sign.codePointAt(0) as number;
  }

  #bracket(flags: Flags): CharSet {
    const start = this.#at - 1;
    const set: CharSet = { ranges: [], properties: [], isNegated: this.#takes('^') };
    for (let isFirst = true; isFirst || this.#peek() !== ']'; isFirst = false) {
      if (this.isDone) throw this.bad('missing closing ]', this.#pattern.slice(start));
      this.#member(set, flags);
    }
    this.#at++;
    if (flags.ignoresCase) set.ranges = foldRanges(set.ranges);
    return set;
  }

  #member(set: CharSet, flags: Flags): void {
    const posix = /^\[:(\^?)(\w+):\]/.exec(this.#pattern.slice(this.#at, this.#at + 20));
    if (posix) {
      const ranges = posixClasses[posix[2] ?? ''];
      if (!ranges) throw this.bad('invalid character class range', posix[0]);
      set.ranges.push(...(posix[1] ? complementOf(ranges) : ranges));
      this.#at += posix[0].length;
      return;
    }
    const from = this.#bracketCharacter(flags);
    if (typeof from !== 'number') {
      set.ranges.push(...from.ranges);
      set.properties.push(...from.properties);
      return;
    }
    const isRange = this.#peek() === '-' && (this.#pattern[this.#at + 1] ?? ']') !== ']';
    if (isRange) this.#at++;
    const to = isRange ? this.#bracketCharacter(flags) : from;
    if (typeof to !== 'number' || to < from) throw this.bad('invalid character class range', this.#pattern);
    set.ranges.push(from, to);
  }

  #bracketCharacter(flags: Flags): number | CharSet {
    if (!this.#takes('\\')) return this.#next().codePointAt(0) as number;
    if (this.isDone) throw this.bad('trailing backslash at end of expression', '');
    return this.#classEscape(flags) ?? this.#characterEscape();
  }

  #peek(): string {
    return this.#pattern[this.#at] ?? '';
  }

  #next(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  #takes(sign: string): boolean {
    if (this.#peek() !== sign || sign === '') return false;
    this.#at++;
    return true;
  }
}

function literal(character: string, flags: Flags): Expression {
  return { kind: 'set', set: oneCharacter(character.codePointAt(0) as number, flags.ignoresCase) };
}

function changed(flags: Flags, changes: string): Flags {
  const [on = '', off = ''] = changes.split('-');
  const pick = (letter: string, now: boolean): boolean => (on.includes(letter) || now) && !off.includes(letter);
  return {
    ignoresCase: pick('i', flags.ignoresCase),
    isMultiline: pick('m', flags.isMultiline),
    dotTakesNewline: pick('s', flags.dotTakesNewline),
    isUngreedy: pick('U', flags.isUngreedy),
  };
}
