// Go's fmt: how values are written by themselves (%v) and by printf.
import { quote } from '../../base/go-strings.ts';
import { printFloat, shortest } from './float-format.ts';
import { formatTime } from './time-layout.ts';
import { fail, GoTime, isList, isMap, longest, typeOf, type Value } from './values.ts';

export function shown(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '<no value>';
  if (typeof value === 'number') return shortest(value);
  if (value instanceof GoTime) return formatTime(value, '2006-01-02 15:04:05.999999999 -0700 MST');
  if (isList(value)) return `[${value.map(inner).join(' ')}]`;
  if (isMap(value))
    return `map[${[...value]
      .sort(byKey)
      .map(([key, one]) => `${key}:${inner(one)}`)
      .join(' ')}]`;
  return String(value);
}

const inner = (value: Value): string => (value === undefined ? '<nil>' : shown(value));
export const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0);

const verbs = /%([-+# 0]*)(\d{0,4}|\*)(?:\.(\d{0,3}))?(.)/gsu;
const widest = 4096;

export function printf(format: string, args: readonly Value[]): string {
  let used = 0;
  let size = 0;
  const bounded = (part: string): string => {
    size += part.length;
    return size > longest ? fail('the text is too long') : part;
  };
  const text = format.replace(verbs, (_, flags: string, width: string, precision: string | undefined, verb: string) => {
    if (verb === '%') return '%';
    const least = width === '*' ? Number(args[used++] ?? 0) : Number(width || 0);
    if (used >= args.length) return `%!${verb}(MISSING)`;
    const value = args[used++];
    const digits = precision === undefined ? undefined : Number(precision || 0);
    const one = printOne(verb, value, digits, flags) ?? `%!${verb}(${typeOf(value)}=${inner(value)})`;
    const isNumber = typeof value === 'bigint' || typeof value === 'number';
    return bounded(padded(one, flags, Math.min(widest, least), isNumber));
  });
  if (used >= args.length) return text;
  const extra = args.slice(used).map((value) => bounded(`${typeOf(value)}=${inner(value)}`));
  return `${text}%!(EXTRA ${extra.join(', ')})`;
}

function printOne(verb: string, value: Value, digits: number | undefined, flags: string): string | undefined {
  if (verb === 'v') return typeof value === 'string' && flags.includes('#') ? quote(value) : inner(value);
  if (verb === 'T') return typeOf(value);
  if (verb === 't') return typeof value === 'boolean' ? String(value) : undefined;
  if (typeof value === 'string' || isList(value) || isMap(value) || value instanceof GoTime)
    return printText(verb, shown(value), digits);
  if (typeof value === 'bigint') return printWhole(verb, value, flags);
  return typeof value === 'number' ? printFloat(verb, value, digits) : undefined;
}

function printText(verb: string, text: string, digits: number | undefined): string | undefined {
  const cut = digits === undefined ? text : [...text].slice(0, digits).join('');
  if (verb === 's') return cut;
  if (verb === 'q') return quote(cut);
  if (verb === 'x') return Buffer.from(cut).toString('hex');
  return verb === 'X' ? Buffer.from(cut).toString('hex').toUpperCase() : undefined;
}

const bases: Readonly<Record<string, number>> = { d: 10, x: 16, X: 16, o: 8, b: 2 };

function printWhole(verb: string, value: bigint, flags: string): string | undefined {
  const base = bases[verb];
  if (base !== undefined) {
    const text = value.toString(base);
    const prefixed = flags.includes('#') && base === 16 ? `0x${text}` : text;
    return verb === 'X' ? prefixed.toUpperCase() : prefixed;
  }
  if (verb === 'c' || verb === 'q') {
    const character = String.fromCodePoint(Math.max(0, Math.min(0x10ffff, Number(value))));
    return verb === 'c' ? character : `'${character}'`;
  }
  return verb === 'U' ? `U+${value.toString(16).toUpperCase().padStart(4, '0')}` : undefined;
}

function padded(text: string, flags: string, width: number, isNumber: boolean): string {
  const signed =
    isNumber && !/^[-+]/.test(text) && /[+ ]/.test(flags) ? `${flags.includes('+') ? '+' : ' '}${text}` : text;
  const length = [...signed].length;
  if (length >= width) return signed;
  const missing = width - length;
  if (flags.includes('-')) return signed + ' '.repeat(missing);
  if (!flags.includes('0')) return ' '.repeat(missing) + signed;
  const sign = isNumber ? (/^[-+]/.exec(signed)?.[0] ?? '') : '';
  return sign + '0'.repeat(missing) + signed.slice(sign.length);
}
