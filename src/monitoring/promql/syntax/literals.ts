// Numbers, durations and strings in PromQL: Go's syntax, which is similar to JavaScript's but not the same.
import { isUtf8 } from 'node:buffer';
import { goEscaped, goEscapes } from '../../../base/go-strings.ts';

const unitMs: Readonly<Record<string, number>> = {
  y: 365 * 86_400_000,
  w: 7 * 86_400_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};
const durationForm = /^(?:\d+y)?(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?$/;
const longestMs = 9_223_372_036_854; // what fits into 64 bits of nanoseconds

// Parses a duration such as 1h30m in milliseconds; undefined if invalid. A bare 0 is valid.
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (text === '' || !durationForm.test(text)) return undefined;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[ywdhms])/g)) ms += Number(count) * (unitMs[unit ?? ''] ?? 0);
  return ms > longestMs ? undefined : ms;
}

export function durationText(ms: number): string {
  if (ms === 0) return '0s';
  let rest = Math.abs(Math.round(ms));
  let text = ms < 0 ? '-' : '';
  for (const unit of ['y', 'w', 'd', 'h', 'm', 's', 'ms']) {
    const length = unitMs[unit] as number;
    const mustBeEven = unit === 'y' || unit === 'w'; // 90d reads better than 12w6d
    if (rest < length || (mustBeEven && rest % length !== 0)) continue;
    text += `${Math.floor(rest / length)}${unit}`;
    rest %= length;
  }
  return text;
}

// A number that the grammar accepts, with or without a sign. A leading zero means octal, as in Go.
export function parseNumber(text: string): { value: number; hasUnit: boolean } | undefined {
  const bare = text.replace(/[\s_]/g, '').toLowerCase();
  const sign = bare.startsWith('-') ? -1 : 1;
  const digits = bare.replace(/^[+-]/, '');
  if (digits === 'inf') return { value: sign * Number.POSITIVE_INFINITY, hasUnit: false };
  if (digits === 'nan') return { value: Number.NaN, hasUnit: false };
  if (/^0[0-7]+$/.test(digits)) return { value: sign * Number.parseInt(digits, 8), hasUnit: false };
  if (/^\d[\dywdhms]*[ywdhms]$/.test(digits) && !digits.startsWith('0x')) {
    const ms = parseDuration(digits);
    return ms === undefined ? undefined : { value: (sign * ms) / 1000, hasUnit: true };
  }
  const value = Number(digits);
  return Number.isNaN(value) ? undefined : { value: sign * value, hasUnit: false };
}

// Parses a float in parameters and labels like strconv of Go: no surrounding spaces, with words for NaN and infinities.
// Undefined if invalid.
export function parseFloat64(text: string): number | undefined {
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (!word) return /^[+-]?0x[\da-f]+p0$/i.test(text) ? Number(text.slice(0, -2)) : undefined;
  if (word[2]?.toLowerCase() === 'nan') return Number.NaN;
  return word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

const escapeForm = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|([^xuU0-7]))|\\|[^\\]+/gs;

// Returns the content of a quoted string; undefined for an invalid escape. Bytes that are not UTF-8 become lone
// surrogates, so that they differ from all valid text and are refused as label names.
export function unquote(quoted: string): string | undefined {
  const quote = quoted[0];
  if (quoted.length < 2 || !quote || !quoted.endsWith(quote)) return undefined;
  const inner = quoted.slice(1, -1);
  if (quote === '`' || !inner.includes('\\')) return inner;
  const bytes: Buffer[] = [];
  for (const [part, hex, short, long, octal, single] of inner.matchAll(escapeForm)) {
    const byte = hex ? Number.parseInt(hex, 16) : octal ? Number.parseInt(octal, 8) : undefined;
    const point = short ?? long;
    if (byte !== undefined && byte < 256) bytes.push(Buffer.of(byte));
    else if (point && isCharacter(Number.parseInt(point, 16)))
      bytes.push(Buffer.from(String.fromCodePoint(Number.parseInt(point, 16))));
    else if (single && (goEscapes[single] !== undefined || single === quote))
      bytes.push(Buffer.from(goEscapes[single] ?? single));
    else if (!part.startsWith('\\')) bytes.push(Buffer.from(part));
    else return undefined;
  }
  return textOf(Buffer.concat(bytes));
}

const isCharacter = (point: number): boolean => point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);

function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  return [...bytes].map((byte) => String.fromCharCode(byte < 128 ? byte : 0xdc00 + byte)).join('');
}

export function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be escaped
  const inner = text.replace(/[\x00-\x1f\x7f"\\]|\p{Surrogate}/gu, (found) => {
    const byte = found.charCodeAt(0) & 0xff;
    return goEscaped[found] ?? `\\x${byte.toString(16).padStart(2, '0')}`;
  });
  return `"${inner}"`;
}

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
export const isPlainName = (name: string): boolean => plainName.test(name);
export const isLabelName = (name: string): boolean => name !== '' && name.isWellFormed();
