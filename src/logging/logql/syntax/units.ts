// Parses numbers, durations and sizes like Go's libraries, with their error messages, because those messages become
// labels of lines (__error_details__).

export class UnitError extends Error {}

const quote = (text: string): string => JSON.stringify(text);

const decimalForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const hexForm = /^([+-]?)0[xX]([\da-fA-F]*)\.?([\da-fA-F]*)[pP]([+-]?\d+)$/;
const wordForm = /^([+-]?)(inf|infinity|nan)$/i;

// strconv.ParseFloat
export function parseFloat64(text: string): number {
  if (decimalForm.test(text)) {
    const value = Number(text);
    if (!Number.isFinite(value)) throw new UnitError(`strconv.ParseFloat: parsing ${quote(text)}: value out of range`);
    return value;
  }
  const [, sign, word] = wordForm.exec(text) ?? [];
  if (word !== undefined) {
    if (word.toLowerCase() === 'nan') {
      if (sign === '') return Number.NaN;
    } else return sign === '-' ? -Infinity : Infinity;
  }
  const [, hexSign, whole = '', rest = '', power] = hexForm.exec(text) ?? [];
  if (power !== undefined && whole + rest !== '') {
    const value = Number.parseInt(whole + rest, 16) * 2 ** (Number(power) - 4 * rest.length);
    return hexSign === '-' ? -value : value;
  }
  throw new UnitError(`strconv.ParseFloat: parsing ${quote(text)}: invalid syntax`);
}

const unitNs: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
const largestNs = 2 ** 63;

// time.ParseDuration, in nanoseconds.
export function parseGoDuration(text: string): number {
  const isNegative = text.startsWith('-');
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return 0;
  if (rest === '') throw new UnitError(`time: invalid duration ${quote(text)}`);
  let total = 0;
  while (rest !== '') {
    const [all = '', whole = '', fraction] = /^(\d*)(?:\.(\d*))?/.exec(rest) ?? [];
    if (whole === '' && !fraction) throw new UnitError(`time: invalid duration ${quote(text)}`);
    rest = rest.slice(all.length);
    const [unit = ''] = /^[^\d.]*/.exec(rest) ?? [];
    if (unit === '') throw new UnitError(`time: missing unit in duration ${quote(text)}`);
    const scale = Object.hasOwn(unitNs, unit) ? unitNs[unit] : undefined;
    if (scale === undefined) throw new UnitError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    rest = rest.slice(unit.length);
    total += Number(whole || '0') * scale;
    if (fraction) total += Math.trunc(Number(fraction) * (scale / 10 ** fraction.length));
    if (total > largestNs) throw new UnitError(`time: invalid duration ${quote(text)}`);
  }
  return isNegative ? -total : total;
}

export const secondsOf = (ns: number): number => Math.trunc(ns / 1e9) + (ns % 1e9) / 1e9;

const promForm = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;
const promNs = [31_536_000e9, 604_800e9, 86_400e9, 3600e9, 60e9, 1e9, 1e6];

// Parses durations with days, weeks and years like Prometheus, in nanoseconds.
export function parsePrometheusDuration(text: string): number {
  if (text === '0') return 0;
  if (text === '') throw new UnitError('empty duration string');
  const found = promForm.exec(text);
  if (!found) throw new UnitError(`not a valid duration string: ${quote(text)}`);
  const total = promNs.reduce((sum, ns, index) => sum + Number(found[index + 1] ?? 0) * ns, 0);
  if (total >= largestNs) throw new UnitError('duration out of range');
  return total;
}

// Parses a duration in a query: in Prometheus' form, or else in Go's.
export function parseDuration(text: string): number {
  try {
    return parsePrometheusDuration(text);
  } catch {
    return parseGoDuration(text);
  }
}

const prefixes = ['', 'k', 'm', 'g', 't', 'p', 'e'];
const sizes: ReadonlyMap<string, number> = new Map(
  prefixes.flatMap((prefix, power): [string, number][] => [
    [prefix, 1000 ** power],
    [`${prefix}b`, 1000 ** power],
    ...(prefix
      ? ([
          [`${prefix}i`, 1024 ** power],
          [`${prefix}ib`, 1024 ** power],
        ] as [string, number][])
      : []),
  ]),
);

// Parses a size such as 1.5MiB, in bytes.
export function parseBytes(text: string): number {
  const [digits = ''] = /^[\d.,]*/.exec(text) ?? [];
  const number = parseFloat64(digits.replaceAll(',', ''));
  const unit = text.slice(digits.length).trim().toLowerCase();
  const scale = sizes.get(unit);
  if (scale === undefined) throw new UnitError(`unhandled size name: ${unit}`);
  if (number * scale >= 2 ** 64) throw new UnitError(`too large: ${text}`);
  return Math.trunc(number * scale);
}
