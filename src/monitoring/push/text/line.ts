// The lines that the text format and OpenMetrics share: a cursor over the lines of a body, and the parts of a line.
// Parsing must not depend on the content of the sink, because a push is read again after a crash.
import { isUtf8 } from 'node:buffer';
import { UnreadablePush } from '../../../core/push/push-body.ts';
import { numberOf, short } from '../../../core/push/text.ts';
import { labelsOf, mostLabels, type Pairs } from '../labels.ts';
import type { Sink } from '../sink.ts';

const tab = 0x09;
const newline = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

export class Lines {
  readonly bytes: Buffer;
  number = 0;
  at = 0;
  end = 0; // of the line, without the line break
  #next = 0;

  constructor(bytes: Buffer) {
    if (!isUtf8(bytes)) throw new UnreadablePush('the body is not valid UTF-8');
    this.bytes = bytes;
  }

  next(): boolean {
    this.at = this.#next;
    if (this.at >= this.bytes.length) return false;
    const found = this.bytes.indexOf(newline, this.at);
    this.end = found < 0 ? this.bytes.length : found;
    this.#next = this.end + 1;
    this.number++;
    return true;
  }

  // Lines may end with CR LF.
  dropCarriageReturn(): void {
    if (this.end > this.at && this.bytes[this.end - 1] === carriageReturn) this.end--;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  skipBlanks(): void {
    while (this.at < this.end && isBlank(this.bytes[this.at] as number)) this.at++;
  }

  // Returns the text up to the next blank; empty at the end of the line.
  word(): string {
    this.skipBlanks();
    const from = this.at;
    while (this.at < this.end && !isBlank(this.bytes[this.at] as number)) this.at++;
    return this.bytes.toString('latin1', from, this.at);
  }

  rest(): string {
    return this.bytes.toString('utf8', this.at, this.end);
  }

  fail(why: string): never {
    throw new UnreadablePush(`line ${this.number}: ${why}`);
  }
}

const isBlank = (byte: number): boolean => byte === space || byte === tab;

// Returns the series of the name and labels at the start of a line.
export function readSeries(line: Lines, sink: Sink): number {
  const from = line.at;
  const to = endOfSeries(line);
  line.at = to;
  const known = sink.known(line.bytes, from, to);
  if (known >= 0) return known;
  const labels = labelsOf(pairsOf(line, line.bytes.toString('utf8', from, to)));
  return typeof labels === 'string' ? line.fail(labels) : sink.register(labels, line.bytes, from, to);
}

// Finds the end of the name, or of its labels. These are checked when the series is new.
function endOfSeries(line: Lines): number {
  const { bytes, end } = line;
  let at = line.at;
  while (at < end && bytes[at] !== openBrace && !isBlank(bytes[at] as number)) at++;
  const nameEnd = at;
  while (at < end && isBlank(bytes[at] as number)) at++;
  if (at >= end || bytes[at] !== openBrace) return nameEnd;
  return endOfBraces(line, at);
}

export function endOfBraces(line: Lines, from: number): number {
  const { bytes, end } = line;
  let quoted = false;
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === quote) quoted = !quoted;
    else if (byte === backslash && quoted) at++;
    else if (byte === closeBrace && !quoted) return at + 1;
  }
  return line.fail('the labels have no closing brace');
}

// `name{a="b"}` or `{"a name", "a label"="b"}`.
export function pairsOf(line: Lines, text: string): Pairs {
  const tokens = new Tokens(line, text);
  const pairs: Pairs = [];
  const name = tokens.word(metricName);
  if (name !== '') pairs.push(['__name__', name]);
  tokens.skipBlanks();
  if (tokens.done) return pairs;
  if (!tokens.take('{')) line.fail(`${short(text)} is not the name of a metric`);
  while (!tokens.take('}')) {
    if (pairs.length > mostLabels) line.fail(`a series has more than ${mostLabels} labels`);
    const quoted = tokens.at('"');
    const label = quoted ? tokens.quoted() : tokens.word(labelName);
    if (tokens.take('=')) {
      if (label === '') line.fail('a label has no name');
      pairs.push([label, tokens.quoted()]);
    } else if (quoted) {
      pairs.push(['__name__', label]);
    } else {
      line.fail(`expected the name of a label at ${short(tokens.rest)}`);
    }
    if (!tokens.take(',') && !tokens.at('}')) line.fail(`expected a comma or a closing brace at ${short(tokens.rest)}`);
  }
  return pairs;
}

const metricName = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const labelName = /[a-zA-Z_][a-zA-Z0-9_]*/y;

class Tokens {
  readonly #line: Lines;
  readonly #text: string;
  #at = 0;

  constructor(line: Lines, text: string) {
    this.#line = line;
    this.#text = text;
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  get rest(): string {
    return this.#text.slice(this.#at);
  }

  skipBlanks(): void {
    while (!this.done && isBlank(this.#text.charCodeAt(this.#at))) this.#at++;
  }

  at(mark: string): boolean {
    this.skipBlanks();
    return this.#text[this.#at] === mark;
  }

  take(mark: string): boolean {
    if (!this.at(mark)) return false;
    this.#at++;
    return true;
  }

  word(form: RegExp): string {
    this.skipBlanks();
    form.lastIndex = this.#at;
    const word = form.exec(this.#text)?.[0] ?? '';
    this.#at += word.length;
    return word;
  }

  quoted(): string {
    if (!this.take('"')) this.#line.fail(`expected a value in quotes at ${short(this.rest)}`);
    const from = this.#at;
    let escaped = false;
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === quote) break;
      if (code === backslash) {
        escaped = true;
        this.#at++;
      }
    }
    if (this.done) this.#line.fail('a quote is not closed');
    const text = this.#text.slice(from, this.#at++);
    return escaped ? unescaped(text) : text;
  }
}

const escapes: Record<string, string> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

// Other escapes stay unchanged, as in Prometheus.
export const unescaped = (text: string): string => text.replace(/\\[n"\\]/g, (found) => escapes[found] as string);

export function readValue(line: Lines): number {
  const word = line.word();
  if (word === '') line.fail('the value is missing');
  return numberOf(word) ?? line.fail(`${short(word)} is not a value`);
}
