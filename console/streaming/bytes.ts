// Shows the bytes of a message: as text if they are UTF-8, otherwise in hexadecimal.
import type { TruncatedBytes } from './inspection.ts';

export type Form = 'auto' | 'text' | 'json' | 'hex';

export interface Readable {
  text: string;
  form: 'text' | 'json' | 'hex' | 'null';
  isCut: boolean;
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

export const decoded = ({ base64 }: TruncatedBytes): string => new TextDecoder().decode(bytesOf(base64 ?? ''));

export function readable({ base64, bytes }: TruncatedBytes, form: Form = 'auto'): Readable {
  if (base64 === null) return { text: 'null', form: 'null', isCut: false };
  const content = bytesOf(base64);
  const isCut = content.length < bytes;
  if (form === 'hex') return { text: hexText(content), form: 'hex', isCut };
  const text = textOf(content, form !== 'auto', isCut);
  if (text === undefined) return { text: hexText(content), form: 'hex', isCut };
  const json = form === 'text' ? undefined : jsonText(text);
  return json === undefined ? { text, form: 'text', isCut } : { text: json, form: 'json', isCut };
}

// A truncated text may end inside a character. Control characters other than white space mean binary data.
function textOf(content: Uint8Array, isForced: boolean, isCut: boolean): string | undefined {
  if (isForced) return new TextDecoder().decode(content);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content, { stream: isCut });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    return /[\0-\x08\x0e-\x1f\x7f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function jsonText(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return undefined;
  }
}

const rowBytes = 16;

// Rows of sixteen bytes, with their position before and their characters after them.
export function hexText(content: Uint8Array): string {
  const rows: string[] = [];
  for (let at = 0; at < content.length; at += rowBytes) {
    const row = [...content.subarray(at, at + rowBytes)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const letters = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    rows.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(rowBytes * 3 - 1)}  ${letters}`);
  }
  return rows.join('\n');
}

const mostPreviewed = 300;

// One line for a list.
export function preview(bytes: TruncatedBytes, form: Form = 'auto'): string {
  const shown = readable(bytes, form);
  if (shown.form === 'hex' && bytes.base64 !== null)
    return [...atob(bytes.base64.slice(0, 64))].map((one) => one.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');
  const text = shown.form === 'json' ? JSON.stringify(JSON.parse(shown.text)) : shown.text.replace(/\s+/g, ' ');
  return shown.isCut || text.length > mostPreviewed ? `${text.slice(0, mostPreviewed)} …` : text;
}
