// Functions of texts.
import type { RE2JS } from 're2js';
import { text, whole } from '../../../core/go-template/arguments.ts';
import { queryEscape, title } from '../../../core/go-template/builtins.ts';
import type { Entry } from '../../../core/go-template/function-entry.ts';
import { fail, longest, type Value } from '../../../core/go-template/values.ts';
import { BadPattern, compileFinder } from '../../../core/regexp.ts';
import { toText } from './arguments.ts';
import { expanded } from './replacement.ts';

const one = (name: string, change: (value: string) => string): Entry => [name, 1, 1, ([value]) => change(text(value))];
const two = (name: string, change: (first: string, second: string) => Value): Entry => [
  name,
  2,
  2,
  ([first, second]) => change(text(first), text(second)),
];

const trimLeft = (value: string, cut: string): string => {
  const characters = [...value];
  const from = characters.findIndex((character) => !cut.includes(character));
  return from < 0 ? '' : characters.slice(from).join('');
};
const trimRight = (value: string, cut: string): string =>
  [...trimLeft([...value].reverse().join(''), cut)].reverse().join('');
const trimBoth = (value: string, cut: string): string => trimRight(trimLeft(value, cut), cut);
const space = /^[\t\n\v\f\r \u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]+/;
// Character by character: a search for trailing spaces would restart at each space in the middle.
const trimSpace = (value: string): string => {
  let end = value.length;
  while (end > 0 && space.test(value[end - 1] as string)) end--;
  return value.slice(0, end).replace(space, '');
};
const withoutPrefix = (value: string, prefix: string): string =>
  value.startsWith(prefix) ? value.slice(prefix.length) : value;
const withoutSuffix = (value: string, suffix: string): string =>
  value.endsWith(suffix) ? value.slice(0, value.length - suffix.length) : value;

function replaced(value: string, old: string, by: string, most: number): string {
  if (old === by || most === 0) return value;
  const parts = old === '' ? ['', ...value, ''] : value.split(old);
  const count = most < 0 ? parts.length - 1 : Math.min(most, parts.length - 1);
  if (value.length + count * (by.length - old.length) > longest) tooLong();
  const rest = parts.slice(count + 1).map((part) => old + part);
  return parts.slice(0, count + 1).join(by) + rest.join('');
}

const tooLong = (): never => fail('the text is too long');

function repeated(count: number, value: string): string {
  if (count < 0) fail('strings: negative Repeat count');
  if (count * value.length > longest) tooLong();
  return value.repeat(count);
}

const indent = (width: number, value: string): string => {
  const pad = repeated(width, ' ');
  return pad + replaced(value, '\n', `\n${pad}`, -1);
};

function trunc(count: number, value: string): string {
  const length = Buffer.byteLength(value);
  if (count < 0 && length + count > 0)
    return Buffer.from(value)
      .subarray(length + count)
      .toString('utf8');
  if (count >= 0 && length > count) return Buffer.from(value).subarray(0, count).toString('utf8');
  return value;
}

function substring(start: number, end: number, value: string): string {
  const bytes = Buffer.from(value);
  const cut = (from: number, to: number): string => {
    if (from > to || to > bytes.length) fail(`slice bounds out of range [${from}:${to}]`);
    return bytes.subarray(from, to).toString('utf8');
  };
  if (start < 0) return cut(0, end);
  return end < 0 || end > bytes.length ? cut(start, bytes.length) : cut(start, end);
}

function align(count: number, value: string, isLeft: boolean): string {
  const characters = [...value];
  const missing = count - characters.length;
  if (count < 0 || missing === 0) return value;
  if (missing > 0) return isLeft ? value + repeated(missing, ' ') : repeated(missing, ' ') + value;
  return (isLeft ? characters.slice(0, count) : characters.slice(-missing)).join('');
}

const patterns = new Map<string, RE2JS>();

function regexp(pattern: string): RE2JS {
  const known = patterns.get(pattern);
  if (known) return known;
  try {
    const compiled = compileFinder(pattern);
    if (patterns.size > 100) patterns.clear();
    patterns.set(pattern, compiled);
    return compiled;
  } catch (error) {
    if (error instanceof BadPattern) fail(error.message);
    throw error;
  }
}

// Go's replacement: $1, ${1}, $name and ${name}; $$ is a dollar sign.
export function replaceAll(pattern: string, value: string, replacement: string): string {
  const re2 = regexp(pattern);
  const names = re2.namedGroups() as Record<string, number>;
  const matcher = re2.matcher(value);
  let result = '';
  let from = 0;
  while (matcher.find()) {
    result +=
      value.slice(from, matcher.start()) +
      expanded(replacement, names, (group) => matcher.group(group) ?? '', matcher.groupCount());
    from = matcher.end();
    if (result.length > longest) tooLong();
  }
  return result + value.slice(from);
}

function replaceLiterally(pattern: string, value: string, replacement: string): string {
  const matcher = regexp(pattern).matcher(value);
  let result = '';
  let from = 0;
  while (matcher.find()) {
    result += value.slice(from, matcher.start()) + replacement;
    from = matcher.end();
    if (result.length > longest) tooLong();
  }
  return result + value.slice(from);
}

function counted(pattern: string, value: string): bigint {
  const matcher = regexp(pattern).matcher(value);
  let count = 0n;
  while (matcher.find()) count++;
  return count;
}

function decodeUrl(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return fail(`invalid URL escape ${JSON.stringify(/%.{0,2}/.exec(value)?.[0] ?? '')}`);
  }
}

function decode64(value: string): string {
  const isGood = /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0;
  if (isGood) return Buffer.from(value, 'base64').toString('utf8');
  const at = value.search(/[^A-Za-z0-9+/]/);
  return `illegal base64 data at input byte ${at < 0 ? value.length - (value.length % 4) : at}`;
}

export const textFunctions: Entry[] = [
  one('ToLower', (value) => value.toLowerCase()),
  one('ToUpper', (value) => value.toUpperCase()),
  one('lower', (value) => value.toLowerCase()),
  one('upper', (value) => value.toUpperCase()),
  one('title', title),
  one('TrimSpace', trimSpace),
  one('trim', trimSpace),
  two('Trim', trimBoth),
  two('TrimLeft', trimLeft),
  two('TrimRight', trimRight),
  two('TrimPrefix', withoutPrefix),
  two('TrimSuffix', withoutSuffix),
  two('trimAll', (cut, value) => trimBoth(value, cut)),
  two('trimPrefix', (prefix, value) => withoutPrefix(value, prefix)),
  two('trimSuffix', (suffix, value) => withoutSuffix(value, suffix)),
  two('contains', (part, value) => value.includes(part)),
  two('hasPrefix', (part, value) => value.startsWith(part)),
  two('hasSuffix', (part, value) => value.endsWith(part)),
  two('count', counted),
  ['Replace', 4, 4, ([value, old, by, most]) => replaced(text(value), text(old), text(by), whole(most))],
  ['replace', 3, 3, ([old, by, value]) => replaced(text(value), text(old), text(by), -1)],
  ['regexReplaceAll', 3, 3, ([pattern, value, by]) => replaceAll(text(pattern), text(value), text(by))],
  ['regexReplaceAllLiteral', 3, 3, ([pattern, value, by]) => replaceLiterally(text(pattern), text(value), text(by))],
  ['repeat', 2, 2, ([count, value]) => repeated(whole(count), text(value))],
  ['indent', 2, 2, ([width, value]) => indent(whole(width), text(value))],
  ['nindent', 2, 2, ([width, value]) => `\n${indent(whole(width), text(value))}`],
  ['trunc', 2, 2, ([count, value]) => trunc(whole(count), text(value))],
  ['substr', 3, 3, ([start, end, value]) => substring(whole(start), whole(end), text(value))],
  ['alignLeft', 2, 2, ([count, value]) => align(whole(count), text(value), true)],
  ['alignRight', 2, 2, ([count, value]) => align(whole(count), text(value), false)],
  one('urlencode', queryEscape),
  one('urldecode', decodeUrl),
  ['b64enc', 1, 1, ([value]) => Buffer.from(toText(value)).toString('base64')],
  one('b64dec', decode64),
];
