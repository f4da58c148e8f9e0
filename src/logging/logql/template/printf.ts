// Go's fmt: how values are written by themselves (%v) and by printf.
import { quote } from '../syntax/literals.ts';
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

const endless = (value: number): string | undefined =>
  Number.isNaN(value) ? 'NaN' : value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : undefined;

// %v of a float: with an exponent below 1e-4 and from 1e21 on.
export const shortest = (value: number): string => endless(value) ?? general(value.toExponential(), 21);

function general(text: string, most: number): string {
  const [mantissa = '', power] = text.split('e');
  const exponent = Number(power);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '').replace(/(?<=.)0+$/, '');
  if (exponent < -4 || exponent >= most) {
    const rest = digits.slice(1);
    return `${sign}${digits[0]}${rest && `.${rest}`}${exponentOf(exponent)}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const rest = digits.slice(exponent + 1);
  return `${sign}${digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')}${rest && `.${rest}`}`;
}

const exponentOf = (exponent: number): string =>
  `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;

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

function printFloat(verb: string, value: number, digits: number | undefined): string | undefined {
  if (!'fFeEgG'.includes(verb)) return undefined;
  const odd = endless(value);
  if (odd !== undefined) return odd;
  const most = Math.min(100, digits ?? 6);
  if (verb === 'f' || verb === 'F') return fixed(value, most);
  if (verb === 'g' || verb === 'G')
    return digits === undefined
      ? shortest(value)
      : general(value.toExponential(Math.max(0, most - 1)), Math.max(1, most));
  const [mantissa, power] = value.toExponential(most).split('e');
  return `${mantissa}${exponentOf(Number(power))}`;
}

// Both Go and toFixed round the exact binary value; where it lies in the middle, Go takes the even digit.
export function fixed(value: number, digits: number): string {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`;
  const long = value.toFixed(Math.min(100, digits + 25));
  const kept = long.slice(0, long.length - (Math.min(100, digits + 25) - digits)).replace(/\.$/, '');
  const isMiddle = /^50*$/.test(long.slice(long.indexOf('.') + 1 + digits));
  return isMiddle && /[02468]$/.test(kept) ? kept : value.toFixed(digits);
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
