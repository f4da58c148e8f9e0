// Formats values with units. The unit follows from the metric name, by the naming rules of Prometheus, and from the
// functions of the expression. An unknown unit gives a plain number.
import { timeText } from '../time/time-range.ts';

export const units = {
  number: 'Number',
  rate: 'Per second',
  bytes: 'Bytes',
  byteRate: 'Bytes per second',
  bitRate: 'Bits per second',
  seconds: 'Seconds',
  milliseconds: 'Milliseconds',
  ratio: 'Percent, 1 is 100 %',
  percent: 'Percent',
  celsius: 'Degrees Celsius',
  time: 'Time, in seconds since 1970',
} as const;

export type Unit = keyof typeof units;
export const isUnit = (text: unknown): text is Unit => typeof text === 'string' && Object.hasOwn(units, text);

type Step = readonly [size: number, name: string];

const decimalSteps: readonly Step[] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
];
const byteSteps: readonly Step[] = [
  [2 ** 50, 'PiB'],
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
  [0, 'B'],
];
const bitSteps: readonly Step[] = [
  [1e12, 'Tbit/s'],
  [1e9, 'Gbit/s'],
  [1e6, 'Mbit/s'],
  [1e3, 'kbit/s'],
  [0, 'bit/s'],
];
const secondSteps: readonly Step[] = [
  [2 * 86_400, 'd'],
  [2 * 3600, 'h'],
  [120, 'min'],
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
  [0, 'ns'],
];
const secondsIn: Record<string, number> = { d: 86_400, h: 3600, min: 60, s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 };

const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

// Without `decimals`, a value has four significant digits.
export function formatValue(value: number, unit: Unit, decimals?: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return formats[unit](value, decimals === undefined ? short : fixed(decimals));
}

const fixed = (decimals: number): Intl.NumberFormat => {
  const digits = Math.min(15, Math.max(0, Math.round(decimals)));
  return new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
};

type Numbers = Intl.NumberFormat;

const formats: Record<Unit, (value: number, numbers: Numbers) => string> = {
  number: plain,
  rate: (value, numbers) => `${plain(value, numbers)}/s`,
  bytes: inBytes,
  byteRate: (value, numbers) => `${inBytes(value, numbers)}/s`,
  bitRate: (value, numbers) => {
    const [size, name] = bitSteps.find(([least]) => Math.abs(value) >= least) as Step;
    return `${numbers.format(value / (size || 1))} ${name}`;
  },
  seconds: inSeconds,
  milliseconds: (value, numbers) => inSeconds(value / 1000, numbers),
  ratio: (value, numbers) => `${plain(value * 100, numbers)} %`,
  percent: (value, numbers) => `${plain(value, numbers)} %`,
  celsius: (value, numbers) => `${plain(value, numbers)} °C`,
  time: (value, numbers) => (Math.abs(value) < 8.64e12 ? timeText(value) : plain(value, numbers)),
};

function plain(value: number, numbers: Numbers): string {
  const size = Math.abs(value);
  if (numbers !== short && size < 1e6) return numbers.format(value);
  if (size > 0 && size < 1e-4) return value.toExponential(2);
  if (size < 1000) return numbers.format(value);
  const step = decimalSteps.find(([least]) => size >= least);
  if (!step) return exact.format(value);
  return size >= 1e15 ? value.toExponential(3) : `${numbers.format(value / step[0])} ${step[1]}`;
}

function inBytes(value: number, numbers: Numbers): string {
  const [size, name] = byteSteps.find(([least]) => Math.abs(value) >= least) as Step;
  return `${numbers.format(value / (size || 1))} ${name}`;
}

function inSeconds(value: number, numbers: Numbers): string {
  if (value === 0) return '0 s';
  const [, name] = secondSteps.find(([least]) => Math.abs(value) >= least) as Step;
  return `${numbers.format(value / (secondsIn[name] as number))} ${name}`;
}

const endings: readonly [ending: RegExp, unit: Unit][] = [
  [/_count$/, 'number'],
  [/_timestamp_seconds$|_created$/, 'time'],
  [/_bytes$/, 'bytes'],
  [/_milliseconds$|_ms$/, 'milliseconds'],
  [/_seconds$/, 'seconds'],
  [/_ratio$/, 'ratio'],
  [/_percent$|_utilization_average$/, 'percent'],
  [/_celsius$/, 'celsius'],
];

export function unitOfMetric(name: string): Unit {
  const bare = name.replace(/_(?:total|sum|bucket)$/, '');
  return endings.find(([ending]) => ending.test(bare))?.[1] ?? 'number';
}

const perSecond: Partial<Record<Unit, Unit>> = {
  bytes: 'byteRate',
  seconds: 'number', // seconds per second are a count of concurrent work
  time: 'number',
};

// Counts have no unit. Products and quotients change the unit.
const unitless = /^\s*(?:count|count_values|group|absent|absent_over_time|changes|resets|sgn|scalar|time)\b|[*/%^]/;

export function unitOf(expression: string): Unit {
  const bare = withoutSelectors(expression);
  if (unitless.test(bare)) return 'number';
  const found = new Set(metricsIn(bare).map(unitOfMetric));
  const [unit] = found;
  if (unit === undefined || found.size > 1) return 'number';
  const isRate = /\b(?:rate|irate|deriv)\s*\(/i.test(bare) && !/\bhistogram_quantile\s*\(/i.test(bare);
  return isRate ? (perSecond[unit] ?? 'rate') : unit;
}

// Removes comments, strings, matchers, ranges and label lists. Functions, operators and metrics remain.
const withoutSelectors = (expression: string): string =>
  expression
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g, '""')
    .replace(/#[^\n]*/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/gi, '');

const words = /^(?:and|or|unless|bool|offset|inf|nan|start|end|by|without|on|ignoring|group_left|group_right|atan2)$/i;

const metricsIn = (bare: string): string[] =>
  [...bare.matchAll(/[A-Za-z_:][\w:]*(?!\s*\(|[\w:])/g)]
    .filter(({ index }) => !/[\w.]/.test(bare[index - 1] ?? ''))
    .map(([name]) => name)
    .filter((name) => !words.test(name));
