// Sets of characters as ranges of code points, and their escapes in JSON strings.
import { anyOf, type Expression, literal, visible } from './rules.ts';

export type Range = readonly [from: number, to: number];

const most = 0x10ffff;
export const everything: Range[] = [[0, most]];
export const digits: Range[] = [[0x30, 0x39]];
export const letters: Range[] = [
  [0x41, 0x5a],
  [0x61, 0x7a],
];
export const word: Range[] = [...digits, ...letters, [0x5f, 0x5f]];
export const space: Range[] = [[0x20, 0x20]];
export const spaces: Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x2028, 0x2029],
  [0xfeff, 0xfeff],
];

// Control characters, the quote, the backslash and lone surrogates can't appear unescaped.
const notPlain: Range[] = [
  [0, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
  [0x7f, 0x9f],
  [0xd800, 0xdfff],
];

export function without(ranges: readonly Range[], excluded: readonly Range[]): Range[] {
  return excluded.reduce<Range[]>(
    (left, [from, to]) =>
      left.flatMap(([begin, end]): Range[] => {
        if (end < from || begin > to) return [[begin, end]];
        const before: Range[] = begin < from ? [[begin, from - 1]] : [];
        return end > to ? [...before, [to + 1, end]] : before;
      }),
    [...ranges],
  );
}

export const complement = (ranges: readonly Range[]): Range[] => without(everything, ranges);

const sizeOf = (ranges: readonly Range[]): number => ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
const fewCharacters = 16;

// One character of the set inside a JSON string. Large sets omit the characters that JSON has to escape.
export function characterOf(ranges: readonly Range[]): Expression | undefined {
  const plain = without(ranges, notPlain);
  const escaped = sizeOf(ranges) <= fewCharacters || plain.length === 0 ? escapesOf(ranges) : [];
  const set = plain.length === 0 ? undefined : `[${plain.map(rangeText).join('')}]`;
  return anyOf([set, ...escaped]);
}

function escapesOf(ranges: readonly Range[]): Expression[] {
  const escapable = [0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x22, 0x5c];
  return escapable
    .filter((code) => ranges.some(([from, to]) => from <= code && code <= to))
    .map((code) => literal(JSON.stringify(String.fromCodePoint(code)).slice(1, -1)));
}

function rangeText([from, to]: Range): string {
  const one = (code: number): string => {
    const character = String.fromCodePoint(code);
    return /[\]\\^-]/.test(character) ? `\\x${code.toString(16).toUpperCase()}` : visible(character);
  };
  return from === to ? one(from) : `${one(from)}-${one(to)}`;
}
