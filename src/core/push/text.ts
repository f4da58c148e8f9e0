// Texts and numbers that strangers sent.
import { isUtf8 } from 'node:buffer';

// The text, or undefined where the bytes are not UTF-8.
export function textOf(bytes: Buffer, from: number, to: number): string | undefined {
  const text = bytes.toString('utf8', from, to);
  return text.includes('\ufffd') && !isUtf8(bytes.subarray(from, to)) ? undefined : text;
}

// For messages: a name or value that a stranger sent, quoted and not too long.
export const short = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

const notDecimal = /[^0-9+\-.eE]/;
const specials: Record<string, number> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  '+inf': Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  '+infinity': Number.POSITIVE_INFINITY,
  '-infinity': Number.NEGATIVE_INFINITY,
};

// Parses decimals and, in any case, NaN and the infinities. A decimal that is too large for a double is refused.
export function numberOf(word: string): number | undefined {
  if (word === '') return undefined;
  if (notDecimal.test(word)) {
    const lower = word.toLowerCase();
    return Object.hasOwn(specials, lower) ? specials[lower] : undefined;
  }
  const value = Number(word);
  return Number.isFinite(value) ? value : undefined;
}
