// The words of a record's content in the presentation format of zone files: quoted texts, and escapes by a backslash.
import { Fault } from '../../base/fault.ts';

export interface Word {
  bytes: Buffer; // unescaped
  text: string; // as it was written, without quotes
  isQuoted: boolean;
}

export const wrongContent = (reason: string): Fault => new Fault('refused', reason);

export function wordsOf(content: string): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < content.length; ) {
    if (/\s/.test(content[at] as string)) at++;
    else {
      const { word, end } = readWord(content, at);
      words.push(word);
      at = end;
    }
  }
  return words;
}

function readWord(content: string, from: number): { word: Word; end: number } {
  const isQuoted = content[from] === '"';
  const plain = isQuoted ? /[^"\\]+/y : /[^\s\\]+/y;
  const parts: Buffer[] = [];
  const start = isQuoted ? from + 1 : from;
  let at = start;
  for (;;) {
    plain.lastIndex = at;
    const run = plain.exec(content)?.[0];
    if (run !== undefined) {
      parts.push(Buffer.from(run));
      at += run.length;
    }
    if (content[at] !== '\\') break;
    const { bytes, length } = escapeAt(content, at);
    parts.push(bytes);
    at += length;
  }
  if (isQuoted && content[at] !== '"') throw wrongContent('A quote is not closed');
  const word = { bytes: Buffer.concat(parts), text: content.slice(start, at), isQuoted };
  return { word, end: isQuoted ? at + 1 : at };
}

// A byte by its three decimal digits, or the character itself.
function escapeAt(content: string, at: number): { bytes: Buffer; length: number } {
  const decimal = /^\d{3}$/.exec(content.slice(at + 1, at + 4))?.[0];
  if (decimal === undefined && at + 1 >= content.length) throw wrongContent('It ends with a backslash');
  if (decimal !== undefined && Number(decimal) > 255) throw wrongContent(`\\${decimal} is not a byte`);
  return decimal === undefined
    ? { bytes: Buffer.from(content[at + 1] as string), length: 2 }
    : { bytes: Buffer.from([Number(decimal)]), length: 4 };
}

// A text in the form of zone files.
export function quotedText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    if (byte === 0x22 || byte === 0x5c) text += `\\${String.fromCharCode(byte)}`;
    else if (byte < 0x20 || byte > 0x7e) text += `\\${String(byte).padStart(3, '0')}`;
    else text += String.fromCharCode(byte);
  }
  return `"${text}"`;
}
