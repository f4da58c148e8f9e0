// Small JSON files with a checksum in their last line, so that a changed byte is found when they are read. Files of
// earlier versions are JSON alone.
import { crc32 } from 'node:zlib';
import { isObject } from './json.ts';

export function checkedJson(value: unknown): string {
  const json = JSON.stringify(value);
  return `${json}\n#crc32 ${sumOf(json)}\n`;
}

// Throws an error where the text is not what was written.
export function parseCheckedJson(text: string): unknown {
  const [, json, sum] = /^(.*)\n#crc32 ([0-9a-f]{8})\n$/s.exec(text) ?? [];
  if (json === undefined) return JSON.parse(text); // a damaged last line is no JSON
  if (sumOf(json) !== sum) throw new SyntaxError('the content does not match its checksum');
  return JSON.parse(json);
}

const sumOf = (text: string): string => crc32(text).toString(16).padStart(8, '0');

// For files that users read too: the checksum is the last property of the object.
export const withChecksum = <T extends object>(value: T): T & { checksum: string } => ({
  ...value,
  checksum: sumOf(JSON.stringify(value)),
});

// Whether a file of that kind is as it was written. Earlier versions wrote no checksum.
export function matchesChecksum(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return false;
    const { checksum, ...rest } = value;
    if (checksum === undefined) return !isSum(Object.values(rest).at(-1)); // its name may be what was changed
    return checksum === sumOf(JSON.stringify(rest));
  } catch {
    return false;
  }
}

const isSum = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{8}$/.test(value);
