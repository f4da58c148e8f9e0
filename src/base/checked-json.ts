// Small JSON files with a checksum in their last line, so that a changed byte is found when they are read. Files of
// earlier versions are JSON alone.
import { crc32 } from 'node:zlib';

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
