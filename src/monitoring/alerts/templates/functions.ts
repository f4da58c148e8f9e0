// The functions that templates of labels and annotations may call, as Prometheus defines them.
import { iso } from '../../../base/clock.ts';
import { type Printed, plainText, printf, significant } from './number-format.ts';

export type Value = Printed | ReadonlyMap<string, string>;

export class TemplateError extends Error {}

type Call = (args: readonly Value[]) => Value;

export const functions: ReadonlyMap<string, { least: number; most: number; call: Call }> = new Map(
  Object.entries({
    humanize: one((value) => scaled(number(value), 1000, ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'], true)),
    humanize1024: one((value) => scaled(number(value), 1024, ['ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'Zi', 'Yi'], false)),
    humanizeDuration: one((value) => lasting(number(value))),
    humanizePercentage: one((value) => `${significant(number(value) * 100, 4)}%`),
    humanizeTimestamp: one((value) => moment(number(value))),
    toUpper: one((value) => shown(value).toUpperCase()),
    toLower: one((value) => shown(value).toLowerCase()),
    title: one((value) => shown(value).replace(/(?<![\p{L}\p{N}_'])\p{L}/gu, (letter) => letter.toUpperCase())),
    stripPort: one((value) =>
      shown(value)
        .replace(/^(\[[^\]]*\]|[^:]*):\d+$/, '$1')
        .replace(/^\[(.*)\]$/, '$1'),
    ),
    urlquery: one((value) => encodeURIComponent(shown(value).toWellFormed()).replaceAll('%20', '+')),
    len: one((value) => (value instanceof Map ? value.size : Buffer.byteLength(shown(value)))),
    not: one((value) => !isTrue(value)),
    print: many(0, (args) => args.map(shown).join('')),
    printf: many(1, ([format, ...args]) =>
      printf(
        shown(format as Value),
        args.map((arg) => (isMap(arg) ? shown(arg) : arg)),
      ),
    ),
    index: two((map, key) => (isMap(map) ? (map.get(shown(key)) ?? '') : fail('index wants labels and a name'))),
    and: many(1, (args) => args.find((arg) => !isTrue(arg)) ?? (args.at(-1) as Value)),
    or: many(1, (args) => args.find(isTrue) ?? (args.at(-1) as Value)),
    eq: many(2, ([first, ...rest]) => rest.some((other) => compare(first as Value, other) === 0)),
    ne: two((a, b) => compare(a, b) !== 0),
    lt: two((a, b) => compare(a, b) < 0),
    le: two((a, b) => compare(a, b) <= 0),
    gt: two((a, b) => compare(a, b) > 0),
    ge: two((a, b) => compare(a, b) >= 0),
  }),
);

export const isTrue = (value: Value): boolean =>
  isMap(value) ? value.size > 0 : typeof value === 'number' ? value !== 0 : Boolean(value);

export function shown(value: Value): string {
  if (!isMap(value)) return plainText(value);
  return `map[${[...value].map(([name, text]) => `${name}:${text}`).join(' ')}]`;
}

function isMap(value: Value): value is ReadonlyMap<string, string> {
  return typeof value === 'object';
}

function one(call: (value: Value) => Value) {
  return { least: 1, most: 1, call: (args: readonly Value[]) => call(args[0] as Value) };
}

function two(call: (a: Value, b: Value) => Value) {
  return { least: 2, most: 2, call: (args: readonly Value[]) => call(args[0] as Value, args[1] as Value) };
}

function many(least: number, call: Call) {
  return { least, most: 20, call };
}

function fail(message: string): never {
  throw new TemplateError(message);
}

function number(value: Value): number {
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value.trim() : '';
  const odd: Record<string, number> = { NaN: Number.NaN, '+Inf': Infinity, Inf: Infinity, '-Inf': -Infinity };
  const found = odd[text] ?? (text === '' ? Number.NaN : Number(text));
  if (text === '' || (Number.isNaN(found) && text !== 'NaN')) fail(`${JSON.stringify(shown(value))} is no number`);
  return found;
}

function compare(a: Value, b: Value): number {
  if (typeof a !== typeof b || isMap(a) || isMap(b)) fail('values of different kinds are compared');
  return a === b ? 0 : a < b ? -1 : 1;
}

const small = ['m', 'u', 'n', 'p', 'f', 'a', 'z', 'y'];

function scaled(value: number, base: number, large: string[], canShrink: boolean): string {
  if (value === 0 || !Number.isFinite(value)) return significant(value, 4);
  let rest = value;
  let prefix = '';
  if (Math.abs(rest) >= 1) {
    for (const next of large) {
      if (Math.abs(rest) < base) break;
      prefix = next;
      rest /= base;
    }
  } else if (canShrink) {
    for (const next of small) {
      if (Math.abs(rest) >= 1) break;
      prefix = next;
      rest *= base;
    }
  }
  return significant(rest, 4) + prefix;
}

function lasting(seconds: number): string {
  if (seconds === 0 || !Number.isFinite(seconds)) return significant(seconds, 4) + (seconds === 0 ? 's' : '');
  if (Math.abs(seconds) < 1) return `${scaled(seconds, 1000, [], true)}s`;
  const sign = seconds < 0 ? '-' : '';
  const whole = Math.trunc(Math.abs(seconds));
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'm'],
    [whole % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === 3) return `${sign}${significant(Math.abs(seconds), 4)}s`;
  return (
    sign +
    parts
      .slice(first)
      .map(([count, unit]) => `${count}${unit}`)
      .join(' ')
  );
}

const mostSeconds = 8.64e12;

function moment(seconds: number): string {
  if (!Number.isFinite(seconds) || Math.abs(seconds) > mostSeconds) return significant(seconds, 4);
  const [day, time = ''] = iso(Math.round(seconds * 1000)).split('T');
  return `${day} ${time.replace(/\.?0*Z$/, '')} +0000 UTC`;
}
