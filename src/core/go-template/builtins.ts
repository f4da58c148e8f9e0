// The functions that Go's text/template defines itself. Each checks its arguments as Go does.
import { quote } from '../../base/go-strings.ts';
import { text } from './arguments.ts';
import type { Entry } from './function-entry.ts';
import { printf, shown } from './printf.ts';
import { fail, isList, isMap, isTrue, longest, StringMap, typeOf, type Value } from './values.ts';

const many = 1000;

export const builtins: readonly Entry[] = [
  ['not', 1, 1, ([value]) => !isTrue(value)],
  ['and', 1, many, () => undefined], // execution.ts evaluates both
  ['or', 1, many, () => undefined],
  ['len', 1, 1, ([value]) => lengthOf(value)],
  ['index', 1, many, ([value, ...keys]) => keys.reduce(itemOf, value)],
  ['slice', 1, 4, ([value, ...bounds]) => sliceOf(value, bounds)],
  ['print', 0, many, (args) => printed(args)],
  ['println', 0, many, (args) => `${joined(args, ' ')}\n`],
  ['printf', 1, many, ([format, ...args]) => printf(text(format), args)],
  ['html', 1, many, (args) => printed(args).replace(/[&<>"'\0]/g, (one) => escaped[one] as string)],
  ['js', 1, many, (args) => quote(printed(args)).slice(1, -1)],
  ['urlquery', 1, many, (args) => queryEscape(printed(args))],
  ['eq', 2, many, ([first, ...rest]) => rest.some((other) => isEqual(first, other))],
  ['ne', 2, 2, ([a, b]) => !isEqual(a, b)],
  ['lt', 2, 2, ([a, b]) => compare(a, b) < 0],
  ['le', 2, 2, ([a, b]) => compare(a, b) <= 0],
  ['gt', 2, 2, ([a, b]) => compare(a, b) > 0],
  ['ge', 2, 2, ([a, b]) => compare(a, b) >= 0],
];

const escaped: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '\0': '\uFFFD',
};

// Go separates two values by a space where neither is a text.
const printed = (args: readonly Value[]): string => joined(args);

function joined(args: readonly Value[], separator?: string): string {
  let result = '';
  for (const [index, value] of args.entries()) {
    const isSpaced = index > 0 && typeof value !== 'string' && typeof args[index - 1] !== 'string';
    if (index > 0) result += separator ?? (isSpaced ? ' ' : '');
    result += shown(value);
    if (result.length > longest) fail('the text is too long');
  }
  return result;
}

function lengthOf(value: Value): bigint {
  if (typeof value === 'string') return BigInt(Buffer.byteLength(value));
  if (isMap(value)) return BigInt(value.size);
  return isList(value) ? BigInt(value.length) : fail(`len of type ${typeOf(value)}`);
}

function itemOf(value: Value, key: Value): Value {
  if (isMap(value)) return value.get(text(key)) ?? (value instanceof StringMap ? '' : undefined);
  if (typeof key !== 'bigint') fail(`cannot index slice/array with type ${typeOf(key)}`);
  const items = typeof value === 'string' ? [...Buffer.from(value)].map(BigInt) : value;
  if (!isList(items)) fail(`can't index item of type ${typeOf(value)}`);
  if (key < 0n || key >= BigInt(items.length)) fail(`index out of range: ${key}`);
  return items[Number(key)];
}

function sliceOf(value: Value, bounds: Value[]): Value {
  const [from = 0n, to] = bounds;
  const length = lengthOf(value);
  const end = to ?? length;
  if (typeof from !== 'bigint' || typeof end !== 'bigint') fail('cannot slice with this type');
  if (from < 0n || end > length || from > end) fail(`index out of range: ${end}`);
  if (typeof value === 'string') return Buffer.from(value).subarray(Number(from), Number(end)).toString('utf8');
  return (value as readonly Value[]).slice(Number(from), Number(end));
}

function isEqual(a: Value, b: Value): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (typeof a !== typeof b) fail('incompatible types for comparison');
  return a === b;
}

function compare(a: Value, b: Value): number {
  if (a === undefined || b === undefined || typeof a !== typeof b) fail('incompatible types for comparison');
  if (typeof a === 'object' || typeof a === 'boolean') fail('invalid type for comparison');
  return a === b ? 0 : a < (b as typeof a) ? -1 : 1;
}

export const queryEscape = (value: string): string =>
  encodeURIComponent(value.toWellFormed())
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');

// strings.Title: the letter at the beginning of each word.
export function title(value: string): string {
  let before = ' ';
  return [...value]
    .map((character) => {
      const isStart = before <= '\x7f' ? !/\w/.test(before) : /\s/.test(before);
      before = character;
      return isStart ? character.toUpperCase() : character;
    })
    .join('');
}
