// The functions that Prometheus adds to those of Go in templates of labels and annotations.
import { iso } from '../../../base/clock.ts';
import { text } from '../../../core/go-template/arguments.ts';
import { builtins, title } from '../../../core/go-template/builtins.ts';
import { significant } from '../../../core/go-template/float-format.ts';
import { type Entry, functionsOf } from '../../../core/go-template/function-entry.ts';
import { shown } from '../../../core/go-template/printf.ts';
import { fail, type Value } from '../../../core/go-template/values.ts';

const ofNumber = (name: string, show: (value: number) => string): Entry => [
  name,
  1,
  1,
  ([value]) => show(number(value)),
];
const ofText = (name: string, change: (value: string) => string): Entry => [
  name,
  1,
  1,
  ([value]) => change(text(value)),
];

export const functions = functionsOf([
  ...builtins,
  ofNumber('humanize', (value) => scaled(value, 1000, ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'], true)),
  ofNumber('humanize1024', (value) => scaled(value, 1024, ['ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'Zi', 'Yi'], false)),
  ofNumber('humanizeDuration', lasting),
  ofNumber('humanizePercentage', (value) => `${significant(value * 100, 4)}%`),
  ofNumber('humanizeTimestamp', moment),
  ofText('toUpper', (value) => value.toUpperCase()),
  ofText('toLower', (value) => value.toLowerCase()),
  ofText('title', title),
  ofText('stripPort', (value) => value.replace(/^(\[[^\]]*\]|[^:]*):\d+$/, '$1').replace(/^\[(.*)\]$/, '$1')),
]);

function number(value: Value): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  const text = typeof value === 'string' ? value.trim() : '';
  const odd: Record<string, number> = { NaN: Number.NaN, '+Inf': Infinity, Inf: Infinity, '-Inf': -Infinity };
  const found = odd[text] ?? (text === '' ? Number.NaN : Number(text));
  if (text === '' || (Number.isNaN(found) && text !== 'NaN')) fail(`${JSON.stringify(shown(value))} is not a number`);
  return found;
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
