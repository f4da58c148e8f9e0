// Rows in few bytes: what rows of a kind have in common (the names in their JSON, what is null or true) is their shape,
// which is kept once; of each row only its owner, strings and numbers are. Put together again, it is the same text. A
// row of a shape that comes for the first time, or for which there is no room, is written out.
import type { Row } from '../engine.ts';
import { hashOf, ownText, Seen, Words, writeNumber } from './row-words.ts';
import { joined, mark, type Parts } from './rows.ts';

type Pieces = readonly string[]; // with a value between each and the next

interface Shape {
  kind: string;
  state: string;
  hidden: Pieces;
  meta: Pieces;
  body: Pieces;
  all: Pieces; // of the whole text
}

type Head = Pick<Row, 'contract' | 'place' | 'id' | 'version' | 'time'>;

const none = 0; // stands where other rows have the number of their shape, which begin with 1
const mostCharacters = 256 * 1024; // of all shapes
const mostValues = 64; // in a row
const mostGuesses = 8;

export class Shapes {
  readonly words = new Words();
  readonly #shapes: (Shape | undefined)[] = [undefined];
  readonly #codes = new Map<string, number>();
  readonly #once = new Seen();
  readonly #guesses: number[] = [];
  #found = 0;
  #characters = 0;

  // Gives the place behind it; nothing where it is no row as they are written.
  write(bytes: Buffer, at: number, rest: string): number | undefined {
    const values: string[] = [];
    const guessed = this.#guess(rest, values);
    if (guessed !== undefined) return this.#writeValues(bytes, at, guessed, values);
    const parts = joined(rest);
    if (!parts) return undefined;
    const found = this.#find(parts, values);
    if (found !== undefined) return this.#writeValues(bytes, at, found, values);
    const { kind, state, owner, hidden, meta, body } = parts;
    return this.#writeValues(bytes, at, none, [kind, state, owner, hidden, meta, body]);
  }

  read(bytes: Buffer, at: number, { contract, place, id, version, time }: Head): Row {
    const shape = this.#shapes[this.words.readNumber(bytes, at)];
    const kind = shape ? shape.kind : this.#next(bytes);
    const state = shape ? shape.state : this.#next(bytes);
    const owner = this.#next(bytes);
    const hidden = shape ? this.#joined(shape.hidden, bytes) : this.#next(bytes);
    const meta = shape ? this.#joined(shape.meta, bytes) : this.#next(bytes);
    const body = shape ? this.#joined(shape.body, bytes) : this.#next(bytes);
    return { contract, place, id, kind, state, version, time, owner, meta, body, hidden };
  }

  #writeValues(bytes: Buffer, at: number, code: number, values: readonly string[]): number {
    let to = writeNumber(bytes, at, code);
    for (const value of values) to = this.words.write(bytes, to, value);
    return to;
  }

  #next(bytes: Buffer): string {
    return this.words.read(bytes, this.words.end);
  }

  #joined(pieces: Pieces, bytes: Buffer): string {
    let text = pieces[0] as string;
    for (let at = 1; at < pieces.length; at++) text += this.#next(bytes) + (pieces[at] as string);
    return text;
  }

  // Most rows have the shape of one shortly before them.
  #guess(rest: string, values: string[]): number | undefined {
    for (const code of this.#guesses) if (fits((this.#shapes[code] as Shape).all, rest, values)) return code;
    return undefined;
  }

  #find({ kind, state, owner, ...texts }: Parts, values: string[]): number | undefined {
    values.push(owner);
    const hidden = cut(texts.hidden, values);
    const meta = cut(texts.meta, values);
    const body = cut(texts.body, values);
    if (!hidden || !meta || !body || values.length > mostValues) return undefined;
    const front = [`${kind}${mark}${state}${mark}`, mark];
    const all = [hidden, [mark], meta, [mark], body].reduce(linked, front);
    const code = this.#codeOf({ kind, state, hidden, meta, body, all });
    if (code !== undefined && !this.#guesses.includes(code)) this.#guesses[this.#found++ % mostGuesses] = code;
    return code;
  }

  #codeOf(shape: Shape): number | undefined {
    const key = JSON.stringify(shape.all);
    const known = this.#codes.get(key);
    if (known !== undefined) return known;
    if (this.#characters + key.length > mostCharacters || !this.#once.has(hashOf(key))) return undefined;
    this.#characters += key.length;
    this.#codes.set(key, this.#shapes.length);
    return this.#shapes.push(ownShape(shape)) - 1;
  }
}

const ownShape = ({ kind, state, hidden, meta, body, all }: Shape): Shape => ({
  kind: ownText(kind),
  state: ownText(state),
  hidden: hidden.map(ownText),
  meta: meta.map(ownText),
  body: body.map(ownText),
  all: all.map(ownText),
});

// The last of the one and the first of the other are one piece.
function linked(left: Pieces, right: Pieces): Pieces {
  return [...left.slice(0, -1), `${left.at(-1)}${right[0]}`, ...right.slice(1)];
}

// Finds what stands between the pieces. However it is cut, all of it is there, and its five marks are in the pieces.
function fits(pieces: Pieces, rest: string, values: string[]): boolean {
  const first = pieces[0] as string;
  const last = pieces.at(-1) as string;
  if (!rest.startsWith(first)) return false;
  const end = rest.length - last.length;
  let at = first.length;
  for (let n = 1; n < pieces.length - 1; n++) {
    const piece = pieces[n] as string;
    const next = rest.indexOf(piece, at);
    if (next < 0) break;
    values.push(rest.slice(at, next));
    at = next + piece.length;
  }
  if (values.length === pieces.length - 2 && at <= end && rest.endsWith(last)) {
    values.push(rest.slice(at, end));
    return true;
  }
  values.length = 0;
  return false;
}

const [quote, colon, minus, backslash] = ['"', ':', '-', '\\'].map((one) => one.charCodeAt(0));

// JSON text around its strings and numbers, which go to `values`; nothing where a string has no end. Names stay.
function cut(text: string, values: string[]): Pieces | undefined {
  const pieces: string[] = [];
  let start = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const end = code === quote ? behindString(text, at) : isDigit(code) || code === minus ? behindNumber(text, at) : 0;
    if (end === undefined) return undefined;
    if (end !== 0 && text.charCodeAt(end) !== colon) {
      pieces.push(text.slice(start, at));
      values.push(text.slice(at, end));
      start = end;
    }
    at = end === 0 ? at + 1 : end;
  }
  pieces.push(text.slice(start));
  return pieces;
}

function behindString(text: string, from: number): number | undefined {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at++;
  }
  return undefined;
}

function behindNumber(text: string, from: number): number {
  let at = from + 1;
  while (isDigit(text.charCodeAt(at)) || text[at] === '.') at++;
  return at;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
