// A JSON scanner for log lines. It keeps numbers as written, accepts everything before an error, and ignores text after
// the value: lines may be truncated or have a suffix. Its errors are those of Loki's JSON library.

export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';

export class JsonError extends Error {}

const malformed = 'Malformed JSON error';
const malformedString = "Value is string, but can't find closing '\"' symbol";
const malformedArray = "Value is array, but can't find closing ']' symbol";
const malformedObject = "Value looks like object, but can't find closing '}' symbol";
const unknownValue = 'Unknown value type';

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma, colon] = [
  34, 92, 123, 125, 91, 93, 44, 58,
];

// The start and end of a value: of a string, without its quotes.
export interface JsonValue {
  kind: JsonKind;
  from: number;
  to: number;
  after: number; // the position after the value
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

// Calls `visit` for each field of the object at `from`, until it returns false.
export function eachField(text: string, from: number, visit: (key: string, value: JsonValue) => boolean): void {
  let at = skipSpace(text, from);
  if (text.charCodeAt(at) !== openBrace) throw new JsonError(malformedObject);
  at = skipSpace(text, at + 1);
  if (at >= text.length) throw new JsonError(malformed);
  while (text.charCodeAt(at) !== closeBrace) {
    if (text.charCodeAt(at) !== quote) throw new JsonError(malformedObject);
    const end = stringEnd(text, at + 1);
    if (end < 0) throw new JsonError(malformed);
    const key = unescapeString(text.slice(at + 1, end));
    if (key === undefined) throw new JsonError('Encountered an invalid escape sequence in a string');
    at = skipSpace(text, end + 1);
    if (text.charCodeAt(at) !== colon) throw new JsonError(malformed);
    const value = valueAt(text, at + 1);
    if (!visit(key, value)) return;
    at = skipSpace(text, value.after);
    if (at >= text.length) throw new JsonError(malformedArray);
    const code = text.charCodeAt(at);
    if (code === closeBrace) return;
    if (code !== comma) throw new JsonError(malformedObject);
    at = skipSpace(text, at + 1);
    if (at >= text.length) throw new JsonError(malformedArray);
  }
}

export function valueAt(text: string, from: number): JsonValue {
  const at = skipSpace(text, from);
  if (at >= text.length) throw new JsonError(malformed);
  const code = text.charCodeAt(at);
  if (code === quote) {
    const end = stringEnd(text, at + 1);
    if (end < 0) throw new JsonError(malformedString);
    return { kind: 'string', from: at + 1, to: end, after: end + 1 };
  }
  if (code === openBrace || code === openBracket) {
    const isObject = code === openBrace;
    const end = blockEnd(text, at, code, isObject ? closeBrace : closeBracket);
    if (end < 0) throw new JsonError(isObject ? malformedObject : malformedArray);
    return { kind: isObject ? 'object' : 'array', from: at, to: end, after: end };
  }
  let end = at;
  for (; end < text.length; end++) {
    const next = text.charCodeAt(end);
    if (isSpace(next) || next === comma || next === closeBrace || next === closeBracket) break;
  }
  return { kind: wordKind(text.slice(at, end)), from: at, to: end, after: end };
}

function wordKind(word: string): JsonKind {
  if (word === 'true' || word === 'false') return 'boolean';
  if (word === 'null') return 'null';
  if (/^[-\d]/.test(word)) return 'number';
  throw new JsonError(unknownValue);
}

// Returns the end of the string that starts here, or -1.
function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) return at;
  }
  return -1;
}

function blockEnd(text: string, from: number, open: number, close: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = stringEnd(text, at + 1);
      if (at < 0) return -1;
    } else if (code === open) depth++;
    else if (code === close && --depth === 0) return at + 1;
  }
  return -1;
}

// Returns the start of the value at a path, or -1. Objects and lists on the way may be incomplete.
export function findPath(text: string, path: readonly (string | number)[]): number {
  let at = skipSpace(text, 0);
  for (const part of path) {
    at = typeof part === 'number' ? elementStart(text, at, part) : fieldStart(text, at, part);
    if (at < 0) return -1;
  }
  return at;
}

function fieldStart(text: string, from: number, name: string): number {
  if (text.charCodeAt(from) !== openBrace) return -1;
  for (let at = skipSpace(text, from + 1); text.charCodeAt(at) === quote; ) {
    const end = stringEnd(text, at + 1);
    if (end < 0) return -1;
    const colonAt = skipSpace(text, end + 1);
    if (text.charCodeAt(colonAt) !== colon) return -1;
    if (unescapeString(text.slice(at + 1, end)) === name) return skipSpace(text, colonAt + 1);
    at = nextStart(text, colonAt + 1);
  }
  return -1;
}

function elementStart(text: string, from: number, index: number): number {
  if (text.charCodeAt(from) !== openBracket) return -1;
  let at = skipSpace(text, from + 1);
  for (let count = 0; count < index && at >= 0; count++) at = nextStart(text, at);
  return at >= 0 && at < text.length && text.charCodeAt(at) !== closeBracket ? at : -1;
}

// Returns the position after a value and its comma, or -1.
function nextStart(text: string, from: number): number {
  const at = skipSpace(text, valueAt(text, from).after);
  return text.charCodeAt(at) === comma ? skipSpace(text, at + 1) : -1;
}

const escapeForm = /\\(?:u([\da-fA-F]{4})|(.?))/gs;
const plain: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

export function unescapeString(raw: string): string | undefined {
  if (!raw.includes('\\')) return raw;
  let isBad = false;
  const text = raw.replace(escapeForm, (_, hex: string | undefined, single: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    const character = Object.hasOwn(plain, single) ? plain[single] : undefined;
    isBad ||= character === undefined;
    return character ?? '';
  });
  return isBad || !text.isWellFormed() ? undefined : text;
}

// Converts a value to a label: undecodable values become empty, and invalid characters become spaces.
export function textOf(text: string, { kind, from, to }: JsonValue): string {
  if (kind === 'null') return '';
  const raw = text.slice(from, to);
  if (kind === 'number' || kind === 'boolean' || kind === 'object') return raw;
  return (unescapeString(raw) ?? '').replaceAll('\uFFFD', ' ');
}
